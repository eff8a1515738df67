"""Statements of `evaluation-methodology.md` that no other test holds."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import count
from statistics import fmean, stdev

import pytest

from karenina_gui import Benchmark, LLMRubricTrait
from karenina_gui.adapters.ports import AgentResult, LLMRequest, LLMResponse
from karenina_gui.formats.k_eval.results_writer import k_eval_files
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.gui.pages.run_setup.setting import GUI_DEFAULTS
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.job import expand
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.pipeline.scripted_peer import INTERFACE, AgentRun, Peer

NAMES = ("baseline", "with-graph", "with-graph-and-rag")
GRAPH, RAG = (ToolServer(url=f"http://127.0.0.1:9/{name}") for name in ("graph", "rag"))


def config(replicates: int) -> VerificationConfig:
    model = ModelConfig(model_name="agent", interface="openai_endpoint", mcp_servers={"graph": GRAPH, "rag": RAG})
    return VerificationConfig(
        answering_models=[model],
        parsing_models=[ModelConfig(model_name="judge", interface="openai_endpoint")],
        conditions=[Condition(name=name, system_prompt=f"Under {name}.") for name in NAMES],
        replicate_count=replicates,
    )


QUESTIONS = [f"q{number}" for number in range(50)]
TRAITS = [LLMRubricTrait(name=name, kind="score", min_score=1, max_score=9) for name in ("depth", "clarity")]


@pytest.fixture
def peer(interfaces: None) -> Peer:
    """Models of it are agents that number their answers, and judges that score each by its number."""
    peer, numbers = Peer(), count()

    def work(run: AgentRun) -> AgentResult:
        said = f"Answer <{next(numbers)}>."
        return AgentResult(said, (Message.of("assistant", said),))

    def judge(_model: str, request: LLMRequest) -> LLMResponse:
        data = scores_of(number_in(request))
        return LLMResponse(json.dumps(data), data)

    peer.investigate, peer.reply = work, judge
    peer.register()
    return peer


def number_in(request: LLMRequest) -> int:
    """Of the answer that a judge is to score."""
    (number,) = re.findall(r"Answer <(\d+)>\.", "".join(message.text for message in request.messages))
    return int(number)


def scores_of(number: int) -> dict[str, int]:
    return {"depth": number % 3 + 1, "clarity": number % 7 + 2}


def test_samples_fifty_samples_under_three_conditions_are_150_evaluations() -> None:
    jobs = expand(QUESTIONS, config(1))
    assert len(jobs) == 150
    assert len({(job.question_id, job.condition) for job in jobs}) == 150


def test_samples_three_replicates_make_450_answers_and_450_judgments() -> None:
    jobs = expand(QUESTIONS, config(3))
    assert len({job.answer_key for job in jobs}) == len({job.key for job in jobs}) == len(jobs) == 450
    assert all(job.judge is not None for job in jobs)


def test_samples_450_calls_of_the_agent_and_450_of_the_judge_become_150_scores_of_each_metric(
    peer: Peer, sandbox: Sandbox
) -> None:
    benchmark = Benchmark.create("golden")
    for name in QUESTIONS:
        benchmark.add_question(f"Question {name}?", "42")
    for trait in TRAITS:
        benchmark.add_global_rubric_trait(trait)
    settings = config(3).model_copy(
        update={
            "answering_models": [config(3).answering_models[0].model_copy(update={"interface": INTERFACE})],
            "parsing_models": [peer.config("judge")],
            "evaluation_mode": "rubric_only",
        }
    )
    results = benchmark.run_verification(settings, sandbox=sandbox)
    assert Counter((run.config.question_id, run.messages[0].text) for run in peer.runs) == {
        (question, f"Under {name}."): 3 for question in benchmark.get_question_ids() for name in NAMES
    }
    assert all(len(run.messages) == 2 for run in peer.runs), "no answer builds on another"
    assert sorted(number_in(request) for request in peer.asked) == list(range(450)), "each answer is judged by itself"
    scores: dict[tuple[str, str | None], list[dict[str, int]]] = {}
    for result in results:
        assert result.rubric is not None
        numbers = re.findall(r"\d+", (result.template.raw_llm_response if result.template else None) or "")
        assert result.rubric.llm_trait_scores == scores_of(int(numbers[0]))
        scores.setdefault((result.metadata.question_text, result.condition), []).append(scores_of(int(numbers[0])))
    run = RunInfo("1", "demo", settings, started=1.0, rubric=benchmark.document.rubric)
    summary, detailed = k_eval_files(results, run)
    lines = [json.loads(line) for line in detailed.content.splitlines()]
    assert len(lines) == len(scores) == 150
    for metric in ("depth", "clarity"):
        means: dict[str, list[float]] = {}
        for line in lines:
            condition = line["evaluation_name"].removeprefix("demo/")
            given = [each[metric] for each in scores[line["input"]["raw"], condition]]
            means.setdefault(condition, []).append(fmean(given))
            assert line["evaluation"]["details"][f"{metric}_mean"] == pytest.approx(fmean(given))
            assert line["evaluation"]["details"][f"{metric}_stddev"] == pytest.approx(stdev(given))
        averages = {
            each["evaluation_name"].split("/")[1]: each["score_details"]["score"]
            for each in json.loads(summary.content)["evaluation_results"]
            if each["evaluation_name"].endswith(f"/{metric}")
        }
        assert averages == pytest.approx({name: fmean(given) for name, given in means.items()})


def test_samples_conditions_are_those_that_a_person_names_and_no_combinations() -> None:
    jobs = expand(["q"], config(1))
    assert [job.condition for job in jobs] == list(NAMES)


def test_experiment_structure_a_condition_is_a_system_prompt_and_any_number_of_servers() -> None:
    model = ModelConfig(
        model_name="agent", interface="openai_endpoint", system_prompt="The model's own.", mcp_servers={"own": GRAPH}
    )
    for servers in ({}, {"graph": GRAPH}, {"graph": GRAPH, "rag": RAG}):
        asked = Condition(name="c", system_prompt="Look it up.", mcp_servers=servers).apply_to(model)
        assert asked.system_prompt == "Look it up."
        assert list(asked.tool_servers) == list(servers)
        assert (asked.model_name, asked.interface) == (model.model_name, model.interface)


def test_experiment_structure_a_condition_may_change_settings_of_the_model_too() -> None:
    model = ModelConfig(model_name="agent", interface="openai_endpoint", temperature=0.5, extra_kwargs={"seed": 7})
    settings = {
        "temperature": 1.0, "max_tokens": 100, "workspace_tools": ["read_file"], "mcp_tool_filter": ["search"],
        "extra_kwargs": {"top_p": 0.9},
    }  # fmt: skip
    warm = Condition(name="warm", settings=AnsweringSettings.model_validate(settings)).apply_to(model)
    assert (warm.temperature, warm.max_tokens, warm.workspace_tools) == (1.0, 100, ["read_file"])
    assert (warm.mcp_tool_filter, warm.extra_kwargs) == (["search"], {"seed": 7, "top_p": 0.9})
    assert (warm.model_name, warm.interface) == (model.model_name, model.interface)
    assert Condition(name="plain").apply_to(model) == model


def test_experiment_structure_a_run_without_conditions_asks_the_model_as_it_is_set() -> None:
    plain = config(2).model_copy(update={"conditions": []})
    jobs = expand(["q"], plain)
    assert [(job.condition, job.replicate) for job in jobs] == [(None, 1), (None, 2)]
    request = RunRequest(Benchmark.create("none").document, plain, [])
    assert request.answering_model(jobs[0]) == plain.answering_models[0]


def test_experiment_structure_several_answering_models_may_share_a_run() -> None:
    two = config(1)
    two.answering_models = [*two.answering_models, ModelConfig(model_name="other", interface="openai_endpoint")]
    jobs = expand(["q"], two)
    assert [(job.answering, job.condition) for job in jobs] == [
        (model, name) for model in ("agent", "other") for name in NAMES
    ]


def test_variance_defaults_of_python_and_of_the_application_differ() -> None:
    python = VerificationConfig()
    assert (python.replicate_count, python.fixed_judges) == (1, False)
    assert (GUI_DEFAULTS["replicate_count"], GUI_DEFAULTS["fixed_judges"]) == (3, True)
