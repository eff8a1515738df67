"""Sample answers of the examples: of each question one that is right, and one that is wrong."""

from __future__ import annotations

from typing import Any

from karenina_gui import Question
from karenina_gui.schemas.sample_answer import SampleAnswer, with_samples
from tests.example.replies import CAREFUL, HASTY, REPLIES, Reply

Values = dict[str, Any] | None
"""What a judge reads from an answer; None: nothing."""

SAMPLES: dict[str, tuple[Values, str, Values]] = {
    "loading_dose": ({"dose_mg": 350}, "35 mg", {"dose_mg": 35}),
    "statins": ({"enzyme": "HMG-CoA reductase"}, "Squalene synthase", {"enzyme": "squalene synthase"}),
    "imatinib": ({"approved": "2001-05-10"}, "5 October 2001", {"approved": "2001-10-05"}),
    "metformin": (None, "A10BB01", None),
    "grapefruit": (None, "It slows the emptying of the stomach.", None),
    "paracetamol": ({"grams": 4}, "6 g in 24 hours", {"grams": 6}),
    "agents": (
        {"patients": ["P03", "P08", "P11", "P14", "P17"], "one_a_line": True},
        "Two: P03 and P08.",
        {"patients": ["P03", "P08"], "one_a_line": True},
    ),
}
"""By the short name of the question: values of the reference answer, a wrong answer, and its values."""
ANSWERED: dict[str, tuple[Reply, Reply]] = {
    "aspirin": (REPLIES["aspirin"][CAREFUL][1], REPLIES["aspirin"][HASTY][1]),
    "tuberculosis": (REPLIES["tuberculosis"][CAREFUL][0], REPLIES["tuberculosis"][HASTY][0]),
    "warfarin": (REPLIES["warfarin"][CAREFUL][1], REPLIES["warfarin"][HASTY][0]),
    "amiodarone": (REPLIES["amiodarone"][CAREFUL][1], REPLIES["amiodarone"][HASTY][2]),
    "antidotes": (REPLIES["antidotes"][CAREFUL][0], REPLIES["antidotes"][HASTY][1]),
    "morphine": (REPLIES["morphine"][CAREFUL][1], REPLIES["morphine"][HASTY][1]),
}
"""A right and a wrong reply to the questions whose trait can be calibrated: other texts would have no judgments."""


def sampled(name: str, question: Question) -> Question:
    """The question with its sample answers."""
    if name in ANSWERED:
        good, bad = ANSWERED[name]
        answer, right, text, wrong = good.text, good.extracted, bad.text, bad.extracted
    else:
        answer, (right, text, wrong) = question.raw_answer, SAMPLES[name]
    samples = [
        SampleAnswer(id="right", kind="correct", text=answer, passes=True, values=right),
        SampleAnswer(id="wrong", kind="wrong", text=text, passes=False, values=wrong),
    ]
    return question.model_copy(update={"custom_metadata": with_samples(question.custom_metadata, samples)})
