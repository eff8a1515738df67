"""Processes of a cluster that are killed at random moments of a run."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.cluster.conftest import Cluster, document, model
from tests.examples import examples
from tests.twin import Asked, Reply, Twin

WIDTH = 4
"""Jobs at once."""
KILLS = examples(3, 50)
QUESTIONS = 16 + 4 * KILLS

COORDINATOR = """
import sys
from pathlib import Path
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.consents import UNLIMITED
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.cluster.clusters import Clusters
from karenina_gui.runs.service import RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.store.library import Library

clusters = Clusters(ClusterAddress(""), UNLIMITED)
with Library.open(Path(sys.argv[1])) as library, Sandbox(slots=1) as sandbox:
    service = RunService(library, sandbox, lambda recorder: AdapterFactory(), clusters=clusters)
    if library.runs.jobs_left(int(sys.argv[2])):
        service.resume(int(sys.argv[2]))
        service.wait(int(sys.argv[2]))
"""


def test_kills_cost_no_job_and_repeat_only_answers_in_flight(cluster: Cluster, tmp_path: Path) -> None:
    chance = random.Random(54)
    victims = ["worker", "scheduler", "coordinator"]
    kills = [*victims, *(chance.choice(victims) for _ in range(KILLS - len(victims)))]
    cluster.start_scheduler()
    cluster.start_worker("ada")
    cluster.start_worker("eve")
    cluster.wait(2)
    with Twin(answer_or_judge) as twin:
        run = plan(tmp_path, twin, cluster)
        coordinator = start_coordinator(tmp_path, run)
        try:
            for number, victim in enumerate(kills):
                wait_for_requests(twin, len(twin.requests) + chance.randrange(2, 7), coordinator)
                if victim == "worker":
                    name = chance.choice(sorted(cluster.workers))
                    cluster.kill_worker(name)
                    cluster.start_worker(f"{name[:3]}-{number}")
                elif victim == "scheduler":
                    cluster.kill_scheduler()
                    cluster.start_scheduler()
                else:
                    coordinator.kill()
                    coordinator.wait()
                    coordinator = start_coordinator(tmp_path, run)
            coordinator.wait(120)
        finally:
            coordinator.kill()
            coordinator.wait()
        requests = [(question_of(asked), asked.schema is not None) for asked in twin.requests]
    with Library.open(tmp_path) as library:
        assert library.runs.summary(run).status == "completed"
        outcomes = library.runs.summary(run).outcomes
        assert library.runs.jobs_left(run) == []
    assert outcomes == {"passed": QUESTIONS}
    answers = Counter(question for question, judged in requests if not judged)
    assert len(answers) == QUESTIONS
    # An answer is judged once it is saved.
    saved: set[str] = set()
    for question, judged in requests:
        assert judged or question not in saved, f"the answer to {question} was generated again"
        if judged:
            saved.add(question)
    assert answers.total() - QUESTIONS <= (1 + KILLS) * WIDTH  # at each kill, and when the run was planned


def answer_or_judge(asked: Asked) -> Reply:
    if asked.schema:
        return Reply(data={"target": "BCL2"}, delay=0.1)
    return Reply(text=f"It is BCL2. ({question_of(asked)})", delay=0.1)


def question_of(asked: Asked) -> str:
    match = re.search(r"Target \d+\?", str(asked.body))
    assert match
    return match[0]


def plan(folder: Path, twin: Twin, cluster: Cluster) -> int:
    """A run that was stopped right after its start."""
    config = VerificationConfig(
        answering_models=[model(twin, "m")],
        parsing_models=[model(twin, "judge")],
        async_max_workers=WIDTH,
        cluster=cluster.address.address,
    )
    with Library.open(folder) as library, Sandbox(slots=1) as sandbox:
        service = RunService(library, sandbox, lambda recorder: AdapterFactory())
        run = service.start(RunOrder(library.benchmarks.create(document(QUESTIONS)), config))
        service.close()
    return run


def start_coordinator(folder: Path, run: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", COORDINATOR, str(folder), str(run)])


def wait_for_requests(twin: Twin, count: int, coordinator: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while len(twin.requests) < count and coordinator.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
