"""Published conversations of a tool-calling agent (20 tasks, 4 trials) as recorded answers of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.gui.pages.results.conversation import conversation, final_label, tool_calls
from karenina_gui.gui.pages.results.judged_text import judged_text as judged_of
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import (
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.airline import LOOKED_UP, Trial, airline, called, published, shows
from tests.twin import Asked, Call, Reply, Twin

HANDED_OVER = "transfer_to_human_agents"
CALLS = """
def evaluate(text: str) -> int:
    return min(99, text.count("Call ID: "))
"""

JUDGED = """
class Answer(BaseAnswer):
    handed_over: bool = VerifiedField(
        description="Whether the agent handed the customer over to a person",
        ground_truth=False,
        verify_with=BooleanMatch(),
    )
"""

Run = tuple[list[Trial], list[VerificationResult]]


@pytest.fixture(scope="module")
def source(shared: Path) -> Path:
    return shared / "data" / "tau-airline-gpt-4o.json"


@pytest.fixture(scope="module")
def trials(source: Path) -> list[Trial]:
    return published(source)


@pytest.fixture(scope="module")
def run(sandbox: Sandbox, source: Path, trials: list[Trial]) -> Run:
    """All trials with their results, in the same order."""
    calls = CallableRubricTrait(
        name="calls", kind="score", min_score=0, max_score=99, source=CALLS, higher_is_better=False
    )
    rubric = Rubric(
        regex_traits=[RegexRubricTrait(name="handed over", pattern=HANDED_OVER, higher_is_better=False)],
        callable_traits=[calls],
    )
    benchmark, model = airline(source, trials, LOOKED_UP, rubric)
    config = VerificationConfig(
        answering_models=[model], replicate_count=4, evaluation_mode="template_and_rubric", async_max_workers=2
    )
    return trials, benchmark.run_verification(config, sandbox=sandbox)


def judge(asked: Asked) -> Reply:
    """Judge that counts calls, looks for a transfer to a human, and extracts values from reports.

    If it has a trace file, it reports the result of a search in it, so that a report shows which way was used.
    """
    names = set((asked.schema or {}).get("properties", ()))
    if "handed_over" in names or "polite" in names:
        return Reply(data={"handed_over": HANDED_OVER in asked.text, "polite": "Call ID: " not in asked.text})
    if "score" in names:
        return Reply(data={"score": int(asked.text.rpartition("Calls: ")[2].split(".")[0])})
    if "result" in names:
        return Reply(data={"result": "Found: True" in asked.text})
    if asked.results:
        return Reply(text=f"Found: {HANDED_OVER in asked.results[-1][1]}.")
    if "search_files" in asked.tools:
        return Reply(text="I search.", calls=[Call("search_files", {"pattern": HANDED_OVER})])
    return Reply(text=f"Calls: {asked.text.count('Call ID: ')}.")


@pytest.fixture(scope="module")
def judged(sandbox: Sandbox, source: Path, trials: list[Trial]) -> Run:
    """A few trials, evaluated by a judge and by agents that see only the trace."""
    few = [trial for trial in trials if trial["task_id"] in (1, 4)]
    seen = {"higher_is_better": False, "context_mode": "trace_only"}
    rubric = Rubric(
        llm_traits=[LLMRubricTrait(name="polite", kind="boolean")],
        agentic_traits=[
            AgenticRubricTrait(name="calls", kind="score", min_score=0, max_score=99, **seen),
            AgenticRubricTrait(name="handed over", kind="boolean", materialize_trace=True, **seen),
        ],
    )
    benchmark, model = airline(source, few, JUDGED, rubric)
    with Twin(judge) as twin:
        reader = ModelConfig(model_name="judge", interface="openai_endpoint", endpoint_base_url=twin.address)
        config = VerificationConfig(
            answering_models=[model],
            parsing_models=[reader],
            replicate_count=4,
            evaluation_mode="template_and_rubric",
            use_full_trace_for_template=True,
            async_max_workers=2,
        )
        return few, benchmark.run_verification(config, sandbox=sandbox)


def test_all_eighty_run_without_an_error(run: Run) -> None:
    trials, results = run
    assert len(results) == 80
    assert [result.metadata.question_id for result in results] == [str(trial["task_id"]) for trial in trials]
    assert [result.metadata.replicate for result in results] == [trial["trial"] + 1 for trial in trials]
    assert [result.error for result in results if result.error] == []


def test_template_verdicts_equal_what_the_conversations_say(run: Run) -> None:
    trials, results = run
    assert [result.passed for result in results] == ["get_user_details" in called(trial) for trial in trials]
    assert len({result.passed for result in results}) == 2


def test_trait_scores_equal_what_the_conversations_say(run: Run) -> None:
    trials, results = run
    rubrics = [result.rubric for result in results if result.rubric]
    assert [(r.regex_trait_scores or {})["handed over"] for r in rubrics] == [
        HANDED_OVER in called(trial) for trial in trials
    ]
    assert [(r.callable_trait_scores or {})["calls"] for r in rubrics] == [len(called(trial)) for trial in trials]


def test_each_is_shown_with_every_message_and_tool_call(run: Run) -> None:
    for trial, result in zip(*run, strict=True):
        items = conversation(result)
        shows(items, trial)
        assert tool_calls(items) == len(called(trial))
        assert ((result.template and result.template.agent_metrics) or {})["tool_calls"] == len(called(trial))


def test_of_each_the_whole_trace_is_what_was_judged(run: Run) -> None:
    for trial, result in zip(*run, strict=True):
        final, found = trial["messages"][-1], judged_of(result)
        assert result.template is not None and found.whole and not found.note
        assert found.text == result.template.raw_llm_response
        said = (final["content"] or "").strip() if final["role"] == "assistant" else ""
        assert found.final == said
        assert [item["number"] for item in conversation(result) if item["final"]] == (
            [len(trial["messages"])] if said else []
        )
        assert final_label(result) == "judged with the full trace, without the user’s messages"


def test_a_judge_of_template_and_rubric_sees_the_whole_conversation(judged: Run) -> None:
    trials, results = judged
    assert [result.error for result in results] == [None] * 8
    assert [result.passed for result in results] == [HANDED_OVER not in called(trial) for trial in trials]
    assert len({result.passed for result in results}) == 2
    traits = [(result.rubric and result.rubric.llm_trait_scores) or {} for result in results]
    assert [scores["polite"] for scores in traits] == [not called(trial) for trial in trials]


def test_each_is_judged_by_the_last_message_of_the_model(sandbox: Sandbox, source: Path, trials: list[Trial]) -> None:
    benchmark, model = airline(source, trials, JUDGED, Rubric())
    with Twin(lambda asked: Reply(data={"handed_over": False})) as twin:
        reader = ModelConfig(model_name="judge", interface="openai_endpoint", endpoint_base_url=twin.address)
        config = VerificationConfig(answering_models=[model], parsing_models=[reader], replicate_count=4)
        results = benchmark.run_verification(config, sandbox=sandbox)
    assert [result.passed for result in results] == [True] * 80
    for trial, result in zip(trials, results, strict=True):
        texts = [message["content"] for message in trial["messages"] if message["role"] == "assistant"]
        answer = next(text.strip() for text in reversed(texts) if text)
        assert result.evaluation_input == answer
        found = judged_of(result)
        assert (found.text, found.whole, found.final) == (answer, False, answer)
        (number,) = [item["number"] for item in conversation(result) if item["final"]]
        assert trial["messages"][number - 1]["content"].strip() == answer
        assert final_label(result) == "judged answer"


def test_agents_look_into_the_conversations_in_their_prompt_and_in_a_file(judged: Run) -> None:
    trials, results = judged
    scores = [(result.rubric and result.rubric.agentic_trait_scores) or {} for result in results]
    assert [score["calls"] for score in scores] == [len(called(trial)) for trial in trials]
    assert [score["handed over"] for score in scores] == [HANDED_OVER in called(trial) for trial in trials]
    for result in results:
        assert [(found.subject, found.traits, found.turns) for found in result.investigations or []] == [
            ("traits", ["calls"], 1), ("traits", ["handed over"], 2),
        ]  # fmt: skip
        assert result.workspace is None
