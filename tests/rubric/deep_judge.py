"""A judge for deep judgment, and traits for it."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.schemas.result_evidence import ResultDeepJudgmentRubric
from karenina_gui.schemas.rubric import CallableRubricTrait, LLMRubricTrait, MetricRubricTrait, RegexRubricTrait
from tests.rubric.conftest import Rated
from tests.twin import Asked, Reply

ANSWER = "Venetoclax binds BCL2 with high affinity. It was approved in 2016."
CLEAR = LLMRubricTrait(name="clear", description="Is it easy to follow?", kind="boolean")
DEPTH = LLMRubricTrait(name="depth", description="How deep does it go?", kind="score", min_score=0, max_score=4)
TONE = LLMRubricTrait(name="tone", kind="literal", classes={"Casual": "as among friends", "Formal": "as in a journal"})
FORM = LLMRubricTrait(
    name="form", kind={"type": "template", "schema": {"properties": {"n": {"type": "integer"}}}}, higher_is_better=None
)
CITES = RegexRubricTrait(name="cites", pattern=r"\[\d+\]")
SHORT = CallableRubricTrait(name="short", kind="boolean", source="def f(text):\n    return len(text) < 99\n")
NAMES = MetricRubricTrait(name="names", metrics=["f1"], tp_instructions=["BCL2"])
INFORMED = LLMRubricTrait(name="informed", kind="boolean", include_ground_truth=True)
ALL = {"deep_judgment_rubric_mode": "enable_all"}
QUOTE = "Venetoclax binds BCL2"
LIE = "It inhibits MCL1 completely"


def marked(trait: LLMRubricTrait, **settings: Any) -> LLMRubricTrait:
    return trait.model_copy(
        update={f"deep_judgment_{name}": value for name, value in ({"enabled": True} | settings).items()}
    )


def custom(**tables: Any) -> dict[str, Any]:
    return {"deep_judgment_rubric_mode": "custom", "deep_judgment_rubric_config": tables}


class Judge:
    """Replies by purpose. `excerpts`: quotes of each round for a trait, the last one for all later rounds."""

    def __init__(self, *excerpts: list[str], risks: tuple[str, ...] = ("low", "high"), **values: Any) -> None:
        self.excerpts = excerpts or ([QUOTE],)
        self.risks = risks
        self.values = values
        self.asked: list[tuple[str, tuple[str, ...], str]] = []
        """(purpose, traits, prompt) of each request."""

    def __call__(self, asked: Asked) -> Reply:
        kind = self.kind(asked)
        names = tuple((asked.schema or {}).get("properties", ()))
        before = sum((each[0], each[1]) == (kind, names) for each in self.asked)
        self.asked.append((kind, names, asked.text))
        if kind == "reasoning":
            return Reply(text="The words are plain, so it follows.")
        if kind == "excerpts":
            texts = self.excerpts[min(before, len(self.excerpts) - 1)]
            quoted = [{"text": text, "confidence": "high", "explanation": "It says so."} for text in texts]
            return Reply(data=dict.fromkeys(names, quoted))
        if kind == "risk":
            verdicts = [{"risk": risk, "justification": f"{risk} it is."} for risk in self.risks]
            return Reply(data=dict.fromkeys(names, verdicts))
        return Reply(data={name: self.values[name] for name in names if name in self.values})

    @staticmethod
    def kind(asked: Asked) -> str:
        if asked.schema is None:
            return "reasoning"
        schema = json.dumps(asked.schema)
        return "excerpts" if "confidence" in schema else "risk" if "justification" in schema else "score"

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, *_ in self.asked]

    def text(self, kind: str) -> str:
        return next(text for asked, _, text in self.asked if asked == kind)


def deep(rated: Rated) -> ResultDeepJudgmentRubric:
    assert rated.result.deep_judgment_rubric is not None
    return rated.result.deep_judgment_rubric


def deeply_judged(rated: Rated) -> list[str]:
    section = rated.result.deep_judgment_rubric
    return list((section and section.trait_metadata) or ())
