"""Sample answers of the examples: of each question the reference answer, and one that is wrong."""

from __future__ import annotations

from typing import Any

from karenina_gui import Question
from karenina_gui.schemas.sample_answer import SampleAnswer, with_samples

Values = dict[str, Any] | None
"""What a judge reads from an answer; None: nothing."""

SAMPLES: dict[str, tuple[Values, str, Values]] = {
    "aspirin": ({"irreversible": True}, "No, the effect is gone after six hours.", {"irreversible": False}),
    "loading_dose": ({"dose_mg": 350}, "35 mg", {"dose_mg": 35}),
    "statins": ({"enzyme": "HMG-CoA reductase"}, "Squalene synthase", {"enzyme": "squalene synthase"}),
    "tuberculosis": (
        {"drugs": ["isoniazid", "rifampicin", "pyrazinamide", "ethambutol"]},
        "Isoniazid, rifampicin, pyrazinamide and streptomycin",
        {"drugs": ["isoniazid", "rifampicin", "pyrazinamide", "streptomycin"]},
    ),
    "imatinib": ({"approved": "2001-05-10"}, "5 October 2001", {"approved": "2001-10-05"}),
    "metformin": (None, "A10BB01", None),
    "warfarin": (
        {"enzyme": "CYP2C9", "inr": "rises"},
        "CYP3A4 is inhibited, and the INR rises.",
        {"enzyme": "CYP3A4", "inr": "rises"},
    ),
    "amiodarone": ({"drug_class": "III"}, "Class I", {"drug_class": "I"}),
    "antidotes": (
        {"paracetamol": "acetylcysteine", "heparin": "protamine", "benzodiazepines": "flumazenil"},
        "Naloxone, vitamin K, flumazenil",
        {"paracetamol": "naloxone", "heparin": "vitamin K", "benzodiazepines": "flumazenil"},
    ),
    "grapefruit": (None, "It slows the emptying of the stomach.", None),
    "morphine": ({"percent": 30}, "About 80%", {"percent": 80}),
    "paracetamol": ({"grams": 4}, "6 g in 24 hours", {"grams": 6}),
    "agents": (
        {"patients": ["P03", "P08", "P11", "P14", "P17"], "one_a_line": True},
        "Two: P03 and P08.",
        {"patients": ["P03", "P08"], "one_a_line": True},
    ),
}
"""By the short name of the question: values of the reference answer, a wrong answer, and its values."""


def sampled(name: str, question: Question) -> Question:
    """The question with its sample answers."""
    right, text, wrong = SAMPLES[name]
    samples = [
        SampleAnswer(id="reference", kind="correct", text=question.raw_answer, passes=True, values=right),
        SampleAnswer(id="wrong", kind="wrong", text=text, passes=False, values=wrong),
    ]
    return question.model_copy(update={"custom_metadata": with_samples(question.custom_metadata, samples)})
