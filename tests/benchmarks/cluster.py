"""A run on a cluster beside the same run on threads: `python tests/benchmarks/cluster.py [ROUNDS]`.

The run of `run_overhead.py` (200 questions with a template each, answers and judges at 200 ms), on the threads of this
process and on two and four workers of this computer, in turn. No template is used twice, so that none is cached. Prints
the window (first request to last reply), and its ratio to that of the threads: minimum, median and maximum of the
rounds. It should be at most 1.6 with 64 jobs at once on two processors. Then likewise a run of agents, which write and
run a program in a workspace each.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from karenina_gui import Benchmark, ModelConfig, VerificationConfig
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.schemas.question import Question
from tests.benchmarks.run_overhead import DATA, LATENCY, QUESTIONS, WIDTHS, provider, spread
from tests.cluster.conftest import Cluster

WORKERS = (2, 4)
TASKS = 100
_numbers = count()


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with ExitStack() as stack:
        ways: dict[str, ClusterAddress | None] = {"threads": None}
        for number in WORKERS:
            cluster = Cluster()
            stack.callback(cluster.close)
            cluster.start_scheduler()
            for index in range(number):
                cluster.start_worker(f"worker-{index}")
            cluster.wait(number)
            ways[f"{number} workers"] = cluster.address
            window(cluster.address, 16)  # their sandboxes are running
        for width in WIDTHS:
            compare(window, f"{QUESTIONS} questions", ways, width, rounds)
        for width in WIDTHS:
            compare(agentic_window, f"{TASKS} agents", ways, width, rounds)


def compare(
    measure: Callable[[ClusterAddress | None, int], float],
    title: str,
    ways: Mapping[str, ClusterAddress | None],
    width: int,
    rounds: int,
) -> None:
    windows: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, where in ways.items():
            windows[way].append(measure(where, width))
    print(f"\n{title}, {width} at a time, {rounds} rounds")
    print(f"{'':<12}{'window s':>18}{'ratio':>18}")
    for way, seconds in windows.items():
        ratios = [other / threads for other, threads in zip(seconds, windows["threads"], strict=True)]
        print(f"{way:<12}{spread(seconds):>18}{spread(ratios):>18}")


def window(where: ClusterAddress | None, width: int) -> float:
    """Seconds from the first request to the last reply."""
    benchmark, unique = Benchmark.create("measured"), next(_numbers)
    for number in range(QUESTIONS):
        source = f"# {unique}\n{DATA.format(number=number)}"
        benchmark.add_question(f"What is the dose of question {number}?", str(number), answer_template=source)
    with provider() as (address, ask):
        model = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url=address)
        config = VerificationConfig(answering_models=[model], parsing_models=[model], async_max_workers=width)
        results = benchmark.run_verification(config, cluster=where)
        starts = ask()
    assert all(result.template and result.template.verify_result for result in results)
    return max(starts) + LATENCY - min(starts)


def agentic_window(where: ClusterAddress | None, width: int) -> float:
    """Seconds from the first request to the last reply of a run in which agents work in workspaces."""
    with tempfile.TemporaryDirectory() as folder, provider() as (address, ask):
        benchmark, unique = Benchmark.create("measured", workspace_root=Path(folder)), next(_numbers)
        for number in range(TASKS):
            (Path(folder) / f"task-{number}").mkdir()
            template = f"# {unique}\n{DATA.format(number=number)}"
            question = Question(
                question=f"What is the dose of question {number}?",
                raw_answer=str(number),
                answer_template=template,
                workspace_path=f"task-{number}",
            )
            benchmark.add_question(question, finished=True)
        judge = ModelConfig(id="j", model_name="m", interface="openai_endpoint", endpoint_base_url=address)
        agent = judge.model_copy(update={"id": "m", "workspace_tools": ["write_file", "run_command"]})
        config = VerificationConfig(answering_models=[agent], parsing_models=[judge], async_max_workers=width)
        results = benchmark.run_verification(config, cluster=where)
        starts = ask()
    assert all(result.template and result.template.verify_result for result in results), results[0]
    return max(starts) + LATENCY - min(starts)


if __name__ == "__main__":
    main()
