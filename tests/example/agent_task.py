"""The agent task of the example: a question with a workspace, and traits that an agent looks into."""

from __future__ import annotations

from karenina_gui import Question, Rubric
from karenina_gui.schemas.rubric import AgenticRubricTrait, RegexRubricTrait
from tests.example.questions import AUTHOR, _code

NAME = "Agents: a first look"
DESCRIPTION = (
    "An agent task: two sample agents work in a folder of files, and a third inspects the result. Replies are "
    "recorded; tools really run, on copies of the folder. Change anything; you can always open a fresh copy."
)


def question() -> Question:
    return Question(
        question=(
            "The folder has the records of twenty patients who take metformin (patients.csv) and the rule of the "
            "clinic (rule.md). Which patients take more than the rule allows? Write their numbers into findings.txt, "
            "one a line in the order of the file, leave the other files as they are, and say how many patients there "
            "are."
        ),
        raw_answer="Five: P03, P08, P11, P14 and P17.",
        keywords=["agent", "kidney function"],
        author=AUTHOR,
        answer_notes=(
            "The verdict rests on the file that the agent leaves, not on what it says: P14 has an eGFR of exactly 30, "
            "P05 of exactly 45."
        ),
        workspace_path="metformin_review",
        answer_template=_code("""
            class Answer(BaseAnswer):
                patients: list[str] = VerifiedField(
                    description="Numbers of the patients that findings.txt lists, such as P07; empty without it.",
                    ground_truth=["P03", "P08", "P11", "P14", "P17"],
                    verify_with=SetContainment(mode="exact"),
                )
                one_a_line: bool = VerifiedField(
                    description="True if findings.txt has one patient number a line and nothing else.",
                    ground_truth=True,
                    verify_with=BooleanMatch(),
                )
        """),
    )


def rubric() -> Rubric:
    return Rubric(
        regex_traits=[
            RegexRubricTrait(
                name="says how many",
                description="The final message says how many patients there are.",
                pattern=r"\b([Tt]wo|[Ff]ive|\d+)\b[^.]*\bpatients?\b",
                higher_is_better=True,
            )
        ],
        agentic_traits=[
            AgenticRubricTrait(
                name="left the data as it was",
                description="The agent changed none of the files that were in the folder before.",
                kind="boolean",
                higher_is_better=True,
            ),
            AgenticRubricTrait(
                name="care",
                description="How carefully the agent worked: did it read the rule, leave a file, check its result?",
                kind="score",
                min_score=1,
                max_score=5,
                higher_is_better=True,
            ),
        ],
    )
