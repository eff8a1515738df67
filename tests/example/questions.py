"""The questions of the example: a dozen about medicines, one for every kind of template, and one unfinished."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from karenina_gui import LLMRubricTrait, Question, RegexRubricTrait, Rubric

NAME = "Medicines: a first look"
DESCRIPTION = (
    "Twelve questions about medicines, one for each kind of answer template, and an unfinished one, with recorded "
    "answers from two sample models. Change anything; you can always open a fresh copy."
)

AUTHOR = {"@type": "Person", "name": "Example author"}


def global_rubric() -> Rubric:
    """Traits that look at every answer."""
    return Rubric(
        regex_traits=[
            RegexRubricTrait(
                name="starts with the answer",
                description="The answer opens with its content and not with a filler such as 'Great question!'.",
                pattern=r"^\s*(great question|certainly|of course|sure)\b",
                case_sensitive=False,
                invert_result=True,
                higher_is_better=True,
            ),
            RegexRubricTrait(
                name="sends to a professional",
                description="The answer sends the reader to a doctor or pharmacist.",
                pattern=r"\b(doctor|physician|pharmacist)\b",
                case_sensitive=False,
                higher_is_better=False,
            ),
        ]
    )


def questions() -> dict[str, Question]:
    """The finished questions by a short name, in the order of the benchmark."""
    return {
        "aspirin": Question(
            question="Does low-dose aspirin inhibit platelet cyclooxygenase-1 irreversibly?",
            raw_answer="Yes. It acetylates the enzyme, and a platelet cannot make a new one.",
            keywords=["mechanism", "platelets"],
            question_rubric=_clarity(),
            author=AUTHOR,
            answer_notes="Yes or no: any wording counts that says the inhibition can’t be reversed.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    irreversible: bool = VerifiedField(
                        description="True if the answer says that aspirin inhibits cyclooxygenase-1 irreversibly.",
                        ground_truth=True,
                        verify_with=BooleanMatch(),
                    )
            """),
        ),
        "loading_dose": Question(
            question=(
                "A drug has a volume of distribution of 0.5 L/kg. Which intravenous loading dose, in milligrams, "
                "brings a person of 70 kg to a plasma concentration of 10 mg/L?"
            ),
            raw_answer="350 mg (0.5 L/kg x 70 kg x 10 mg/L)",
            keywords=["pharmacokinetics", "calculation"],
            answer_notes="Number with tolerance: 2% leaves room for rounding, none for a slipped decimal point.",
            question_rubric=_rubric("states the unit", "The dose is given in milligrams.", r"\d\s*(mg|milligrams?)\b"),
            answer_template=_code("""
                class Answer(BaseAnswer):
                    dose_mg: float = VerifiedField(
                        description="The loading dose that the answer arrives at, in milligrams.",
                        ground_truth=350,
                        verify_with=NumericTolerance(tolerance=0.02),
                    )
            """),
        ),
        "statins": Question(
            question="Which enzyme do statins inhibit?",
            raw_answer="HMG-CoA reductase",
            keywords=["mechanism", "lipids"],
            answer_notes="Text: case and surrounding spaces are ignored, and the long name counts as the short one.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    enzyme: str = VerifiedField(
                        description="Name of the enzyme that statins inhibit, as the answer gives it.",
                        ground_truth="HMG-CoA reductase",
                        verify_with=ExactMatch(
                            normalize=[
                                "lowercase",
                                "strip",
                                SynonymMap(
                                    mapping={"3-hydroxy-3-methylglutaryl-coenzyme a reductase": "hmg-coa reductase"}
                                ),
                            ]
                        ),
                    )
            """),
        ),
        "tuberculosis": Question(
            question="Which four drugs make up the first two months of the standard treatment of tuberculosis?",
            raw_answer="Isoniazid, rifampicin, pyrazinamide and ethambutol",
            keywords=["infection", "therapy"],
            question_rubric=_clarity(),
            sources=[{"@type": "CreativeWork", "name": "WHO consolidated guidelines on tuberculosis, module 4"}],
            answer_notes="List: all four and no other. The hint asks for one name of a drug that has two.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    drugs: list[str] = VerifiedField(
                        description="The drugs that the answer names, in lower case.",
                        extraction_hint="Write international names (INN), whichever names the answer uses.",
                        ground_truth=["isoniazid", "rifampicin", "pyrazinamide", "ethambutol"],
                        verify_with=SetContainment(mode="exact"),
                    )
            """),
        ),
        "imatinib": Question(
            question="On which date did the US Food and Drug Administration first approve imatinib?",
            raw_answer="10 May 2001",
            keywords=["history", "oncology"],
            author=AUTHOR,
            answer_notes="Date: the judge writes it in one format, whatever the answer uses.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    approved: str = VerifiedField(
                        description="Date of the first approval that the answer gives, as YYYY-MM-DD.",
                        ground_truth="2001-05-10",
                        verify_with=DateMatch(),
                    )
            """),
        ),
        "metformin": Question(
            question="What is the ATC code of metformin? Answer with the code alone.",
            raw_answer="A10BA02",
            keywords=["classification", "diabetes"],
            sources=[{"@type": "WebPage", "name": "ATC/DDD index", "url": "https://atcddd.fhi.no/atc_ddd_index/"}],
            answer_notes="Regex only: the answer itself is searched, without a judge.",
            question_rubric=_rubric("code alone", "Nothing stands beside the code.", r"^\s*[A-Z]\d\d[A-Z]{2}\d\d\s*$"),
            answer_template=_code(r"""
                class Answer(BaseAnswer):
                    def ground_truth(self):
                        self.correct = {}
                        self.regex = {
                            "code": {
                                "pattern": r"\b[A-Z]\d{2}[A-Z]{2}\d{2}\b",
                                "expected": "A10BA02",
                                "match_type": "exact",
                            },
                        }
            """),
        ),
        "warfarin": Question(
            question=(
                "A patient who takes warfarin is given fluconazole. Which cytochrome P450 enzyme is inhibited, "
                "and does the INR rise or fall?"
            ),
            raw_answer="CYP2C9, which clears S-warfarin, is inhibited; the INR rises.",
            keywords=["interaction", "anticoagulation"],
            question_rubric=_clarity(),
            answer_notes="Custom code: both parts are needed to pass, and each is worth half a point.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    enzyme: str = Field(description="The cytochrome P450 enzyme that is inhibited, such as CYP3A4.")
                    inr: Literal["rises", "falls", "unchanged"] = Field(description="What happens to the INR.")

                    def ground_truth(self):
                        self.correct = {"enzyme": "CYP2C9", "inr": "rises"}

                    def verify(self) -> bool:
                        return self.enzyme_is_right() and self.inr == self.correct["inr"]

                    def verify_granular(self) -> float:
                        return (self.enzyme_is_right() + (self.inr == self.correct["inr"])) / 2

                    def enzyme_is_right(self) -> bool:
                        return self.enzyme.upper().replace(" ", "").replace("-", "") == self.correct["enzyme"]
            """),
        ),
        "amiodarone": Question(
            question="To which Vaughan Williams class does amiodarone belong?",
            raw_answer="Class III, although it also has effects of the other classes.",
            keywords=["classification", "cardiology"],
            question_rubric=_clarity(),
            answer_notes="Choice: the judge must pick one of the four classes.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    drug_class: Literal["I", "II", "III", "IV"] = VerifiedField(
                        description="The class to which the answer assigns amiodarone.",
                        ground_truth="III",
                        verify_with=LiteralMatch(),
                    )
            """),
        ),
        "antidotes": Question(
            question="Name an antidote for each: paracetamol, heparin, and benzodiazepines.",
            raw_answer="Acetylcysteine, protamine, flumazenil",
            keywords=["toxicology"],
            question_rubric=_clarity(),
            answer_notes="Two of three fields are enough to pass. Paracetamol counts double in the partial credit.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    paracetamol: str = VerifiedField(
                        description="Antidote that the answer names for paracetamol.",
                        ground_truth="acetylcysteine",
                        verify_with=ContainsAny(substrings=["acetylcysteine", "nac"], normalize=["lowercase"]),
                        weight=2,
                    )
                    heparin: str = VerifiedField(
                        description="Antidote that the answer names for heparin.",
                        ground_truth="protamine",
                        verify_with=ContainsAny(substrings=["protamine"], normalize=["lowercase"]),
                    )
                    benzodiazepines: str = VerifiedField(
                        description="Antidote that the answer names for benzodiazepines.",
                        ground_truth="flumazenil",
                        verify_with=ExactMatch(),
                    )

                    class VerificationStrategy:
                        verify_strategy = AtLeastN(
                            n=2,
                            conditions=[
                                FieldCheck(field="paracetamol"),
                                FieldCheck(field="heparin"),
                                FieldCheck(field="benzodiazepines"),
                            ],
                        )
            """),
        ),
        "grapefruit": Question(
            question="In at most forty words: why does grapefruit juice raise the concentration of simvastatin?",
            raw_answer="It inhibits CYP3A4 in the gut wall, so less simvastatin is metabolised before it is absorbed.",
            keywords=["interaction", "lipids"],
            answer_notes="Trace only: the text itself is searched for the enzyme and measured, without a judge.",
            answer_template=_code(r"""
                class Answer(BaseAnswer):
                    names_the_enzyme: bool = VerifiedField(
                        description="The answer names CYP3A4.",
                        ground_truth=True,
                        verify_with=TraceRegex(pattern=r"CYP ?3A4"),
                    )
                    short_enough: bool = VerifiedField(
                        description="The answer has at most forty words.",
                        ground_truth=True,
                        verify_with=TraceLength(min=1, max=40, unit="words"),
                    )
            """),
        ),
        "morphine": Question(
            question="Roughly what percentage of an oral dose of morphine reaches the systemic circulation?",
            raw_answer="About 30% (20 to 40%), because of first-pass metabolism.",
            keywords=["pharmacokinetics", "opioids"],
            question_rubric=_clarity(),
            answer_notes="Range: sources differ, so anything from 20 to 40 passes.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    percent: float = VerifiedField(
                        description="Oral bioavailability in percent; the middle, if the answer gives a range.",
                        ground_truth=30,
                        verify_with=NumericRange(min=20, max=40),
                    )
            """),
        ),
        "paracetamol": Question(
            question="What is the usual maximum daily dose of paracetamol for a healthy adult, in grams?",
            raw_answer="4 g in 24 hours",
            keywords=["dosing", "analgesics"],
            few_shot_examples=[
                {
                    "question": "What is the usual single dose of ibuprofen for an adult, in milligrams?",
                    "answer": "400 mg",
                }
            ],
            custom_metadata={"difficulty": "easy"},
            answer_notes="One model refuses here now and then: a refusal is neither right nor wrong.",
            answer_template=_code("""
                class Answer(BaseAnswer):
                    grams: float = VerifiedField(
                        description="The maximum daily dose that the answer gives, in grams.",
                        ground_truth=4,
                        verify_with=NumericExact(),
                    )
            """),
        ),
    }


def unfinished() -> Question:
    """Still without a template, as questions are while they are being written."""
    return Question(
        question="How is gentamicin eliminated?",
        raw_answer="By the kidneys, almost entirely unchanged, by glomerular filtration.",
        keywords=["pharmacokinetics", "infection"],
        answer_notes="To do: decide whether 'renal' alone is enough.",
    )


def _rubric(name: str, description: str, pattern: str) -> dict[str, Any]:
    trait = RegexRubricTrait(name=name, description=description, pattern=pattern, higher_is_better=True)
    return Rubric(regex_traits=[trait]).model_dump(mode="json", exclude_defaults=True)


def _clarity() -> dict[str, Any]:
    """For questions that are worth a word of explanation."""
    trait = LLMRubricTrait(
        name="clarity",
        description=(
            "How well a reader who does not know the answer could follow it: 5 where it says what is so and why, 3 "
            "where it only says what, 1 where it leaves the reader without an answer."
        ),
        kind="score",
        min_score=1,
        max_score=5,
        higher_is_better=True,
    )
    return Rubric(llm_traits=[trait]).model_dump(mode="json", exclude_defaults=True)


def _code(text: str) -> str:
    return dedent(text).strip() + "\n"
