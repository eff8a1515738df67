"""The example benchmarks, and the recorded exchanges on which they run without a network or a key."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from karenina_gui.example import agents as agents
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

BENCHMARK = Path(__file__).parent / "example.jsonld"
"""A dozen finished questions about medicines, and an unfinished one."""

RECORDING = Path(__file__).parent / "example.recording.json"
"""Replies of two answering models under two conditions, three replicates each, and of two judges.

All of them were written for the example.
"""

RECORDINGS = {"example": RECORDING, "agents": agents.RECORDING}
"""Names of shipped recordings, for `ModelConfig.recording`."""

ANSWERING_MODELS = ("sample-careful", "sample-hasty")
JUDGES = ("sample-judge", "sample-strict-judge")
CONDITIONS = (
    Condition(name="baseline", description="The question alone."),
    Condition(
        name="one sentence",
        description="The same question, with an instruction to be brief.",
        system_prompt=(
            "Answer in one sentence that begins with what is asked for. Give doses and amounts with their units."
        ),
    ),
)


_BENCHMARKS = {"example": BENCHMARK, "agents": agents.BENCHMARK}
"""Benchmarks by their recordings."""


@cache
def benchmark_source(recording: str) -> str:
    """Id of the shipped benchmark that a recording belongs to."""
    return str(json.loads(_BENCHMARKS[recording].read_text("utf-8"))["@id"])


def is_sample(model: ModelConfig) -> bool:
    """True for a model that replays a shipped recording."""
    return model.interface == "replay" and model.recording in RECORDINGS


def foreign_samples(models: Mapping[str, ModelConfig], question_ids: Collection[str]) -> set[str]:
    """Names of the sample models that know none of these questions."""
    return {
        name
        for name, model in models.items()
        if is_sample(model) and _recorded_questions(str(model.recording)).isdisjoint(question_ids)
    }


@cache
def _recorded_questions(recording: str) -> frozenset[str]:
    content = json.loads(_BENCHMARKS[recording].read_text("utf-8"))
    return frozenset(entry["@id"].removeprefix("urn:uuid:") for entry in content["dataFeedElement"])


WORDINGS = {
    "clarity": (
        "How much of the reason the answer gives: 5 where a mechanism or calculation leads step by step to the result, "
        "3 where a reason is only named, 1 where there is no reason or no answer."
    )
}
"""Other wordings of traits under which replies of the first sample judge are recorded, by name."""


def recorded_wording(model: ModelConfig, name: str) -> str | None:
    """Other wording of a trait that a sample judge knows; None: it knows none."""
    is_first = is_sample(model) and model.model_name == JUDGES[0]
    return WORDINGS.get(name) if is_first else None


def run_configuration(interface: str = "replay") -> VerificationConfig:
    """The run that the example is made for; `interface` differs only while the exchanges are being recorded."""
    recording = "example" if interface == "replay" else None

    def model(name: str) -> ModelConfig:
        return ModelConfig(id=name, model_name=name, interface=interface, recording=recording)

    return VerificationConfig(
        answering_models=[model(name) for name in ANSWERING_MODELS],
        parsing_models=[model(name) for name in JUDGES],
        conditions=list(CONDITIONS),
        replicate_count=3,
        async_max_workers=4,
        evaluation_mode="template_and_rubric",
        abstention_enabled=True,
    )
