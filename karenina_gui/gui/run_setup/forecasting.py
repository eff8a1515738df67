"""Forecast of a run's cost and duration before it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karenina_gui.analysis.forecast import EarlierResult, Forecast, Range, Work, forecast
from karenina_gui.gui.components.html import Html, join_html, link, tag
from karenina_gui.gui.prices.price_text import PAGE, in_dollars, model_in_words
from karenina_gui.gui.run_setup.plan import Plan
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
    length = sum(len(plan.questions[each].text) for each in chosen if each in plan.questions) / max(1, len(chosen))
    asked = effective_models(config).values()
    found = [
        Work(
            model=_name(model),
            answers=len(chosen) * config.replicate_count,
            prompt=round(length + len(model.system_prompt or "")),
            max_tokens=model.max_tokens,
            agent=is_agent(model),
        )
        for model in asked
    ]
    judges = len(config.parsing_models)
    found += [
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
    return found


def forecast_view(found: Forecast) -> Html:
    """HTML of a forecast: `Estimate: 40,000 to 65,000 tokens · $0.10 to $0.25 · 2 to 5 min`, and its basis."""
    least = bool(found.turns_unknown)
    money = "cost unknown" if found.dollars is None else _format_amount(found.dollars, in_dollars, least=least)
    time = (
        "time unknown"
        if found.seconds is None
        else _format_range(*(rough_duration(each) for each in _ends(found.seconds)))
    )
    tokens = _format_amount(found.tokens, lambda number: f"{_round(number):,}", least=least)
    return join_html(
        [
            tag("p", tag("b", f"Estimate: {tokens} tokens"), f" · {money} · {time}"),
            tag("p", _source(found), class_="result-muted"),
            _turns_note(found),
            _price_note(found),
        ]
    )


def _source(found: Forecast) -> str:
    guessed = join_list([model_in_words(each) for each in found.from_prompts])
    if not found.earlier:
        return "Estimated from prompt length: these models have no results for this benchmark yet."
    rest = f" For {guessed}: from prompt length." if guessed else ""
    return f"Estimated from {quantity(found.earlier, 'earlier result')} of this benchmark.{rest}"


def _turns_note(found: Forecast) -> Html | None:
    if not found.turns_unknown:
        return None
    names = ", ".join(map(model_in_words, found.turns_unknown))
    return tag("p", f"Agents take several turns, each resending everything so far: {names}.", class_="result-muted")


def _price_note(found: Forecast) -> Html | None:
    if not found.unpriced:
        return None
    names = join_list([model_in_words(each) for each in found.unpriced])
    return tag("p", f"No price for {names}. ", link(PAGE, "Enter prices"), class_="result-muted")


def _format_amount(found: Range, spoken: Callable[[float], str], *, least: bool) -> str:
    """Format a range: `at least $0.10`, `$0.10 to $0.25`."""
    low, high = (spoken(each) for each in _ends(found))
    return f"at least {low}" if least else _format_range(low, high)


def _format_range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _ends(found: Range) -> tuple[float, float]:
    return found.low, found.high


def _round(number: float) -> int:
    """Round to two significant digits: more would suggest precision that the forecast lacks."""
    return int(float(f"{number:.1e}"))


def _name(model: ModelConfig) -> str:
    return f"{model.interface}:{model.model_name}"
