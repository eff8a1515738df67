"""Result of agents: six tool calls in a workspace, an investigation of three fields, another of two traits.

File names, texts and values contain markup that must never be rendered.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

from karenina_gui.app import Application
from karenina_gui.formats.results.json_writer import write_results_json
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.runs.results_import import questions_of
from karenina_gui.schemas.messages import (
    Message,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    render_trace,
    to_stored,
)
from karenina_gui.schemas.result import (
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    TraitScale,
    VerificationResult,
)
from karenina_gui.schemas.result_evidence import Investigation
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import FileChange, ResultWorkspace
from karenina_gui.traces.metrics import trace_metrics

QUESTION = "How many patients of the trial responded, and which dose did they get on average?"
HOSTILE = "<img src=x onerror=alert(1)>"

CSV = ["patient,dose_mg,responded", *(f"p{n:03},{100 + n % 7 * 50},{'yes' if n % 3 else 'no'}" for n in range(1, 61))]
SCRIPT = ["import csv", "", "rows = list(csv.DictReader(open('trial.csv')))", "print(len(rows))"]
SCRIPT_AFTER = [
    *SCRIPT[:3],
    "hits = [r for r in rows if r['responded'] == 'yes']",
    f"print(len(hits))  # {HOSTILE}",
    *SCRIPT[3:],
]
SUMMARY = [
    "# Summary",
    "",
    "responders: 1040",
    "mean_dose: 247.5",
    "unit: mg",
    "",
    *(f"p{n:03} ok" for n in range(1, 120)),
]

REPORT = f"""\
I read the data again and ran the script. 🧪 {HOSTILE}

**responders**: 1040
Evidence: summary.md:3, and `analysis/count.py`, lines 4 to 5. The data themselves are in trial.csv, line 2.

**mean_dose**: 247.5
Evidence: line 4 of summary.md

Nothing else was looked at."""

TRAIT_REPORT = """\
Reproducible: yes. I ran analysis/count.py twice, and it printed the same both times.

Careful: 4 of 5. The script counts, but no missing values are looked for (analysis/count.py:3)."""


def opened(application: Application, folder: Path, results: Sequence[VerificationResult]) -> int:
    """Import the results as a run of the library; returns the run's id."""
    path = folder / "agents.json"
    with path.open("wb") as file:
        write_results_json(results, file, run=RunInfo("agents", "Agents", VerificationConfig(), started=0, finished=9))
    saved = SavedResults(path)
    found = saved.look()
    benchmark = application.editor.files.add_benchmark(questions_of(found, "Work of agents"))
    (run,) = application.runs.opener.open(found, saved.each(), benchmark)
    return run


def agentic_result(**changes: Any) -> VerificationResult:
    """The complete result. `changes`: fields with other values."""
    answering, judging = answer(), investigation()
    whole = VerificationResult(
        metadata=ResultMetadata(
            question_id="trial",
            question_text=QUESTION,
            template_id="t",
            raw_answer="1,040 responded; 247.5 mg",
            answering=ModelIdentity(interface="openai_endpoint", model_name="analyst"),
            parsing=ModelIdentity(interface="openai_endpoint", model_name="auditor"),
            timestamp="2026-03-01 12:00:00",
            execution_time=83.2,
        ),
        template=ResultTemplate(
            raw_llm_response=render_trace(answering),
            trace_messages=to_stored(answering),
            conversation_context=to_stored([Message.of("user", QUESTION)]),
            parsed_llm_response={"responders": 1040, "mean_dose": 247.5, "complete": True},
            parsed_gt_response={"responders": 1040, "mean_dose": 250.0, "complete": True},
            field_results={"responders": True, "mean_dose": False, "complete": True},
            template_verification_performed=True,
            verify_result=False,
            agentic_parsing_performed=True,
            investigation_trace=render_trace(judging),
            agent_metrics=trace_metrics(answering, limit_reached=False),
        ),
        rubric=ResultRubric(
            rubric_evaluation_performed=True,
            agentic_trait_scores={"Reproducible": True, "Careful": 4},
            agentic_trait_investigation_traces=dict.fromkeys(("Reproducible", "Careful"), render_trace(of_traits())),
            trait_scales={
                "Reproducible": TraitScale(kind="boolean", higher_is_better=True),
                "Careful": TraitScale(kind="score", min_score=1, max_score=5, higher_is_better=True),
            },
        ),
        workspace=workspace(),
        investigations=[
            Investigation(
                subject="template", model="auditor", messages=to_stored(judging), turns=5, seconds=41.5
            ),
            Investigation(
                subject="traits", traits=["Reproducible", "Careful"], model="auditor", messages=to_stored(of_traits()),
                turns=2, seconds=12,
            ),
        ],
    )  # fmt: skip
    return whole.model_copy(update=changes)


def answer() -> list[Message]:
    """Six calls, one of which fails."""
    return [
        *call(1, "list_files", {}, "analysis/count.py\ntrial.csv", thinking="What is there?"),
        *call(2, "read_file", {"path": "trial.csv"}, "\n".join(CSV)),
        *call(3, "run_command", {"command": "python count.py"}, "python: can't open file 'count.py'", failed=True),
        *call(4, "run_command", {"command": "python analysis/count.py"}, "60"),
        *call(5, "write_file", {"path": "analysis/count.py", "text": "\n".join(SCRIPT_AFTER)}, "written"),
        *call(6, "write_file", {"path": "summary.md", "text": "\n".join(SUMMARY)}, '{"path":"summary.md","size":1180}'),
        said(7, "assistant", f"1040 patients responded, on 247.5 mg on average. {HOSTILE}"),
    ]


def investigation() -> list[Message]:
    """Five turns, one of which fails. `complete` is not reported."""
    return [
        Message.of("system", "You verify the work of an agent in its workspace. Report field by field."),
        Message.of("user", f"{QUESTION}\n\nThe workspace is /workspace."),
        *call(1, "list_files", {}, "analysis/count.py\nplot.png\nsummary.md\ntrial.csv"),
        *call(2, "read_file", {"path": "summary.md"}, "\n".join(SUMMARY)),
        *call(3, "read_file", {"path": "old.md"}, "There is no file old.md.", failed=True),
        *call(4, "run_command", {"command": "python analysis/count.py"}, "1040\n60"),
        said(5, "assistant", REPORT),
    ]


def of_traits() -> list[Message]:
    return [
        Message.of("system", "You judge how an agent has worked."),
        *call(1, "run_command", {"command": "python analysis/count.py"}, "1040\n60"),
        said(2, "assistant", TRAIT_REPORT),
    ]


def workspace() -> ResultWorkspace:
    """Four changes: one binary file, one deletion."""
    return ResultWorkspace(
        path="trial",
        files=4,
        size=48_211,
        changes=[
            change("analysis/count.py", SCRIPT, SCRIPT_AFTER),
            change("notes.tmp", ["Look here first."], None),
            FileChange(
                path="plot.png", kind="added", size_after=45_000, note="No text, so its contents are not shown."
            ),
            change("summary.md", None, SUMMARY),
        ],
        notes=["Neither files nor links, so not looked at: a pipe."],
        kept_at="trial_run_20260301_120000_pid7",
    )  # fmt: skip


def change(path: str, before: list[str] | None, after: list[str] | None, *, whole: bool = True) -> FileChange:
    """A text file; None: it does not exist."""
    kind = "added" if before is None else "deleted" if after is None else "modified"
    sizes = [None if lines is None else sum(len(line.encode()) + 1 for line in lines) for lines in (before, after)]
    text = diff(before or [], after or [], around=3 if not whole else 100_000)
    return FileChange(path=path, kind=kind, size_before=sizes[0], size_after=sizes[1], diff=text, whole=whole)


def diff(before: list[str], after: list[str], around: int = 100_000) -> str:
    return "\n".join(unified_diff(before, after, "before", "after", n=around, lineterm="")) + "\n"


def call(
    number: int, name: str, arguments: dict[str, Any], result: str, *, failed: bool = False, thinking: str = ""
) -> list[Message]:
    """A turn that calls a tool, and the tool's result."""
    identity = f"call-{number}"
    thoughts = [ThinkingBlock(thinking=thinking)] if thinking else []
    turn = (*thoughts, ToolUseBlock(id=identity, name=name, input=arguments))
    outcome = ToolResultBlock(tool_use_id=identity, content=result, is_error=failed)
    return [
        Message(role="assistant", content=turn, usage_metadata={"total_tokens": 900 + number}, timestamp=at(number)),
        Message(role="tool", content=(outcome,), timestamp=at(number, 4)),
    ]


def said(number: int, role: Role, text: str) -> Message:
    return Message(
        role=role, content=(TextBlock(text=text),), usage_metadata={"total_tokens": 1204}, timestamp=at(number)
    )


def at(minute: int, second: int = 0) -> str:
    return f"2026-03-01T11:{minute:02}:{second:02}+00:00"
