"""A library as large as the application is meant for: 10,000 questions, and a run of 100,000 results.

    python tests/benchmarks/large_library.py FOLDER [QUESTIONS RESULTS]

Everything in it is made up, the same each time. Results are written past the run itself, so that a minute is enough.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from sqlmodel import Session, insert, select, update  # noqa: E402

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry  # noqa: E402
from karenina_gui.schemas.job import expand  # noqa: E402
from karenina_gui.schemas.model_config import ModelConfig  # noqa: E402
from karenina_gui.schemas.question import Question  # noqa: E402
from karenina_gui.schemas.result import (  # noqa: E402
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    StageRecord,
    VerificationResult,
)
from karenina_gui.schemas.verification_config import VerificationConfig  # noqa: E402
from karenina_gui.store import tables  # noqa: E402
from karenina_gui.store.library import Library  # noqa: E402
from karenina_gui.store.results import document_of, light_columns  # noqa: E402
from karenina_gui.store.runs import RunPlan  # noqa: E402

QUESTIONS, RESULTS = 10_000, 100_000
MODELS, REPLICATES = ("sonnet", "haiku", "gpt", "llama", "qwen"), 4
KEYWORDS = [f"keyword {number}" for number in range(40)]
WORDS = [
    "gene", "protein", "kinase", "inhibitor", "receptor", "pathway", "expression", "mutation", "binding",
    "dose", "patient", "cohort", "trial", "variant", "membrane", "enzyme", "substrate", "tumour", "response",
    "venetoclax", "BCL2", "CYP3A4", "p53", "signalling", "apoptosis", "resistance", "clinical", "approved",
    "indication", "mechanism", "target", "compound", "assay", "cell", "line", "mouse", "human", "serum",
    "plasma", "half-life",
]  # fmt: skip
TEMPLATE = '''class Answer(BaseAnswer):
    """What the answer says of {gene}."""

    gene: str = Field(description="The gene that the answer names, by its HGNC symbol, in capitals")
    dose: float = Field(description="The dose in milligrams that the answer gives; 0 where it gives none")
    approved: bool = Field(description="True when the answer says that the compound is approved for this indication")

    def ground_truth(self):
        self.correct = {{"gene": "{gene}", "dose": {dose}.0, "approved": True}}

    def verify(self):
        return self.gene.strip().upper() == self.correct["gene"] and abs(self.dose - self.correct["dose"]) < 0.5
'''


def fill(folder: Path, questions: int = QUESTIONS, results: int = RESULTS) -> tuple[int, int]:
    """Number of the benchmark and of its run."""
    chance = random.Random(7)
    with Library.open(folder) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="Ten thousand questions"))
        entries = [entry(chance, number) for number in range(questions)]
        library.questions.add_all(benchmark, entries)
        with library._database.writing() as session:  # as after their templates were checked
            session.execute(update(tables.QuestionRow).values(template_valid=True))
        models = [ModelConfig(id=name, model_name=name, interface="openai_endpoint") for name in MODELS]
        config = VerificationConfig(answering_models=models, replicate_count=REPLICATES)
        asked = [each.question for each in entries[: results // len(MODELS) // REPLICATES]]
        jobs = expand([question.id for question in asked], config)
        started = time.perf_counter()
        run = library.runs.create(RunPlan(benchmark, "A hundred thousand", config, jobs, "seccomp", "none"))
        print(f"{len(jobs):,} jobs planned in {time.perf_counter() - started:.1f} s", flush=True)
        with library._database.writing() as session:
            record(session, run, {question.id: question for question in asked}, chance)
        library.runs.finish(run, "completed")
    return benchmark, run


def entry(chance: random.Random, number: int) -> BenchmarkEntry:
    question = Question(
        question=f"{sentence(chance, 12, 40)}, number {number}?",
        raw_answer=sentence(chance, 3, 12),
        keywords=chance.sample(KEYWORDS, chance.randint(1, 4)),
        answer_notes=sentence(chance, 0, 20),
        answer_template=TEMPLATE.format(gene=f"GENE{number % 500}", dose=chance.randint(1, 500)),
    )
    return BenchmarkEntry(question=question, finished=chance.random() < 0.8)


def record(session: Session, run: int, asked: dict[str, Question], chance: random.Random) -> None:
    """A result for each planned job, as `Runs.record` writes it, many in one step."""
    outcomes: dict[str, int] = {}
    jobs = session.exec(select(tables.JobRow).where(tables.JobRow.run_id == run).order_by(tables.JobRow.position)).all()
    for chunk in chunks(list(jobs), 1000):
        made = [result(chance, asked[job.question_id], job) for job in chunk]
        rows = [light_columns(job, each) for job, each in zip(chunk, made, strict=True)]
        numbers = session.scalars(
            insert(tables.ResultRow).returning(tables.ResultRow.id, sort_by_parameter_order=True), rows
        ).all()
        session.execute(
            insert(tables.PayloadRow),
            [{"result_id": number, "document": document_of(each)} for number, each in zip(numbers, made, strict=True)],
        )
        for row in rows:
            outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + 1
    session.execute(update(tables.JobRow).values(status="done"))
    session.execute(update(tables.RunRow).values(done=len(jobs), outcomes=outcomes))


def result(chance: random.Random, question: Question, job: tables.JobRow) -> VerificationResult:
    """About 2 kB; the models differ in how often they are right, some calls fail."""
    passed = chance.random() < 0.4 + 0.1 * MODELS.index(job.answering)
    failure = None
    if chance.random() < 0.02:
        failure = Failure(category="timeout", stage="GenerateAnswer", reason="no answer within 120 s")
    elif chance.random() < 0.02:
        failure = Failure(category="refusal", stage="AbstentionCheck", reason="The model refused to answer.")
    answer = sentence(chance, 60, 90)
    metadata = ResultMetadata(
        question_id=question.id, template_id="0" * 32, question_text=question.question, raw_answer=question.raw_answer,
        keywords=question.keywords, answering=ModelIdentity(interface="openai_endpoint", model_name=job.answering),
        execution_time=round(chance.expovariate(0.2), 3), timestamp="2026-01-01 12:00:00", replicate=job.replicate,
        failure=failure, run_name="A hundred thousand",
    )  # fmt: skip
    template = ResultTemplate(
        raw_llm_response=answer,
        trace_messages=[{"role": "user", "content": question.question}, {"role": "assistant", "content": answer}],
        parsed_gt_response={"gene": "BCL2", "dose": 5.0, "approved": True},
        parsed_llm_response={"gene": "BCL2", "dose": 5.0, "approved": passed},
        template_verification_performed=True,
        verify_result=None if failure else passed,
        usage_metadata={"total": {"total_tokens": chance.randint(200, 4000)}},
    )
    rubric = ResultRubric(
        rubric_evaluation_performed=True,
        llm_trait_scores={"clear": chance.random() < 0.7, "concise": chance.randint(1, 5)},
        regex_trait_scores={"cites a source": chance.random() < 0.3},
    )
    timed_out = failure is not None and failure.category == "timeout"
    return VerificationResult(
        metadata=metadata, template=template, rubric=rubric,
        error="No answer came within 120 s." if timed_out else None, completed_without_errors=not timed_out,
        stages=[StageRecord(name=name, status="ran", seconds=0.5) for name in ("GenerateAnswer", "ParseTemplate")],
    )  # fmt: skip


def sentence(chance: random.Random, least: int, most: int) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(least, most))).capitalize()


def chunks(rows: list[Any], size: int) -> Iterator[list[Any]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


if __name__ == "__main__":
    fill(Path(sys.argv[1]), *map(int, sys.argv[2:]))
