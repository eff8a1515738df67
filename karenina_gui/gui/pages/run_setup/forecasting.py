"""Forecast of a run's cost and duration before it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karenina_gui.analysis.forecast import EarlierResult, Forecast, Range, Work, forecast
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.pages.prices.price_text import PAGE, in_dollars, model_in_words
from karenina_gui.gui.pages.run_setup.plan import Plan
from karenina_gui.runs.service import RunService
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import join_list, quantity, rough_duration

LOOKED_AT = 300
"""Number of recent results of the benchmark that the forecast uses."""


def forecast_of(plan: Plan, runs: RunService, earlier: Sequence[EarlierResult]) -> Forecast | None:
    """Forecast a plan; None if no job would run, or if all replies are replayed."""
    if plan.refused or not plan.answers or not plan.live:
        return None
    work = work_of(plan, runs.models.works_with_tools)
    return forecast(work, earlier, runs.prices.all(), jobs=plan.jobs, workers=plan.config.workers)


def work_of(plan: Plan, is_agent: Callable[[ModelConfig], bool]) -> list[Work]:
    """List the work of each model of a plan; an answering model counts once per condition."""
    config, chosen = plan.config, plan.selection.chosen
    # Without earlier results, the lengths of the prompts are all that is known.
    texts = [plan.questions[question].text for question in chosen if question in plan.questions]
    length = sum(map(len, texts)) / max(1, len(chosen))
    models = effective_models(config).values()
    work = [
        Work(
            model=_name(model),
            answers=len(chosen) * config.replicate_count,
            prompt=round(length + len(model.system_prompt or "")),
            max_tokens=model.max_tokens,
            agent=is_agent(model),
        )
        for model in models
    ]
    judges = len(config.parsing_models)
    work += [
        Work(
            model=_name(judge),
            judgments=plan.jobs // judges,
            replies=plan.judge_calls // judges,
            prompt=round(length + len(judge.system_prompt or "")),
            agent=plan.investigations > 0,
        )
        for judge in config.parsing_models
        if plan.judge_calls
    ]
    return work


def forecast_view(prediction: Forecast) -> Html:
    """HTML of a forecast: `Estimate: 40,000 to 65,000 tokens · $0.10 to $0.25 · 2 to 5 min`, and its basis."""
    least = bool(prediction.turns_unknown)
    dollars = prediction.dollars
    money = "cost unknown" if dollars is None else _format_amount(dollars, in_dollars, least=least)
    time = (
        "time unknown"
        if prediction.seconds is None
        else _format_range(*(rough_duration(end) for end in _ends(prediction.seconds)))
    )
    tokens = _format_amount(prediction.tokens, lambda number: f"{_round(number):,}", least=least)
    return join_html(
        [
            tag("p", tag("b", f"Estimate: {tokens} tokens"), f" · {money} · {time}"),
            tag("p", _source(prediction), class_="result-muted"),
            _turns_note(prediction),
            _price_note(prediction),
        ]
    )


def _source(prediction: Forecast) -> str:
    guessed = join_list([model_in_words(model) for model in prediction.from_prompts])
    if not prediction.earlier:
        return "Estimated from prompt length: these models have no results for this benchmark yet."
    rest = f" For {guessed}: from prompt length." if guessed else ""
    return f"Estimated from {quantity(prediction.earlier, 'earlier result')} of this benchmark.{rest}"


def _turns_note(prediction: Forecast) -> Html | None:
    if not prediction.turns_unknown:
        return None
    names = ", ".join(map(model_in_words, prediction.turns_unknown))
    return tag("p", f"Agents take several turns, each resending everything so far: {names}.", class_="result-muted")


def _price_note(prediction: Forecast) -> Html | None:
    if not prediction.unpriced:
        return None
    names = join_list([model_in_words(model) for model in prediction.unpriced])
    return tag("p", f"No price for {names}. ", link(PAGE, "Enter prices"), class_="result-muted")


def _format_amount(amount: Range, spoken: Callable[[float], str], *, least: bool) -> str:
    """Format a range: `at least $0.10`, `$0.10 to $0.25`."""
    low, high = (spoken(end) for end in _ends(amount))
    return f"at least {low}" if least else _format_range(low, high)


def _format_range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _ends(amount: Range) -> tuple[float, float]:
    return amount.low, amount.high


def _round(number: float) -> int:
    """Round to two significant digits: more would suggest precision that the forecast lacks."""
    return int(float(f"{number:.1e}"))


def _name(model: ModelConfig) -> str:
    return f"{model.interface}:{model.model_name}"
