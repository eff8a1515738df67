"""`agentic-rubric-evaluation.md`, sections 2 and 5: investigation of a trait and extraction of its score."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from karenina_gui.adapters.ports import AgentResult, LLMRequest, LLMResponse, ParserPort
from karenina_gui.errors import ProviderError, RunCancelled, ToolServerError
from karenina_gui.judging.trace_file import TraceFile, write_trace_file
from karenina_gui.rubric.agentic import AgenticTask, AgenticTraitEvaluator, scalar_form
from karenina_gui.rubric.llm_template import FieldForm
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric
from tests.pipeline.agentic_job import ANSWER, REFERENCE, Overheard, Stagehand, looked, overheard_by, reports, stagehand
from tests.pipeline.scripted_peer import AgentRun

REPORT = "clean: yes (calc.py, line 1)."
FORM = {
    "type": "template",
    "schema": {
        "properties": {
            "bugs": {"type": "integer", "description": "Bugs that are left"},
            "files": {"type": "array", "items": {"type": "string"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        }
    },
}
CLASSES = {"Poor": "Hardly readable", "Fair": "Readable", "Good": "A pleasure"}


def trait(**settings: Any) -> AgenticRubricTrait:
    return AgenticRubricTrait.model_validate(
        {"name": "clean", "description": "Is the code clean?", "kind": "boolean", "higher_is_better": True, **settings}
    )


Make = Callable[..., AgenticTraitEvaluator]


@pytest.fixture
def hand(sandbox: Sandbox, tmp_path: Path) -> Iterator[Stagehand]:
    with stagehand(sandbox, tmp_path / "workspace") as hand:
        yield hand


@pytest.fixture
def make(hand: Stagehand) -> Make:
    """`make(agent=..., reply=..., workspace=..., **values)`: evaluator with a scripted agent and judge."""

    def made(
        *, agent: Any = None, reply: Any = None, workspace: bool = True, judging: dict[str, Any] | None = None,
        instructions: str | None = None, **values: Any,
    ) -> AgenticTraitEvaluator:  # fmt: skip
        context = hand.play(template=None).context
        hand.peer.asked, hand.peer.runs = [], []
        hand.peer.investigate = agent or reports(REPORT)
        hand.peer.reply = lambda model, request: reply(request) if reply else LLMResponse(json.dumps(values), values)
        task = AgenticTask(
            "Mend calc.py.", ANSWER, context.judge, context.judging_view,
            hand.workspace if workspace else None, instructions,
        )  # fmt: skip
        return AgenticTraitEvaluator(hand.peer.config("judge", **(judging or {})), task)

    return made


# ---------------------------------------------------------------- 2. kinds
KINDS: list[tuple[dict[str, Any], dict[str, Any], Any]] = [
    ({"kind": "boolean"}, {"result": True}, True),
    ({"kind": "boolean"}, {"result": False}, False),
    ({"kind": "score"}, {"score": 4}, 4),
    ({"kind": "score", "min_score": 0, "max_score": 3}, {"score": 0}, 0),
    ({"kind": "literal", "classes": CLASSES}, {"classification": "good"}, 2),
    ({"kind": "literal", "classes": CLASSES}, {"classification": "Poor"}, 0),
    (
        {"kind": FORM, "higher_is_better": None},
        {"bugs": 2, "files": ["calc.py"]},
        {"bugs": 2, "files": ["calc.py"], "note": None},
    ),
]


@pytest.mark.parametrize(("settings", "values", "score"), KINDS)
def test_section_2_every_kind_has_its_score(
    make: Make, settings: dict[str, Any], values: dict[str, Any], score: Any
) -> None:
    evaluator = make(**values)
    found, trace = evaluator.evaluate_trait(trait(**settings))
    assert found == score
    assert type(found) is type(score)
    assert trace is not None
    assert trace.endswith(REPORT)
    assert evaluator.scores.problems == []


@pytest.mark.parametrize(("settings", "values", "score"), KINDS)
def test_section_2_an_extraction_by_itself_reads_the_score_from_the_trace_that_it_is_given(
    make: Make, hand: Stagehand, settings: dict[str, Any], values: dict[str, Any], score: Any
) -> None:
    evaluator = make(**values)
    found = evaluator.run_extraction(trait(**settings), "Somebody else has looked into it.")
    assert (found, type(found)) == (score, type(score))
    (request,) = hand.peer.asked
    assert request.purpose == "agentic_rubric_extraction"
    assert "Somebody else has looked into it." in request.messages[1].text
    assert (hand.peer.runs, evaluator.investigations) == ([], [])


@pytest.mark.parametrize("kind", ["boolean", FORM])
def test_section_2_the_investigation_goes_through_the_agent_port_and_the_extraction_through_the_parser_port(
    hand: Stagehand, kind: Any
) -> None:
    heard: list[Overheard] = []
    rated = trait(kind=kind, higher_is_better=None if kind == FORM else True)
    hand.play(
        template=None, rubric=Rubric(agentic_traits=[rated]), evaluation_mode="rubric_only", change=overheard_by(heard),
        values={"result": True, "bugs": 1, "files": []},
    )  # fmt: skip
    asked = [(name, model) for name, model in heard[0].opened if name in ("llm", "agent", "parser")]
    assert asked == [("llm", "answerer"), ("agent", "judge"), ("parser", "judge")]
    assert [each for each in vars(ParserPort) if not each.startswith("_")] == ["parse_to_pydantic"]


def test_section_2_a_model_and_a_task_make_an_evaluator_and_there_is_a_third_way_in() -> None:
    assert list(signature(AgenticTraitEvaluator).parameters) == ["model", "task"]
    assert [name for name in vars(AgenticTraitEvaluator) if not name.startswith("_")] == [
        "evaluate_trait", "run_extraction", "run_shared_investigation",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "title", "name"),
    [
        ("boolean", "SingleBooleanScore", "result"),
        ("score", "SingleNumericScore", "score"),
        ("literal", "SingleLiteralClassification", "classification"),
    ],
)
def test_section_2_the_form_of_each_scalar_kind(kind: str, title: str, name: str) -> None:
    schema = scalar_form(trait(kind=kind, classes=CLASSES)).json_schema
    assert (schema["title"], list(schema["properties"])) == (title, [name])


class Findings(BaseModel):
    """Python class of an author, for a trait with a structured score."""

    bugs: int = Field(description="Bugs that are left")
    files: list[str] = []
    note: str | None = None


def test_section_2_a_pydantic_class_is_the_form_of_a_trait(make: Make, hand: Stagehand) -> None:
    rated = AgenticRubricTrait(name="clean", kind=Findings, higher_is_better=None)  # type: ignore[arg-type]
    score, _ = make(bugs=2, note="fine").evaluate_trait(rated)
    assert score == Findings(bugs=2, note="fine").model_dump()
    (request,) = hand.peer.asked
    assert request.json_schema is not None
    assert list(request.json_schema["properties"]) == list(Findings.model_fields)


def test_section_2_forms_are_flat_and_kept_as_their_schema() -> None:
    class Nested(BaseModel):
        inner: Findings

    class Checked(Findings):
        @field_validator("bugs")
        @classmethod
        def _never(cls, value: int) -> int:
            raise AssertionError("code of an author's ran")

    with pytest.raises(ValidationError, match="“inner” of a structured score must be"):
        AgenticRubricTrait(name="x", kind=Nested, higher_is_better=None)  # type: ignore[arg-type]
    kept = AgenticRubricTrait(name="x", kind=Checked, higher_is_better=None)  # type: ignore[arg-type]
    assert isinstance(kept.kind, dict)
    assert FieldForm.of(kept).read({"bugs": 1}, TraitScores()) == {"bugs": 1, "files": [], "note": None}


UNFIT: list[tuple[dict[str, Any], dict[str, Any], Any, str]] = [
    ({"kind": "score"}, {"score": 9}, 9, "outside of 1 to 5. It counts as missing"),
    ({"kind": "score"}, {"score": "many"}, None, "not a whole number"),
    ({"kind": "boolean"}, {"result": 3}, None, "neither true nor false"),
    ({"kind": "boolean"}, {"result": None}, None, "the investigation gave no value"),
    ({"kind": "literal", "classes": CLASSES}, {"classification": "Superb"}, -1, "isn’t one of its classes"),
    ({"kind": FORM, "higher_is_better": None}, {"bugs": "two", "files": None}, {"note": None}, "not a whole number"),
]


@pytest.mark.parametrize(("settings", "values", "score", "problem"), UNFIT)
def test_section_2_a_value_that_does_not_fit_is_said_to(
    make: Make, settings: dict[str, Any], values: dict[str, Any], score: Any, problem: str
) -> None:
    evaluator = make(**values)
    found, trace = evaluator.evaluate_trait(trait(**settings))
    assert found == score
    assert trace is not None
    assert problem in "\n".join(evaluator.scores.problems)
    assert "'clean" in "\n".join(evaluator.scores.problems)
    assert evaluator.scores.faults == {}


def test_section_2_an_unknown_class_has_the_place_minus_one() -> None:
    rated = trait(kind="literal", classes=CLASSES)
    resolve = AgenticTraitEvaluator._resolve_literal_index
    assert [resolve(rated, name) for name in ("Poor", " fair ", "GOOD", "Superb")] == [0, 1, 2, -1]


def test_section_2_a_form_asks_for_every_field_from_the_evidence(make: Make, hand: Stagehand) -> None:
    make(bugs=0, files=[]).evaluate_trait(trait(kind=FORM, higher_is_better=None))
    (request,) = hand.peer.asked
    assert "Fill every field based on evidence from the investigation" in request.messages[0].text
    assert "- bugs: Bugs that are left" in request.messages[1].text
    assert REPORT in request.messages[1].text
    assert "bugs: Bugs that are left" in hand.peer.runs[0].text


# ---------------------------------------------------------------- 2. what the agent is told
def test_section_2_the_agent_is_told_the_trait_and_its_values(make: Make, hand: Stagehand) -> None:
    evaluator = make(judging={"system_prompt": "Be stern."}, instructions="Mind the style.", score=3)
    evaluator.evaluate_trait(trait(kind="score", max_turns=4, timeout_seconds=33))
    (run,) = hand.peer.runs
    system, user = (message.text for message in run.messages)
    assert system.startswith("Be stern.\n\nYou are an evaluation agent.")
    assert system.endswith("Mind the style.")
    assert "Is the code clean?" in system
    assert "Value: a whole number from 1 to 5." in system
    assert "Mend calc.py." in user
    assert (run.config.max_turns, run.config.timeout, run.config.workspace_path) == (4, 33, hand.workspace)
    assert run.config.purpose == "agentic_rubric_investigation"
    assert [request.purpose for request in hand.peer.asked] == ["agentic_rubric_extraction"]


EXPECTED: list[tuple[dict[str, Any], list[str]]] = [
    ({"kind": "boolean"}, ["Value: true or false."]),
    ({"kind": "score", "min_score": 2, "max_score": 7}, ["Value: a whole number from 2 to 7."]),
    ({"kind": "literal", "classes": CLASSES}, ["Value: the name of one of these classes.", "- Good: A pleasure"]),
    ({"kind": FORM, "higher_is_better": None}, ["Value: these fields.", "bugs: Bugs that are left"]),
]


@pytest.mark.parametrize(("settings", "told"), EXPECTED)
def test_section_2_the_agent_is_told_which_kind_of_value_is_expected(
    make: Make, hand: Stagehand, settings: dict[str, Any], told: list[str]
) -> None:
    make().evaluate_trait(trait(**settings))
    system = hand.peer.runs[0].messages[0].text
    assert "You are an evaluation agent." in system
    assert "Is the code clean?" in system
    assert [line for line in told if line in system] == told
    assert [lines[0] for _, lines in EXPECTED if lines[0] in system] == told[:1]


def test_section_2_the_extraction_knows_the_classes_and_nothing_but_the_report(make: Make, hand: Stagehand) -> None:
    make(classification="Fair").evaluate_trait(trait(kind="literal", classes=CLASSES))
    (request,) = hand.peer.asked
    assert "- Good: A pleasure" in request.messages[1].text
    assert REPORT in request.messages[1].text
    assert ANSWER not in request.messages[1].text


def test_section_2_the_extraction_knows_the_range_of_a_score(make: Make, hand: Stagehand) -> None:
    make(score=3).evaluate_trait(trait(kind="score", min_score=2, max_score=7))
    assert "a whole number from 2 to 7" in hand.peer.asked[0].messages[1].text


# ---------------------------------------------------------------- 2. error handling
def breaks(error: Exception) -> Callable[[AgentRun], AgentResult]:
    def run(given: AgentRun) -> AgentResult:
        raise error

    return run


def partial() -> ToolServerError:
    error = ToolServerError("The server 'papers' is gone.", server="papers")
    error.messages = (Message.of("assistant", "I look for myself."),)
    return error


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (ProviderError("no luck", category="rate_limit"), "rate_limit"),
        (partial(), "connection"),
        (ZeroDivisionError("a bug in an adapter"), "unexpected_error"),
    ],
)
def test_section_2_an_investigation_that_breaks_leaves_neither_score_nor_trace(
    make: Make, error: Exception, category: str, caplog: pytest.LogCaptureFixture
) -> None:
    evaluator = make(agent=breaks(error), result=True)
    with caplog.at_level(logging.WARNING, "karenina_gui.rubric.agentic"):
        assert evaluator.evaluate_trait(trait()) == (None, None)
    assert evaluator.scores.faults == {"clean": category}
    assert str(error) in evaluator.scores.problems[0]
    (record,) = [each for each in caplog.records if each.name == "karenina_gui.rubric.agentic"]
    assert (record.levelno, record.exc_info is not None) == (logging.WARNING, True)


def test_section_2_an_investigation_that_breaks_keeps_what_was_said_in_its_record(make: Make) -> None:
    evaluator = make(agent=breaks(partial()))
    evaluator.evaluate_trait(trait())
    (record,) = evaluator.investigations
    assert [message["role"] for message in record.messages] == ["system", "user", "assistant"]
    assert "gone" in (record.error or "")


def test_section_2_an_extraction_that_breaks_leaves_the_trace(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    def reply(request: LLMRequest) -> LLMResponse:
        return LLMResponse("neither fish nor fowl")

    evaluator = make(reply=reply)
    with caplog.at_level(logging.WARNING, "karenina_gui.rubric.agentic"):
        score, trace = evaluator.evaluate_trait(trait())
    assert score is None
    assert trace is not None
    assert trace.endswith(REPORT)
    assert evaluator.scores.faults == {"clean": "parsing"}
    assert "'clean' has no score: it couldn’t be read from the investigation" in evaluator.scores.problems[0]
    assert (caplog.records[-1].levelno, caplog.records[-1].exc_info is not None) == (logging.WARNING, True)


CUT_OFF: list[tuple[dict[str, Any], str]] = [
    ({"limit_reached": True}, "parsing"),
    ({"timeout_reached": True}, "timeout"),
    ({"stop_reason": "max_tokens"}, "parsing"),
]


@pytest.mark.parametrize(("ends", "category"), CUT_OFF)
def test_section_2_an_investigation_that_was_cut_off_leaves_its_trace_and_a_fault(
    make: Make, hand: Stagehand, ends: dict[str, Any], category: str
) -> None:
    evaluator = make(agent=lambda given: AgentResult("", looked(given), **ends), result=True)
    score, trace = evaluator.evaluate_trait(trait())
    assert score is None
    assert trace is not None
    assert "I look for myself." in trace
    assert evaluator.scores.faults == {"clean": category}
    assert "Increase the trait’s turns or time limit" in evaluator.scores.problems[0]
    assert hand.peer.asked == []


@pytest.mark.parametrize("where", ["agent", "reply"])
def test_section_2_a_cancelled_run_is_no_missing_score(make: Make, where: str) -> None:
    def stop(_given: Any) -> Any:
        raise RunCancelled("stop")

    with pytest.raises(RunCancelled):
        make(**{where: stop}).evaluate_trait(trait())


# ---------------------------------------------------------------- 5. context modes
MODES = [("workspace_only", False, True), ("trace_and_workspace", True, True), ("trace_only", True, False)]


@pytest.mark.parametrize(("mode", "trace", "workspace"), MODES)
def test_section_5_what_the_agent_sees(make: Make, hand: Stagehand, mode: str, trace: bool, workspace: bool) -> None:
    make(result=True).evaluate_trait(trait(context_mode=mode))
    (run,) = hand.peer.runs
    assert (ANSWER in run.text) is trace
    assert ("Workspace directory: /workspace" in run.text) is workspace
    assert bool(run.tools) is workspace
    assert "Mend calc.py." in run.text
    assert str(hand.workspace) not in run.text
    assert REFERENCE not in run.text


def test_section_5_without_a_workspace_there_is_nothing_but_the_trace(make: Make, hand: Stagehand) -> None:
    assert make(workspace=False, result=True).evaluate_trait(trait())[0] is True
    assert "/workspace" not in hand.peer.runs[0].text
    evaluator = make(workspace=False, result=True)
    assert evaluator.evaluate_trait(trait(context_mode="workspace_only")) == (None, None)
    assert "it needs a workspace, but there is none" in evaluator.scores.problems[0]
    assert hand.peer.runs == []


# ---------------------------------------------------------------- 8. the trace as a file
def test_section_8_the_prompt_names_the_file_in_place_of_the_trace(make: Make, hand: Stagehand) -> None:
    file = TraceFile(write_trace_file(ANSWER, hand.workspace, "q_xyz"), hand.workspace)
    evaluator = make(result=True)
    evaluator.evaluate_trait(trait(materialize_trace=True), file)
    evaluator.evaluate_trait(trait(materialize_trace=False), file)
    first, second = hand.peer.runs
    assert (
        "The full agent trace is saved to: /workspace/.karenina/traces/trace_q_xyz.txt\n"
        "Use file tools (grep, search, read) to examine it."
    ) in first.text
    assert ANSWER not in first.text
    assert (ANSWER in second.text, "saved to" in second.text) == (True, False)


def test_section_8_who_sees_the_trace_only_has_tools_for_the_file_alone(make: Make, hand: Stagehand) -> None:
    file = TraceFile(write_trace_file(ANSWER, hand.workspace, "q_xyz"), hand.workspace)
    make(result=True).evaluate_trait(trait(materialize_trace=True, context_mode="trace_only"), file)
    (run,) = hand.peer.runs
    assert run.tools[0].call({"path": "/workspace/trace_q_xyz.txt"}).text == ANSWER
    assert run.tools[0].call({"path": "calc.py"}).is_error


def test_section_8_without_a_file_the_trace_stays_in_the_prompt(make: Make, hand: Stagehand) -> None:
    make(result=True).evaluate_trait(trait(materialize_trace=True), None)
    assert (ANSWER in hand.peer.runs[0].text, "saved to" in hand.peer.runs[0].text) == (True, False)


def test_section_8_a_trace_without_workspace_stands_in_a_temporary_folder_and_is_removed() -> None:
    path = write_trace_file(ANSWER, None, "urn:uuid:1/2", 3)
    file = TraceFile(path, None)
    assert path.name == "trace_urn-uuid-1-2_turn3.txt"
    assert (path.read_text(), file.seen_from(path.parent)) == (ANSWER, "/workspace/trace_urn-uuid-1-2_turn3.txt")
    file.remove()
    assert not path.parent.exists()


def test_section_8_a_workspace_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = write_trace_file(ANSWER, tmp_path / "imagined", "q")
    assert path == tmp_path / "imagined" / ".karenina" / "traces" / "trace_q.txt"
    assert list(tmp_path.iterdir()) == []
