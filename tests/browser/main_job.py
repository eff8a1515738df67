"""The main job, shared by its journeys: five questions with templates, a model that knows more when it is told how."""

from __future__ import annotations

from dataclasses import dataclass

from tests.twin import Asked, Reply, fitting

MODEL = "ada"
KEY_VARIABLE = "MAIN_JOB_KEY"
KEY = "sk-main-job-5f81c02e9d"
"""The twin answers nobody without it."""
BENCHMARK = "Drugs and vitamins"
PROMPT = "Answer as a pharmacist. Look every number up."
PLAIN, CAREFUL = "without system prompt", "with system prompt"
"""The names of the two conditions, as the page gives them."""
REPLICATES = 2


@dataclass(frozen=True)
class Task:
    """One question, from its writing to what the model says of it."""

    text: str
    reference: str
    starter: str
    """Title of the template to start from."""
    description: str
    """What the author writes for the judge, over the starter's sentence."""
    field: str
    right: str
    """As it is typed into “Try it”."""
    wrong: str
    answer: str
    """What the model says when it knows."""
    slip: str
    """What it says without the system prompt; the same as `answer`, where it knows all the same."""
    read: object
    """What the judge reads from `answer`."""
    read_slip: object = None
    expected: str = ""
    """Expected value as it is typed; empty: the starter takes it from the reference answer."""

    @property
    def is_chosen(self) -> bool:
        """Whether “Try it” offers values to choose from."""
        return isinstance(self.read, bool)


TASKS = (
    Task(
        text="Is metformin broken down by the liver?",
        reference="No, the kidneys excrete it unchanged.",
        starter="Yes or no",
        description="True if the answer says that metformin is broken down by the liver, otherwise false.",
        field="claim",
        right="no",
        wrong="yes",
        answer="No. Metformin leaves the body unchanged.",
        slip="No. Metformin leaves the body unchanged.",
        read=False,
    ),
    Task(
        text="What is the half-life of warfarin in hours?",
        reference="40 hours",
        starter="Number",
        description="The number that the answer gives for the half-life, in hours.",
        field="value",
        right="41",
        wrong="36",
        answer="About 40 hours.",
        slip="Roughly 36 hours.",
        read=40,
        read_slip=36,
    ),
    Task(
        text="Which enzyme do statins inhibit?",
        reference="HMG-CoA reductase",
        starter="Text",
        description="The name of the enzyme that the answer gives.",
        field="name",
        right="hmg-coa reductase",
        wrong="CYP3A4",
        answer="Statins inhibit HMG-CoA reductase.",
        slip="Statins inhibit HMG-CoA reductase.",
        read="HMG-CoA reductase",
    ),
    Task(
        text="Which vitamins dissolve in fat?",
        reference="A, D, E, K",
        starter="List",
        description="Everything that the answer names as a vitamin that dissolves in fat, in lower case.",
        field="items",
        right="k\ne\nd\na",
        wrong="a\nd\ne",
        answer="The vitamins A, D and E.",
        slip="The vitamins A, D and E.",
        read=["a", "d", "e"],
    ),
    Task(
        text="On which day was insulin first given to a patient?",
        reference="11 January 1922, in Toronto",
        starter="Date",
        description="The date that the answer gives, as YYYY-MM-DD.",
        expected="1922-01-11",
        field="date",
        right="1922-01-11",
        wrong="1921-07-27",
        answer="On 11 January 1922.",
        slip="On 27 July 1921.",
        read="1922-01-11",
        read_slip="1921-07-27",
    ),
)
FIRST_TEXT = "Does the liver break down metformin?"
"""The text of the first question before it is edited again."""

RESULTS = len(TASKS) * REPLICATES * 2
COUNTS = {PLAIN: "40% · 4 of 10 results", CAREFUL: "80% · 8 of 10 results"}
"""Passed of judged by condition: the list is never complete; number and date take the system prompt."""
FAILED = TASKS[3]
FAILED_WORDS = "items = “a”, “d”, “e”, expected “a”, “d”, “e”, “k”."
FAILED_ROW = "items a, d, e a, d, e, k differs"
COMPARISON = "Pairwise comparison"
COMPARED = f"No significant difference in pass rate between {MODEL} · {PLAIN} and {MODEL} · {CAREFUL}"
"""In the sentence of that chart: five questions are too few."""


def script(asked: Asked) -> Reply:
    """The provider: checks the key, answers as the tasks say, and reads answers into fields as a judge."""
    if asked.key != KEY:
        return Reply(status=401, message="Incorrect API key provided.")
    if asked.schema is None:
        return Reply(text=_answer(asked))
    fields = list(asked.schema["properties"])
    said = asked.text.partition("<answer>")[2].partition("</answer>")[0].strip()
    for task in TASKS:
        if fields == [task.field] and said in (task.answer, task.slip):
            return Reply(data={task.field: task.read if said == task.answer else task.read_slip})
    return Reply(data=fitting(asked.schema))  # a test of the connection


def _answer(asked: Asked) -> str:
    told = PROMPT in asked.system
    known = (task.answer if told else task.slip for task in TASKS if task.text in asked.text)
    return next(known, "OK")
