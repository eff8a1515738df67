"""Workers are checked before they get a job: versions, workspaces, and the encryption of their connection."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from karenina_gui import Benchmark
from karenina_gui.errors import ClusterError
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceLimits
from tests.cluster.conftest import Cluster, answer_and_judge, document, model
from tests.cluster.test_cluster_runs import comparable
from tests.twin import Asked, Call, Reply, Twin
from tests.until import comes


@pytest.fixture
def other_version(tmp_path: Path) -> dict[str, str]:
    """Environment in which the product has another version."""
    package = tmp_path / "karenina_gui-9.9.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: karenina-gui\nVersion: 9.9\n")
    return {"PYTHONPATH": str(tmp_path)}


def test_a_worker_with_another_version_is_named_before_the_first_job(
    cluster: Cluster, other_version: dict[str, str]
) -> None:
    cluster.start_scheduler()
    cluster.start_worker("ada")
    cluster.start_worker("old", **other_version)
    cluster.wait(2)
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")])
        with pytest.raises(ClusterError, match=r"worker at tcp://\S+ has version 9\.9 of karenina-gui"):
            Benchmark(document(1)).run_verification(config, cluster=cluster.address)
        assert twin.requests == []


def test_a_worker_with_another_version_that_joins_later_ends_the_run(
    cluster: Cluster, other_version: dict[str, str]
) -> None:
    cluster.start_scheduler()
    cluster.start_worker("ada")
    cluster.wait(1)

    def script(asked: Asked) -> Reply:
        if asked.model == "m" and asked.number == 1:
            cluster.start_worker("late", **other_version)
        return replace(answer_and_judge(asked), delay=0.2)

    with Twin(script) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")])
        with pytest.raises(ClusterError, match=r"worker late at tcp://\S+ can’t be used\. It has version 9\.9"):
            Benchmark(document(200)).run_verification(config, cluster=cluster.address)


def test_a_workspace_root_that_a_worker_does_not_see_ends_the_run_before_the_first_job(
    two_workers: Cluster, tmp_path: Path
) -> None:
    benchmark = Benchmark.create("tasks", workspace_root=tmp_path / "elsewhere")
    benchmark.add_question(
        Question(question="Write.", raw_answer="", answer_template="class Answer(BaseAnswer): pass", workspace_path="a")
    )
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m", workspace_tools=["write_file"])])
        with pytest.raises(ClusterError, match="can’t write to the workspace root"):
            benchmark.run_verification(config, cluster=two_workers.address)
        assert twin.requests == []


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster with certificates."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    cluster = Cluster(certificate=(certificate, key))
    try:
        yield cluster
    finally:
        cluster.close()


def test_a_run_over_an_encrypted_connection(encrypted: Cluster) -> None:
    encrypted.start_scheduler()
    encrypted.start_worker("ada")
    encrypted.wait(1)
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")])
        results = Benchmark(document(2)).run_verification(config, cluster=encrypted.address)
    assert [result.error for result in results] == [None, None]


ADDS = """
class Answer(BaseAnswer):
    sum: int = VerifiedField(description="What came out.", ground_truth=12, verify_with=NumericExact())
"""


def test_agents_and_judges_work_in_the_same_workspace_on_different_workers(
    two_workers: Cluster, tmp_path: Path
) -> None:
    """The agent writes and runs a program; judges, who get its work wherever they are, run it again."""
    if refusal := CommandBox(WorkspaceLimits()).refusal:
        pytest.skip(refusal)
    root = tmp_path / "root"
    (root / "task").mkdir(parents=True)
    (root / "task" / "numbers").write_text("5\n7\n")
    benchmark = Benchmark.create("sums", workspace_root=root)
    benchmark.add_question(
        Question(question="Add them.", raw_answer="12", answer_template=ADDS, workspace_path="task"), finished=True
    )

    program = {"path": "add.sh", "content": "echo $(($(paste -sd+ numbers)))\n"}

    def script(asked: Asked) -> Reply:
        if asked.schema and not asked.tools:
            return Reply(data={"sum": 12})
        turn = len(asked.results)
        if asked.model == "agent" and turn == 0:
            return Reply(calls=[Call("write_file", program, "1")])
        if turn < 2 if asked.model == "agent" else turn < 1:
            return Reply(calls=[Call("run_command", {"command": "sh add.sh"}, "2")])
        return Reply(text=f"It prints {asked.results[-1][1]}")

    with Twin(script) as twin:
        config = VerificationConfig(
            answering_models=[model(twin, "agent", workspace_tools=["write_file", "run_command"])],
            parsing_models=[model(twin, "judge"), model(twin, "other-judge")],
            agentic_parsing=True,
            replicate_count=3,
            async_max_workers=6,
        )
        here = benchmark.run_verification(config)
        there = benchmark.run_verification(config, cluster=two_workers.address)
    assert [(result.error, result.passed) for result in there] == [(None, True)] * 6
    assert [comparable(result) for result in there] == [comparable(result) for result in here]
    assert all("12" in str(result.template and result.template.investigation_trace) for result in there)
    assert [path.name for path in root.iterdir()] == ["task"]
    assert [path.name for path in (root / "task").iterdir()] == ["numbers"]


def test_a_run_ends_its_calls_when_its_worker_stops_in_order(cluster: Cluster) -> None:
    """A worker that is told to stop ends at once, although a call is in flight."""
    cluster.start_scheduler()
    cluster.start_worker("ada")
    cluster.wait(1)
    cancelled = threading.Event()
    with Twin(lambda asked: Reply(hangs=True)) as twin:
        config = VerificationConfig(answering_models=[model(twin, "m")], parsing_models=[model(twin, "judge")])
        run = threading.Thread(
            target=Benchmark(document(1)).run_verification,
            args=(config,),
            kwargs={"cluster": cluster.address, "cancelled": cancelled.is_set},
        )
        run.start()
        assert comes(lambda: twin.requests)
        worker = cluster.workers["ada"]
        worker.terminate()
        assert worker.wait(10) == 0
        cancelled.set()
        run.join()
