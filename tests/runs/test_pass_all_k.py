"""pass^k from recorded answers with replicates, through a run to the statistics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.analysis.metrics import VERDICT
from karenina_gui.analysis.scores import Scores
from karenina_gui.analysis.statistics.pass_at_k import curve
from karenina_gui.benchmark import Benchmark
from karenina_gui.formats.recorded_answers import TraceColumns, match_traces, read_traces
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job_table import JobTable
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.job_tables import column
from tests.template_texts import FORTY_TWO

Trial = dict[str, Any]

RIGHT_CHANGES = '''
import ast
import re

EXPECTED = {expected!r}
OUTPUTS = {outputs!r}
CHANGES = {{
    "book_reservation", "cancel_reservation", "send_certificate", "update_reservation_baggages",
    "update_reservation_flights", "update_reservation_passengers",
}}
CALL = re.compile(r"^  (\\w+) \\(.*\\)\\n   Call ID: .*\\n   Args: (.*)$", re.M)


class Answer(BaseAnswer):
    """Passes where the agent has changed all that it should and nothing else, has said what was asked for, and has come
    to an end by itself: to hand the customer over is one. Which is how the data set gives its rewards."""

    def verify_regex(self, raw_llm_response):
        blocks = re.split(r"^(--- (?:AI|Tool) Message.*---)$", raw_llm_response, flags=re.M)
        said, done, last = "", [], ""
        for header, body in zip(blocks[1::2], blocks[2::2]):
            if header.startswith("--- AI"):
                last = ""
                said += body.lower().replace(",", "")
                waiting = [(name, ast.literal_eval(arguments)) for name, arguments in CALL.findall(body)]
            elif waiting:
                last, arguments = waiting.pop(0)
                if last in CHANGES and not body.strip().removeprefix("[ERROR] ").startswith("Error"):
                    done.append((last, arguments))
        wanted = [change for change in EXPECTED if change[0] in CHANGES]
        found = {{
            "changes": sorted(map(plain, done)) == sorted(map(plain, wanted)),
            "outputs": all(output in said for output in OUTPUTS),
            "end": last in ("", "transfer_to_human_agents"),
        }}
        return {{"success": all(found.values()), "results": found, "details": {{}}}}


def plain(change):
    """Of a flight only what tells it apart: where it goes need not be said."""
    name, arguments = change
    flights = [(flight["flight_number"], flight["date"]) for flight in arguments.get("flights", [])]
    return name, repr(sorted((arguments | {{"flights": flights}}).items()))
'''


@pytest.fixture(scope="module")
def source(shared: Path) -> Path:
    return shared / "data" / "tau-airline-gpt-4o.json"


@pytest.fixture(scope="module")
def trials(source: Path) -> list[Trial]:
    return sorted(json.loads(source.read_text()), key=lambda trial: (trial["task_id"], trial["trial"]))


@pytest.fixture(scope="module")
def published(
    source: Path, trials: list[Trial], sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JobTable]:
    """Job table of a run of all 80 published conversations."""
    benchmark = Benchmark.create("airline")
    for trial in trials[::4]:
        expected = [(action["name"], action["kwargs"]) for action in trial["expected_actions"]]
        outputs = [output.lower().replace(",", "") for output in trial["expected_outputs"]]
        template = RIGHT_CHANGES.format(expected=expected, outputs=outputs)
        benchmark.add_question(
            Question(question=trial["instruction"], raw_answer="", id=str(trial["task_id"]), answer_template=template)
        )
    recorded = match_traces(read_traces(source, TraceColumns("task_id", "messages", "trial")), list(benchmark)).traces
    with Library.open(tmp_path_factory.mktemp("airline")) as library:
        service = RunService(library, sandbox, lambda recorder: AdapterFactory(environment={}, recorder=recorder))
        yield table_of(library, service, benchmark.document, recorded)
        service.close()


def test_each_published_conversation_gets_the_verdict_of_its_published_reward(
    published: JobTable, trials: list[Trial]
) -> None:
    places = zip(*(column(published, name) for name in ("question_id", "replicate", "outcome")), strict=True)
    found = [(question, replicate, outcome == "passed") for question, replicate, outcome in places]
    assert found == [(str(trial["task_id"]), trial["trial"] + 1, trial["reward"] == 1) for trial in trials]
    assert set(column(published, "outcome")) == {"passed", "wrong"}


def test_pass_all_k_of_the_published_conversations_is_what_their_rewards_give(
    published: JobTable, trials: list[Trial]
) -> None:
    rewards: dict[int, list[bool]] = {}
    for trial in trials:
        rewards.setdefault(trial["task_id"], []).append(trial["reward"] == 1)
    estimates = curve(*counted(published), "all")
    assert [estimate.value for estimate in estimates] == pytest.approx(by_hand(list(rewards.values())), abs=1e-12)
    assert [estimate.n for estimate in estimates] == [20] * 4


PASSED: dict[str, Sequence[str | None]] = {
    "always": ("42", "42", "42", "42"),
    "mostly": ("42", "41", "42", "42"),
    "seldom": ("40", "41", "43", "42"),
    "never": ("1", "2", "3", "4"),
    "twice": ("42", None, "42", None),
}
"""Recorded answers by question; None: missing, so that the job ends with an error."""


def test_an_answer_that_did_not_come_counts_neither_as_passed_nor_as_failed(
    library: Library, service: RunService
) -> None:
    document = BenchmarkDocument(name="forty-two")
    for name in PASSED:
        document.add(Question(question=f"{name}?", raw_answer="42", id=name, answer_template=FORTY_TWO))
    table = table_of(library, service, document, PASSED)
    assert column(table, "outcome")[-4:] == ["passed", "error", "passed", "error"]
    estimates = curve(*counted(table), "all")
    known = [[answer == "42" for answer in answers if answer] for answers in PASSED.values()]
    assert [estimate.value for estimate in estimates] == pytest.approx(by_hand(known), abs=1e-12)
    assert [estimate.value for estimate in estimates] == pytest.approx(
        [(1 + 0.75 + 0.25 + 0 + 1) / 5, (1 + 0.5 + 0 + 0 + 1) / 5, (1 + 0.25 + 0 + 0) / 4, 1 / 4]
    )
    assert [estimate.n for estimate in estimates] == [5, 5, 4, 4]


def table_of(
    library: Library, service: RunService, document: BenchmarkDocument, recorded: Mapping[str, Any]
) -> JobTable:
    """Job table of a run with four recorded answers for each question."""
    model = ModelConfig(id="gpt-4o", interface="manual", manual_traces=dict(recorded))
    config = VerificationConfig(answering_models=[model], replicate_count=4, async_max_workers=2)
    run = service.start(RunOrder(library.benchmarks.create(document), config))
    assert service.wait(run, 60)
    return library.results.table(run)


def counted(table: JobTable) -> tuple[Any, Any]:
    """Numbers of judged and of passed answers by question."""
    cells = Scores.of(table, VERDICT).cells
    scored = cells.scored[:, 0]
    return scored, (cells.mean[:, 0] * scored).round().astype(int)


def by_hand(questions: Sequence[Sequence[bool]]) -> list[float]:
    """Share of all choices of k answers in which every one passed, by k, averaged over questions.

    Questions with fewer than k answers are left out.
    """
    found = []
    for k in range(1, 5):
        shares = []
        for passed in questions:
            if chosen := list(combinations(passed, k)):
                shares.append(sum(map(all, chosen)) / len(chosen))
        found.append(sum(shares) / len(shares))
    return found
