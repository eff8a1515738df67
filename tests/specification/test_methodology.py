"""Statements of `evaluation-methodology.md` that no other test holds."""

from __future__ import annotations

from karenina_gui.gui.runs.setting import OWN
from karenina_gui.runs.expansion import expand
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.tool_server import ToolServer

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


def test_samples_fifty_samples_under_three_conditions_are_150_evaluations() -> None:
    jobs = expand(QUESTIONS, config(1))
    assert len(jobs) == 150
    assert len({(job.question_id, job.condition) for job in jobs}) == 150


def test_samples_three_replicates_make_450_answers_and_450_judgments() -> None:
    jobs = expand(QUESTIONS, config(3))
    assert len({job.answer_key for job in jobs}) == len({job.key for job in jobs}) == len(jobs) == 450
    assert all(job.judge is not None for job in jobs)


def test_samples_conditions_are_those_that_a_person_names_and_no_combinations() -> None:
    jobs = expand(["q"], config(1))
    assert [job.condition_name for job in jobs] == list(NAMES)


def test_experiment_structure_a_condition_is_a_system_prompt_and_any_number_of_servers() -> None:
    model = ModelConfig(
        model_name="agent", interface="openai_endpoint", system_prompt="The model's own.", mcp_servers={"own": GRAPH}
    )
    for servers in ({}, {"graph": GRAPH}, {"graph": GRAPH, "rag": RAG}):
        asked = Condition(name="c", system_prompt="Look it up.", mcp_servers=servers).applied(model)
        assert asked.system_prompt == "Look it up."
        assert list(asked.tool_servers) == list(servers)
        assert (asked.model_name, asked.interface) == (model.model_name, model.interface)


def test_experiment_structure_several_answering_models_may_share_a_run() -> None:
    two = config(1)
    two.answering_models = [*two.answering_models, ModelConfig(model_name="other", interface="openai_endpoint")]
    jobs = expand(["q"], two)
    assert [(job.answering_label, job.condition_name) for job in jobs] == [
        (model, name) for model in ("agent", "other") for name in NAMES
    ]


def test_variance_defaults_of_python_and_of_the_application_differ() -> None:
    python = VerificationConfig()
    assert (python.replicate_count, python.fixed_judges) == (1, False)
    assert (OWN["replicate_count"], OWN["fixed_judges"]) == (3, True)
