"""Fixtures: a pipeline with a real sandbox. Answers are recorded unless a test has a provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import Embedder
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.evidence.risk import Search
from karenina_gui.pipeline.context import PipelineTools
from karenina_gui.pipeline.verify_job import VerificationTask, verify
from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.twin import Script, Twin

Verify = Callable[..., VerificationResult]
Judged = Callable[..., VerificationResult]
QUICK = RetryBudget(max_attempts=1, backoff_min=0.001, backoff_max=0.002)
RETRIES = RetryPolicy(connection=QUICK, timeout=QUICK, rate_limit=QUICK, server_error=QUICK)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(slots=1, limits=Limits(wall_s=1.5)) as sandbox:
        yield sandbox


@pytest.fixture
def tools(sandbox: Sandbox) -> Iterator[PipelineTools]:
    with AdapterFactory(environment={}) as adapters:
        yield PipelineTools(RunPorts(adapters, CallPolicy()), sandbox)


@pytest.fixture
def check(tools: PipelineTools) -> Verify:
    """`check(template, answer, **settings)`: verify one question with a recorded answer."""

    def run(
        template: str | None, answer: Any, *, question_rubric: Rubric | None = None, rubric: Rubric | None = None,
        **settings: Any,
    ) -> VerificationResult:  # fmt: skip
        question = Question(
            question="What does venetoclax bind?",
            raw_answer="BCL2",
            answer_template=template,
            question_rubric=question_rubric.model_dump() if question_rubric else None,
        )
        model = ModelConfig(id="recorded", interface="manual", manual_traces={question.id: answer})
        config = VerificationConfig(answering_models=[model], **settings)
        return verify(VerificationTask(question, config, model, rubric=rubric), tools)[0]

    return run


@pytest.fixture
def judged(sandbox: Sandbox) -> Iterator[Judged]:
    """`judged(answering, judge, template=..., search=..., **settings)`: one question over the provider twin."""
    with ExitStack() as stack:
        adapters = stack.enter_context(AdapterFactory(environment={"TWIN_KEY": "sk-of-the-twin"}))

        def run(
            answering: Script, judge: Script, *, template: str | None = None, search: Search | None = None,
            embedder: Embedder | None = None, rubric: Rubric | None = None, **settings: Any,
        ) -> VerificationResult:  # fmt: skip
            twin = stack.enter_context(Twin(lambda asked: (answering if asked.model == "answerer" else judge)(asked)))
            answerer, reader = (
                ModelConfig(
                    model_name=name, interface="openai_endpoint", api_key_env="TWIN_KEY", endpoint_base_url=twin.address
                )
                for name in ("answerer", "judge")
            )
            question = Question(
                question="What does venetoclax bind?", raw_answer="the reference", answer_template=template
            )
            config = VerificationConfig(answering_models=[answerer], parsing_models=[reader], **settings)
            tools = PipelineTools(RunPorts(adapters, CallPolicy(retry=RETRIES)), sandbox, search, embedder)
            return verify(VerificationTask(question, config, answerer, reader, rubric=rubric), tools)[0]

        yield run
