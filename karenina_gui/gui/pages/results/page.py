"""Page of one result: verdict, stages, comparison, and the conversation or an agent's panes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import ui

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.calibration_links import calibration_address
from karenina_gui.gui.kit.clipboard import copy_text
from karenina_gui.gui.kit.elements import button, icon_button, pane, splitter
from karenina_gui.gui.kit.expected_found import field_rows
from karenina_gui.gui.kit.html import Html, icon, join_html, link, table, tag
from karenina_gui.gui.pages.benchmarks.deleted_page import RUN_COMES_BACK, absence_note
from karenina_gui.gui.pages.results import sections
from karenina_gui.gui.pages.results.conversation import final_label, sent_label
from karenina_gui.gui.pages.results.evidence_markup import evidence
from karenina_gui.gui.pages.results.investigations import InvestigationPane, agent_facts, investigations
from karenina_gui.gui.pages.results.judged_text import ending
from karenina_gui.gui.pages.results.justification_api import is_agentic
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.results.stage_names import plain_reason
from karenina_gui.gui.pages.results.trace_view import TraceView, TraceWords
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.schemas.messages import final_answer_of_text
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.result import ResultTemplate, VerificationResult
from karenina_gui.schemas.result_summaries import Neighbours, ResultFilter, ResultSummary, StoredResult
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.schemas.sample_answer import SampleAnswer
from karenina_gui.schemas.workspace import ResultWorkspace
from karenina_gui.static_files import static_folder
from karenina_gui.text import quantity, size_in_words

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

Row = tuple[str, str, str]
View = tuple[str, str, Callable[[], ui.element]]
"""Name, title and drawing function."""


@dataclass(frozen=True, slots=True)
class ResultView:
    """Result with the context of its run."""

    stored: StoredResult
    run: RunSummary
    neighbours: Neighbours
    """Neighbors in the table that the user came from."""
    relatives: Sequence[ResultSummary]
    """All results of the same question in the run."""
    query: ResultQuery
    prices: Mapping[str, Price]
    """Prices by model, as named in results."""
    question_number: int | None
    """None: the question is no longer in its benchmark."""
    version: str
    """Published version of the benchmark that the run asked; empty: nothing was published before."""

    @property
    def question_address(self) -> str | None:
        """Address of the question; None: it is no longer in its benchmark."""
        if self.question_number is None:
            return None
        return f"/benchmarks/{self.run.benchmark_id}/questions/{self.question_number}"


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}/results/{id}`; the query is that of the table that the user came from."""
    view = look_up(window, route["r"], route["id"], ResultQuery.from_query(route.query))
    if not view.run.benchmark_deleted:
        window.enter(view.run.benchmark_id)
    absence_note(window, view.run.benchmark_id, RUN_COMES_BACK)
    with pane("Result"):
        _draw_bar(window, view)
        ui.html(sections.head(view.stored, view.run.judge_replicates, view.version)).classes("result-head edge wide")
        with splitter(window, "result", 52, limits=(25, 80)) as panes:
            with panes.before, pane("Verdict", classes="scroll") as scrolled:
                scrolled.props('tabindex="0"')
                ui.html(_report(view)).classes("full-width")
            with panes.after:
                _right(window, view)
        for command, target in (
            ("question.next", view.neighbours.next),
            ("question.previous", view.neighbours.previous),
        ):
            if target is not None:
                window.register_command(command, partial(ui.navigate.to, _address(view, target)))


def _right(window: Window, view: ResultView) -> None:
    result = view.stored.result
    address = f"/api/results/{view.stored.summary.id}"

    def answer() -> TraceView:
        return TraceView(
            f"{address}/conversation",
            empty=plain_reason(result.error or "") or "No trace: the model was not reached.",
            facts=agent_facts(result),
            ended=ending(result),
            labels=TraceWords(told=sent_label(result), last=final_label(result)),
        )

    if is_agentic(result):
        root = _root(window, view.run)
        evidence_view(result, address, answer, question_address=view.question_address, root=root)
    else:
        answer()


def _root(window: Window, run: RunSummary) -> Path | None:
    return None if run.benchmark_deleted else window.services.editor.workspaces.root(run.benchmark_id)


def look_up(window: Window, run_id: int, result_id: int, query: ResultQuery) -> ResultView:
    """Load a result with its context. Raises `NotFoundError` if it does not exist."""
    library = window.services.library
    stored = library.results.get(result_id)
    # The URL names the run too; with another run, links back would lead to the wrong table.
    if stored.summary.run_id != run_id:
        raise NotFoundError(f"Run {run_id} has no result {result_id}.")
    run = library.runs.summary(run_id)
    same_question = ResultFilter(question_id=stored.summary.question_id)
    return ResultView(
        stored,
        run,
        library.results.neighbours(run_id, result_id, query.filter, query.sort),
        library.results.page(run_id, same_question).rows,
        query,
        window.services.runs.prices.all(),
        _question_number(window, run, stored.summary.question_id),
        library.published.state_of_run(run).text,
    )


def _question_number(window: Window, run: RunSummary, question_id: str) -> int | None:
    try:
        return window.services.library.questions.number_of(run.benchmark_id, question_id)
    except NotFoundError:
        return None


def _calibrations(view: ResultView) -> dict[str, str]:
    """Addresses by trait at which its judge is compared with labels."""
    rubric, number = view.stored.result.rubric, view.question_number
    if rubric is None or number is None:
        return {}
    origins = rubric.trait_provenance or {}
    # Parts of a structured score have a dot in their names, and no calibration.
    names = [
        name for name in {**(rubric.llm_trait_scores or {}), **(rubric.regex_trait_scores or {})} if "." not in name
    ]

    def target(name: str) -> CalibrationTarget:
        is_own = origins.get(name) == "question_specific"
        return CalibrationTarget(view.run.benchmark_id, number if is_own else None, "trait", name)

    return {name: calibration_address(target(name)) for name in names}


def _draw_bar(window: Window, view: ResultView) -> None:
    with ui.element("div").classes("bar result-bar gap-4"):
        ui.html(_bar(view)).classes("result-links line grow")
        if view.question_address and can_keep(view.stored):
            keep = partial(keep_sample, window, view.stored, view.run)
            button("Keep as sample", keep, icon="bookmark_add", look="quiet").tooltip(
                "Test the template of the question on this answer from now on (A)"
            )
            window.register_command("result.keep", keep)


def _bar(view: ResultView) -> Html:
    near = view.neighbours
    position = (
        f"{near.number:,} of {near.total:,}{' in this filter' if view.query.filtered else ''}" if near.number else ""
    )
    question, back = editor_address(view), view.query.after(f"/runs/{view.run.id}/results")
    parts = [
        link(back, icon("arrow_back"), view.run.title, class_="result-action"),
        tag("span", position, class_="result-muted result-place"),
        _step(view, near.previous, "Previous", ("Previous result (K)", "No previous result"), "chevron_left"),
        _step(view, near.next, "Next", ("Next result (J)", "No next result"), "chevron_right"),
        _export(view),
        link(question, icon("edit"), "Open question", class_="result-action") if question else None,
    ]
    return join_html(parts)


def editor_address(view: ResultView) -> str | None:
    """Address of the question; of a failed result, at the template’s field that failed."""
    result, address = view.stored.result, view.question_address
    if address is None or outcome_of(result) not in ("wrong", "autofail"):
        return address
    failed = [row.name for row in field_rows(result.template) if row.passed is False] if result.template else []
    return f"{address}?{urlencode({'tab': 'template'} | ({'at': f'field:{failed[0]}'} if failed else {}))}"


def _export(view: ResultView) -> Html:
    address = f"/api/runs/{view.run.id}/results/{view.stored.summary.id}.json"
    title = "Export this result and its trace as JSON"
    return link(address, icon("download"), "Export", class_="result-action", download="", title=title)


def _step(view: ResultView, target: int | None, word: str, titles: tuple[str, str], glyph: str) -> Html:
    """Return a link to the previous or next result; `titles`: with and without one."""
    there, missing = titles
    if target is None:
        return tag("span", icon(glyph), word, class_="result-action result-off", title=missing)
    return link(_address(view, target), icon(glyph), word, class_="result-action", title=there)


def _address(view: ResultView, result_id: int) -> str:
    return view.query.after(f"/runs/{view.run.id}/results/{result_id}")


def _report(view: ResultView) -> Html:
    result = view.stored.result
    blocks = [
        (sections.problem_title(result), sections.problem(result)),
        ("Fields", sections.fields(result)),
        ("Patterns", sections.patterns(result)),
        ("Answer", sections.answer(result)),
        ("Reference answer", sections.reference(result)),
        ("Checks", checks(result)),
        ("Quotes", evidence(result)),
        ("Traits", sections.traits(result, _calibrations(view))),
        ("Same question in this run", sections.relatives(view.stored, view.relatives)),
        ("Tokens and cost", sections.tokens(result, view.prices)),
    ]
    return join_html(_block(name, content) for name, content in blocks if content is not None)


def _block(name: str, content: Html) -> Html:
    return tag(
        "section", tag("h2", name, class_="result-heading hint"), content, class_="result-block", aria_label=name
    )


def checks(result: VerificationResult) -> Html | None:
    """Return the table of checks, also for answers without extracted fields. None: no check ran."""
    template = result.template
    rows = list(_rows(template)) if template else []
    if template is None or not rows:
        return None
    made = table(("Check", "Found", "Why"), rows, caption="Checks")
    has_similarity = template.embedding_similarity_score is not None
    return join_html([made, tag("p", CAUTION, class_="result-muted result-after") if has_similarity else None])


CAUTION = "Similarity cannot distinguish a meaning from its opposite, so an answer passes only if a judge confirms it."


def _rows(template: ResultTemplate) -> Iterator[Row]:
    if template.abstention_check_performed or template.abstention_reasoning:
        result = "refusal" if template.abstention_detected else "no refusal"
        yield "Refusal check", result, template.abstention_reasoning or ""
    if template.sufficiency_check_performed or template.sufficiency_reasoning:
        result = "insufficient" if template.sufficiency_detected is False else "sufficient"
        yield "Sufficiency check", result, template.sufficiency_reasoning or ""
    if template.embedding_similarity_score is not None:
        result = _similarity(template, template.embedding_similarity_score)
        yield "Embedding check", result, _embedding_verdict(template)


def _similarity(template: ResultTemplate, score: float) -> str:
    by = f" ({template.embedding_model_used})" if template.embedding_model_used else ""
    return f"similarity {score:.2f}{by}"


def _embedding_verdict(template: ResultTemplate) -> str:
    """Return whether the judge confirmed the same meaning, in words."""
    if not template.embedding_check_performed:
        return "No judge could be asked, so the fields’ verdicts did not change."
    if template.embedding_override_applied:
        return "The judge confirmed that the found and expected values mean the same."
    usage = template.usage_metadata
    if not usage:
        return "The fields’ verdicts did not change."
    # Only the judge's tokens show whether it was asked.
    if "embedding_check" in usage:
        return "The judge did not confirm that they mean the same."
    return "The similarity was too low to ask the judge."


def can_keep(stored: StoredResult) -> bool:
    """True if the result has an answer."""
    return bool(stored.result.template and stored.result.template.raw_llm_response)


def sample_from(result: VerificationResult, run_name: str) -> SampleAnswer:
    """Return the answer as a sample; its verdict in the run is the expected one until the author decides otherwise."""
    assert result.template is not None
    passes = result.template.verify_result is True
    text = result.template.raw_llm_response or ""
    if final_answer_of_text(text)[0] is None:  # of a recorded dialogue, an earlier message was judged
        text = result.evaluation_input or text
    return SampleAnswer(
        kind="correct" if passes else "wrong",
        text=text,
        passes=passes,
        values=result.template.parsed_llm_response,
        judge=result.metadata.parsing.label if result.metadata.parsing else None,
        origin=f"{run_name}: {result.metadata.answering.label}",
    )


async def keep_sample(window: Window, stored: StoredResult, run: RunSummary) -> None:
    """Add the answer to the samples of its question, with undo."""
    editor, library = window.services.editor, window.services.library
    sample = sample_from(stored.result, run.name)
    # The question may have another number in its benchmark than when it ran, or be gone.
    try:
        number = library.questions.number_of(run.benchmark_id, stored.summary.question_id)
        await window.write(editor.samples.add, run.benchmark_id, number, sample)
    except InputError as error:
        window.notify(str(error), "bad")
        return
    verdict = "should pass" if sample.passes else "should fail"
    window.notify(
        f"Added as a sample answer that {verdict}.",
        undo=partial(window.write, editor.samples.remove, run.benchmark_id, number, sample.id),
    )


class _Panes(ui.element, component=static_folder() / "evidence_view.js"):
    """Tabs of panes. `url` returns the output of `justified`; each view is in the slot of its name."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["panes"] = []

    def pane(
        self, name: str, title: str, views: Sequence[tuple[str, str, Callable[[], ui.element]]], **more: Any
    ) -> None:
        """Add a pane; `more`: `count`, a number beside the title."""
        drawn = []
        for view, view_title, draw in views:
            with self.add_slot(view):
                drawn.append({"name": view, "title": view_title, "id": draw().id})
        self.props["panes"].append({"name": name, "title": title, "views": drawn, **more})


class FileChanges(ui.element, component=static_folder() / "file_changes.js"):
    """List of changed files from `url`, with the lines of each file below."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.props["url"] = url


def evidence_view(
    result: VerificationResult,
    address: str,
    answer: Callable[[], ui.element],
    *,
    question_address: str | None,
    root: Path | None,
) -> None:
    """Draw the panes.

    `address`: URL of the result's data, such as `/api/results/3`. `answer`: draws the conversation. `root`: folder of
    the benchmark's workspaces; None: no workspaces.
    """
    panes, traces = _Panes(f"{address}/evidence"), investigations(result)
    panes.pane("answer", "Answer", [("answer", "Answer", answer)])
    if traces:
        views = [(trace.name, trace.title, _investigation(trace, address)) for trace in traces]
        panes.pane("investigation", "Investigation", views, **({"count": len(traces)} if len(traces) > 1 else {}))
    if result.workspace is not None:
        workspace = result.workspace

        def draw() -> ui.element:
            return _workspace(workspace, f"{address}/workspace", question_address, root)

        views = [("workspace", "Workspace", draw)]
        panes.pane("workspace", "Workspace", views, count=len(workspace.changes))


def _investigation(pane: InvestigationPane, address: str) -> Callable[[], ui.element]:
    return lambda: TraceView(
        f"{address}/investigations/{pane.number}",
        empty="No messages.",
        facts=pane.facts,
        ended=pane.ended,
        labels=TraceWords("Investigation", f"{pane.name}-message", last="report", told="sent to the judge"),
    )


def _workspace(workspace: ResultWorkspace, url: str, question_address: str | None, root: Path | None) -> ui.element:
    view = FileChanges(url)
    with view:
        ui.html(workspace_words(workspace, question_address))
        if (folder := kept_folder(workspace, root)) is not None:
            with ui.element("div").classes("changes-kept line gap-6"):
                ui.html(join_html([icon("folder"), " Saved in ", tag("code", str(folder))]))
                icon_button(
                    "content_copy",
                    "Copy path",
                    partial(copy_text, str(folder), "Copied to clipboard."),
                )
    return view


def kept_folder(workspace: ResultWorkspace, root: Path | None) -> Path | None:
    """Return the folder of the kept workspace on this computer; None: it does not exist."""
    if workspace.kept_at is None or root is None:
        return None
    folder = root / workspace.kept_at
    # A stored path can come from an imported file, and must not lead out of the folder.
    return folder if folder.is_dir() and root.resolve() in folder.resolve().parents else None


def workspace_words(workspace: ResultWorkspace, question_address: str | None) -> Html:
    """Describe whether the workspace was kept, and how to open it."""
    counts = _change_counts(workspace)
    files = quantity(workspace.files, "file")
    began: Html | str = "It started as an empty folder."
    if workspace.path:
        began = join_html(["It started as a copy of ", _folder(workspace.path, question_address), "."])
    changed = f"The agent left {files} ({size_in_words(workspace.size)}): {counts}."
    if not counts:
        changed = f"The agent changed nothing: {files} ({size_in_words(workspace.size)})."
    noun = "copy" if workspace.path else "folder"
    gone = f"The {noun} was deleted after the job; only the changes below are saved."
    if workspace.kept_at:
        gone = f"The folder is saved as {workspace.kept_at}."
    own = _own_tools(workspace)
    notes = tag("ul", *(tag("li", note) for note in workspace.notes)) if workspace.notes else None
    return join_html([tag("p", changed, " ", began, " ", gone), tag("p", own) if own else None, notes])


def _change_counts(workspace: ResultWorkspace) -> str:
    """Format `2 added, 1 deleted`; empty: nothing was changed."""
    counts = {
        kind: sum(change.kind == kind for change in workspace.changes) for kind in ("added", "modified", "deleted")
    }
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def _own_tools(workspace: ResultWorkspace) -> str | None:
    """Return a sentence about Claude Code's own tools; None: none were enabled."""
    if workspace.claude_code_tools is None:
        return None
    if not workspace.claude_code_tools:
        return (
            "Claude Code’s own tools were off: they could not be sandboxed, and the run did not allow them unsandboxed."
        )
    where = "in a sandbox" if workspace.claude_code_sandboxed else "without a sandbox"
    return f"Claude Code’s own tools were on, {where}: {', '.join(workspace.claude_code_tools)}."


def _folder(path: str, question_address: str | None) -> Html:
    name = tag("code", path)
    return link(f"{question_address}?tab=workspace", name) if question_address else name
