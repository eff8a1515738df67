"""HTML of a run's plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karenina_gui.gui.kit.html import Html, icon, join_html, link, tag
from karenina_gui.gui.pages.models.model_urls import address_by_name
from karenina_gui.gui.pages.questions.rows import shown_title
from karenina_gui.gui.pages.run_setup.agent_text import set_root, started_programs, workspace_text
from karenina_gui.gui.pages.run_setup.forecasting import forecast_view
from karenina_gui.gui.pages.run_setup.options import OPTIONS
from karenina_gui.gui.pages.run_setup.plan import Plan, left_out, live_judges
from karenina_gui.runs.call_estimate import PURPOSE_TEXTS
from karenina_gui.runs.models import takes_seed
from karenina_gui.runs.selection import REASON_TEXTS
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import join_list, quantity

LISTED = 30
"""Maximum number of listed questions per reason."""


def plan_view(plan: Plan, benchmark_id: int, *, tried: bool = False) -> Html:
    """HTML of the whole plan. `tried`: the user wanted to start it, so what stands against it is a problem by now."""
    return join_html(
        [
            tag("h2", "Run plan", class_="h2"),
            _headline(plan),
            *(
                _left_out("" if plan.lacks_all else REASON_TEXTS[reason], ids, plan.questions, benchmark_id)
                for reason, ids in left_out(plan.selection).items()
            ),
            _without_id(plan.without_id, benchmark_id) if plan.without_id else None,
            _hopeless(plan, benchmark_id),
            _work(plan, benchmark_id) if plan.answers else None,
            # Incomplete as long as templates are unchecked.
            None if plan.unknown else _problems(plan, benchmark_id, tried=tried),
        ]
    )


def _work(plan: Plan, benchmark_id: int) -> Html:
    """Describe the jobs, their calls, and who does them."""
    return join_html(
        [
            _job_count(plan),
            None if plan.unknown else _calls(plan),
            _agents(plan, benchmark_id),
            _judging(plan) if plan.judge_calls else None,
        ]
    )


def _problems(plan: Plan, benchmark_id: int, *, tried: bool) -> Html:
    """Obstacles, then doubts, each with links to solve it."""
    obstacle = ("error", "note note-bad") if tried else ("radio_button_unchecked", "note")
    problems = (*plan.obstacles, *plan.doubts)
    unnamed = [variable for variable in plan.lacking_keys if not any(variable in problem for problem in problems)]
    return join_html(
        [
            *(_problem(text, *obstacle, plan.lacking_keys) for text in plan.obstacles),
            tag("p", set_root(benchmark_id)) if plan.lacking_root else None,
            *(_problem(text, "warning", "note note-warn", plan.lacking_keys) for text in plan.doubts),
            *map(_enter_key, unnamed),
        ]
    )


def _problem(text: str, glyph: str, look: str, lacking_keys: Sequence[str]) -> Html:
    """Sentence about a problem, with links to enter the keys that it names."""
    links = (_enter_key(variable) for variable in lacking_keys if variable in text)
    return tag("div", icon(glyph), tag("div", text, *links), class_=look)


def _enter_key(variable: str) -> Html:
    return tag("div", link(f"/keys?enter={variable}", f"Enter {variable}"))


def headline(plan: Plan) -> str:
    """Sentence `11 of 12 questions will run.`; empty: none will, as an obstacle says."""
    chosen, out = len(plan.selection.chosen), len(plan.selection.left_out) + len(plan.without_id)
    if plan.refused:
        return "Fix these problems first:"
    if not chosen:
        return ""
    if not out:
        return f"{quantity(chosen, 'question')} will run."
    return f"{chosen:,} of {quantity(chosen + out, 'question')} will run."


def _headline(plan: Plan) -> Html | None:
    text = headline(plan)
    return tag("p", text, class_="run-form-headline") if text else None


def _left_out(why: str, ids: list[str], questions: Mapping[str, QuestionSummary], benchmark_id: int) -> Html:
    """List of questions. `why` empty: an obstacle says it."""
    title = f"{len(ids):,} skipped: {why}" if why else quantity(len(ids), "question")
    return _questions(title, ids, questions, benchmark_id)


def _hopeless(plan: Plan, benchmark_id: int) -> Html | None:
    """Name the questions that no answer passes."""
    if not (ids := plan.hopeless):
        return None
    title = f"{quantity(len(ids), 'question')} can’t pass: the template rejects its own expected values"
    listed = _questions(title, ids, plan.questions, benchmark_id, part="?tab=template")
    return tag("div", icon("warning"), listed, class_="note note-warn")


def _without_id(rows: Sequence[QuestionSummary], benchmark_id: int) -> Html:
    """Sentence about questions without text."""
    numbered = {str(row.number): row for row in rows}
    return _left_out("no text yet, or an unedited copy", list(numbered), numbered, benchmark_id)


def _questions(
    title: str, ids: list[str], questions: Mapping[str, QuestionSummary], benchmark_id: int, *, part: str = ""
) -> Html:
    """Collapsed list of questions; `part`: the part of the question page to which links lead."""
    entries = [
        tag("li", _question_title(row, f"/benchmarks/{benchmark_id}/questions/{row.number}{part}"))
        for question_id in ids[:LISTED]
        if (row := questions.get(question_id))
    ]
    rest = tag("li", f"and {len(ids) - LISTED:,} more") if len(ids) > LISTED else None
    return tag("details", tag("summary", title), tag("ul", *entries, rest), class_="run-form-left-out")


def _question_title(row: QuestionSummary, address: str) -> Html:
    """Question with a link to it, if it is still in the benchmark."""
    title = shown_title(row, row.text)
    return link(address, title) if row.number else join_html([title])


def _job_count(plan: Plan) -> Html:
    config = plan.config
    factors = [
        (quantity(len(plan.selection.chosen), "question"), True),
        (quantity(len(config.answering_models), "model"), True),
        (quantity(len(config.conditions), "condition"), bool(config.conditions)),
        (quantity(len(config.parsing_models), "judge"), len(config.parsing_models) > 1),
        (quantity(config.replicate_count, "replicate"), config.replicate_count > 1),
        (quantity(config.judge_replicates, "judgment"), config.judge_replicates > 1 and bool(config.parsing_models)),
    ]
    text = " × ".join(word for word, visible in factors if visible)
    return tag("p", tag("b", quantity(plan.jobs, "job")), f" = {text}")


def _calls(plan: Plan) -> Html:
    judge = quantity(plan.judge_calls, "judge call")
    calls = [quantity(plan.answers, "answer"), f"up to {judge}" if plan.judge_calls else "no judge call"]
    if not plan.needs_judge and not plan.selection.trait_calls and plan.selection.chosen:
        calls[1] = "no judge call: no selected template or trait needs one"
    spent = (
        None
        if plan.live or not plan.answers
        else tag("p", "All replies come from recordings: no model is called, at no cost.")
    )
    expected = forecast_view(plan.forecast) if plan.forecast else None
    return join_html(
        [tag("p", f"{calls[0]}, {calls[1]}."), _purposes(plan), _investigations(plan), _depth(plan), expected, spent]
    )


def _investigations(plan: Plan) -> Html | None:
    """Note about calls that are not counted."""
    # The number of an agent's turns is unknown in advance.
    if not plan.investigations:
        return None
    looks = quantity(plan.investigations, "investigation")
    return tag("p", f"Plus up to {looks} by judging agents, several calls each.")


def _depth(plan: Plan) -> Html | None:
    """List traits with deep judgment, and those that request it without effect."""
    deep, plain = plan.selection.deep_traits, plan.selection.plain_traits
    sentences = []
    if deep:
        sentences.append(f"Deep judgment for {_quote_names(deep)}.")
    if plain:
        title = OPTIONS["deep_judgment_rubric_mode"].title
        sentences.append(f"No deep judgment for {_quote_names(plain)}, because of this run’s “{title}” setting.")
    return tag("p", " ".join(sentences)) if sentences else None


def _quote_names(traits: Sequence[str]) -> str:
    rest = [f"{len(traits) - LISTED:,} more"] if len(traits) > LISTED else []
    return join_list([*(f"“{name}”" for name in traits[:LISTED]), *rest])


def _agents(plan: Plan, benchmark_id: int) -> Html:
    """Describe the agents, their workspaces, and the programs that they start."""
    missing = plan.without_folder
    folders = f"{quantity(len(missing), 'question')} without a folder"
    has_root = plan.in_workspaces and not plan.lacking_root
    return join_html(
        [
            tag("p", workspace_text(plan.root, copies=plan.config.workspace_copy)) if has_root else None,
            started_programs(plan.programs),
            _questions(folders, missing, plan.questions, benchmark_id, part="?tab=workspace") if missing else None,
        ]
    )


def _judging(plan: Plan) -> Html | None:
    """Describe the judges' sampling: one temperature, or each judge's own, whose variance adds to that of answers."""
    judges = live_judges(plan.config)
    if plan.config.fixed_judges:
        return tag("p", _fixed_sampling(judges)) if judges else None
    warm = [judge for judge in judges if judge.temperature]
    if not warm:
        return None
    named = (join_html([", " if at else None, _to_model(model)]) for at, model in enumerate(warm))
    why = (
        "Judges use their own temperature, so their randomness adds to the variation between answers. Turn on fixed "
        "judge sampling, or set temperature 0 for "
    )
    return tag("div", icon("info"), tag("div", why, *named, "."), class_="note")


def _fixed_sampling(judges: Sequence[ModelConfig]) -> str:
    """Sentence `Judges run at temperature 0 with a fixed seed, …`"""
    unset = [str(judge.id) for judge in judges if judge.temperature is None]
    seedless = [str(judge.id) for judge in judges if not takes_seed(judge)]
    seed = " with a fixed seed" if len(seedless) < len(judges) else ""
    text = f"Judges run at temperature 0{seed}, so variation comes mostly from the answers."
    if unset:
        text += f" Not sent, as set on the Models page: a temperature to {join_list(unset)}."
    return f"{text} No seed is sent to {join_list(seedless)}: the provider doesn’t support one." if seedless else text


def _to_model(judge: ModelConfig) -> Html:
    name = str(judge.id)
    return join_html([link(address_by_name(name), name), f" ({judge.temperature:g})"])


def _purposes(plan: Plan) -> Html | None:
    """Numbers of calls by purpose, if there are several purposes."""
    calls = plan.calls_by_purpose
    if len(calls) < 2:
        return None
    return tag(
        "ul",
        *(tag("li", tag("b", f"{calls[purpose]:,}"), f" {PURPOSE_TEXTS[purpose]}") for purpose in calls),
        class_="run-form-calls muted",
    )
