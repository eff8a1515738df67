"""Drafts of the sample model: a template for the unfinished question, and traits for the benchmark."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.authoring.drafting.drafter import template_task, trait_task
from karenina_gui.authoring.drafting.prompts import TEMPLATE_INSTRUCTIONS, TRAIT_INSTRUCTIONS, about_benchmark
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.example import JUDGES
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from tests.example import questions

PURPOSES = ("template_draft", "trait_draft")


def _field(name: str, description: str, kind: str, expected: str, choices: tuple[str, ...] = ()) -> dict[str, Any]:
    unused = {"tolerance": 0, "items": [], "other_spellings": []}
    return {
        "name": name,
        "description": description,
        "kind": kind,
        "expected": expected,
        "choices": list(choices),
        **unused,
    }


_TEMPLATE = {
    "fields": [
        _field(
            "organ",
            "The organ that removes most of the drug from the body, as the answer states it. Choose “other” if the "
            "answer names none of them.",
            "choice",
            "kidneys",
            ("kidneys", "liver", "lungs", "other"),
        ),
        _field(
            "unchanged",
            "True if the answer says that the drug leaves the body mostly without being metabolized.",
            "yes_no",
            "yes",
        ),
    ],
    "combine": "all",
    "code": None,
}


def _trait(name: str, description: str, kind: str = "boolean", better: bool = True) -> dict[str, Any]:
    scale = {"min_score": 1, "max_score": 5}
    return {"name": name, "description": description, "kind": kind, **scale, "higher_is_better": better}


_TRAITS = {
    "traits": [
        _trait(
            "gives a reason",
            "The answer says why or how: it names a mechanism, a source, or a calculation. Not if it only states a "
            "result.",
        ),
        _trait(
            "plain language",
            "How well a patient without medical training could follow the answer: 5 where every technical term is "
            "avoided or explained, 3 where some are, 1 where it reads like a textbook.",
            "score",
        ),
        _trait(
            "hedging",
            "How much the answer avoids a commitment: 1 where it commits itself to one statement, 5 where a reader "
            "cannot tell what it claims.",
            "score",
            better=False,
        ),
    ]
}


def draft_reply(request: LLMRequest) -> str:
    """Reply of the sample model to a request for a draft."""
    return json.dumps(_TEMPLATE if request.purpose == "template_draft" else _TRAITS, ensure_ascii=False)


def record_drafts(adapters: AdapterFactory, interface: str, sandbox: Sandbox) -> None:
    """Ask the sample model for the drafts that the example can be asked for."""
    llm = adapters.llm(ModelConfig(id=JUDGES[0], model_name=JUDGES[0], interface=interface))
    for request in requests(sandbox):
        llm.invoke(request)


def requests(sandbox: Sandbox) -> list[LLMRequest]:
    """Requests for a template of the unfinished question, and for traits of the benchmark."""
    unfinished = questions.unfinished()
    texts = [each.question for each in (*questions.questions().values(), unfinished)]
    known = [trait.name for trait in questions.global_rubric().traits]
    subject = about_benchmark(questions.NAME, questions.DESCRIPTION, texts, known)
    tasks = (
        template_task(unfinished, TEMPLATE_INSTRUCTIONS, TemplatePlayground(sandbox)),
        trait_task(subject, TRAIT_INSTRUCTIONS, set()),
    )
    return [task.first_request for task in tasks]
