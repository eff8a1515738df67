"""Fixtures for traits: a recorded answer, a real sandbox, and a judge over a real HTTP server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.evidence.risk import Search
from karenina_gui.pipeline.context import PipelineTools
from karenina_gui.pipeline.verify_job import VerificationTask, verify
from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import ResultRubric, VerificationResult
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.rubric import TRAIT_TYPES, Rubric, Trait
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.twin import Asked, Reply, Script, Twin

QUICK = RetryBudget(max_attempts=1, backoff_min=0.001, backoff_max=0.002)
RETRIES = RetryPolicy(connection=QUICK, timeout=QUICK, rate_limit=QUICK, server_error=QUICK)
REFERENCE = "the-secret-reference"


@dataclass
class Rated:
    """Scores of the traits, and the requests to the judge."""

    result: VerificationResult
    asked: list[Asked] = field(default_factory=list)

    @property
    def rubric(self) -> ResultRubric:
        assert self.result.rubric is not None
        return self.result.rubric

    @property
    def problems(self) -> str:
        return "\n".join(self.result.metadata.warnings)


Rate = Callable[..., Rated]


def rubric_of(*traits: Trait) -> Rubric:
    of_type = {f"{name}_traits": [t for t in traits if type(t) is kind] for name, kind in TRAIT_TYPES.items()}
    return Rubric.model_validate(of_type)


def replies(**values: Any) -> Script:
    """A judge that replies with these values as far as they are requested."""
    return lambda asked: Reply(data={name: values[name] for name in asked.schema["properties"] if name in values})


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(slots=1, limits=Limits(wall_s=1.5)) as sandbox:
        yield sandbox


@pytest.fixture
def rate(sandbox: Sandbox, request: pytest.FixtureRequest) -> Iterator[Rate]:
    """`rate(trait, ..., judge=script, text="...", raw_answer="...", **settings)`; without a script, no judge.

    `benchmark`: traits of the benchmark; the positional ones then belong to the question.
    """
    interface = getattr(request, "param", "openai_endpoint")
    with ExitStack() as stack:
        adapters = stack.enter_context(AdapterFactory(environment={"TWIN_KEY": "k"}))
        tools = PipelineTools(RunPorts(adapters, CallPolicy(retry=RETRIES)), sandbox)

        def run(
            *traits: Trait, judge: Script | None = None, text: str = "It binds BCL2.", raw_answer: str = REFERENCE,
            judge_prompt: str | None = None, search: Search | None = None, benchmark: Rubric | None = None,
            **settings: Any,
        ) -> Rated:  # fmt: skip
            question = Question(question="What does venetoclax bind?", raw_answer=raw_answer)
            answerer = ModelConfig(id="recorded", interface="manual", manual_traces={question.id: text})
            twin = stack.enter_context(Twin(judge)) if judge else None
            address = "endpoint_base_url" if interface == "openai_endpoint" else "anthropic_base_url"
            comparison_key = twin and ModelConfig.model_validate(
                {"model_name": "judge", "interface": interface, "api_key_env": "TWIN_KEY", address: twin.address,
                 "system_prompt": judge_prompt}
            )  # fmt: skip
            config = VerificationConfig(
                answering_models=[answerer],
                parsing_models=[comparison_key] if comparison_key else [],
                evaluation_mode="rubric_only",
                retry_policy=RETRIES,
                **settings,
            )
            rubric = rubric_of(*traits)
            if benchmark is not None:
                question.question_rubric, rubric = rubric.model_dump(), benchmark
            task = VerificationTask(question, config, answerer, comparison_key, rubric)
            result, _ = verify(task, replace(tools, search=search))
            return Rated(result, twin.requests if twin else [])

        yield run
