"""A benchmark whose answers were judged in a run without a model, for tests of calibrations."""

from __future__ import annotations

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import (
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    VerificationResult,
)
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.sample_answer import SampleAnswer, with_samples
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from karenina_gui.store.snapshots import Snapshot

TEMPLATE = """class Answer(BaseAnswer):
    organ: Literal["kidneys", "liver"] = VerifiedField(
        description="The organ that the answer names.",  # short on purpose
        ground_truth="kidneys",
        verify_with=LiteralMatch(),
    )
"""
DEPTH = "depth"
RUBRIC = Rubric(
    llm_traits=[
        LLMRubricTrait(name=DEPTH, description="How much is explained?", kind="score", min_score=1, max_score=5)
    ],
    regex_traits=[RegexRubricTrait(name="dose", description="A dose.", pattern=r"\d+ mg", case_sensitive=False)],
)
JUDGES = ("mild", "strict")


def questions(count: int) -> list[Question]:
    samples = with_samples(
        None, [SampleAnswer(text="A sample of the author.", values={"organ": "liver"}, judge="mild")]
    )
    return [
        Question(
            question=f"Which organ removes drug {number}?",
            raw_answer="The kidneys",
            answer_template=TEMPLATE,
            custom_metadata=samples if number == 0 else None,
        )
        for number in range(count)
    ]


def judged_benchmark(library: Library, count: int = 6, replicates: int = 3) -> int:
    """Id of a benchmark with one run of `count` questions, each answered `replicates` times, by two judges.

    The mild judge gives every answer a depth of 1 to 5 in turn, the strict one a grade less.
    """
    document = BenchmarkDocument(
        name="Organs", rubric=RUBRIC, entries=[BenchmarkEntry(question=each) for each in questions(count)]
    )
    benchmark = library.benchmarks.create(document)
    config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
    jobs, results = [], []
    for place, entry in enumerate(document.entries):
        for replicate in range(replicates):
            for judge in JUDGES:
                number = place * replicates + replicate
                key = f"{entry.id}\t{judge}\t{replicate}"
                jobs.append(Job(key, entry.id, "ada", judge, replicate + 1))
                results.append((key, _result(entry.question, judge, number)))
    snapshot = Snapshot.of(document)
    run = library.runs.create(RunPlan(benchmark, "run 1", config, jobs, "s", snapshot.hash, snapshot))
    for key, result in results:
        library.runs.record(run, key, result)
    library.runs.finish(run, "completed")
    return benchmark


def depth(benchmark_id: int) -> CalibrationTarget:
    return CalibrationTarget(benchmark_id, None, "trait", DEPTH)


def _result(question: Question, judge: str, number: int) -> VerificationResult:
    grade = max(1, number % 5 + 1 - (judge == "strict"))
    metadata = ResultMetadata(
        question_id=question.id,
        template_id="t",
        question_text=question.question,
        answering=ModelIdentity(interface="manual", model_name="ada"),
        parsing=ModelIdentity(interface="manual", model_name=judge),
    )
    text = f"Answer {number}: the {'kidneys' if number % 2 else 'liver'}{', 50 MG' if number % 3 == 0 else ''}."
    template = ResultTemplate(
        verify_result=True, raw_llm_response=text, parsed_llm_response={"organ": "kidneys" if number % 2 else "liver"}
    )
    rubric = ResultRubric(llm_trait_scores={DEPTH: grade}, regex_trait_scores={"dose": number % 3 == 0})
    return VerificationResult(metadata=metadata, template=template, rubric=rubric)
