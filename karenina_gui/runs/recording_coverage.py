"""Check before a run that its recordings contain all answers, so that no job is spent on finding out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import InputError
from karenina_gui.pipeline.few_shot import examples_for
from karenina_gui.pipeline.prompts import generation_messages
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.effective_models import effective_models, model_names
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity


def missing_recordings(
    config: VerificationConfig,
    questions: Sequence[Question],
    catalog: ModelCatalog,
    given_up: Callable[[], bool] = lambda: False,
) -> list[str]:
    """Doubts about answering models whose recording lacks some of their answers, over the affected conditions.

    Unreadable recordings are left out. `given_up`: called repeatedly; once it returns True, the search ends with a
    partial result.
    """
    missing: dict[int, dict[int | None, int]] = {}
    for (index, condition), model in effective_models(config).items():
        if model.interface != "replay" or model.tool_servers or model.workspace_tools:
            continue  # an agent's requests contain results of its tools, so they are unknown before it has run
        try:
            requests = takewhile(lambda _: not given_up(), _requests(config, model, questions))
            lacking = sum(not catalog.is_recorded(model, request) for request in requests)
        except InputError:
            continue
        if lacking:
            missing.setdefault(index, {})[condition] = lacking
    size = len(questions) * config.replicate_count
    return [
        f"{model_names(config, index, list(under))} replays a recording that lacks {sum(under.values()):,} of "
        f"{quantity(len(under) * size, 'answer')}: those jobs will end in errors. The questions, prompts, or number of "
        "replicates differ from the recording."
        for index, under in missing.items()
    ]


def _requests(config: VerificationConfig, model: ModelConfig, questions: Sequence[Question]) -> Iterator[LLMRequest]:
    instructions = config.prompt_config.generation if config.prompt_config else None
    replicates = [None] if config.replicate_count == 1 else range(1, config.replicate_count + 1)
    for question in questions:
        messages = examples_for(question, config.few_shot_config).before(question.question)
        sent = generation_messages(messages, system_prompt=model.system_prompt, instructions=instructions)
        yield from (LLMRequest(sent, replicate=replicate, question_id=question.id) for replicate in replicates)
