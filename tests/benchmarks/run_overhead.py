"""How close a whole run comes to the provider's own speed: `python tests/benchmarks/run_overhead.py [ROUNDS [WAY …]]`.

200 questions with a template each, one answer and one judge's reply for every question, from a provider in another
process that takes 200 ms. Beside the run, in turn with it, the bare SDK makes the same calls in a thread pool. Prints
the window (first request to last reply), its ratio to the SDK's, the time until the first request left, processor time
per question and the peak memory of all processes: minimum, median and maximum of the rounds.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

QUESTIONS, LATENCY = 200, 0.2
WIDTHS = (16, 64)
TOOL_CALLS = (
    ("write_file", {"path": "add.sh", "content": "echo $((40 + 2))\n"}),
    ("run_command", {"command": "sh add.sh"}),
)
"""Turns of an agent before its answer."""
DATA = """
class Answer(BaseAnswer):
    value: int = VerifiedField(
        description="The number of question {number}.", ground_truth={number}, verify_with=NumericExact()
    )
    unit: str = VerifiedField(description="The unit.", ground_truth="mg", verify_with=ExactMatch())
"""
PATTERN = """
class Answer(BaseAnswer):
    value: int = VerifiedField(
        description="The number of question {number}.", ground_truth={number}, verify_with=NumericExact()
    )
    unit: str = VerifiedField(
        description="The unit.", ground_truth="mg", verify_with=RegexMatch(pattern="^mg({number})?")
    )
"""
CODE = """
class Answer(BaseAnswer):
    value: int = Field(description="The number of question {number}.")
    unit: str = Field(description="The unit.")

    def ground_truth(self):
        self.correct = {{"value": {number}, "unit": "mg"}}

    def verify(self):
        return self.value == self.correct["value"] and self.unit.strip().lower() == self.correct["unit"]
"""
LOCKED = f"\nimport difflib\n{CODE}"
"""A module that only CPython has."""


@dataclass
class Figures:
    window: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    ways = {"data": DATA, "data, patterns": PATTERN, "code": CODE, "locked": LOCKED, "one for all": DATA}
    ways = {way: ways[way] for way in sys.argv[2:] or ways}
    for width in WIDTHS:
        found: dict[str, Figures] = {}
        for _ in range(rounds):
            for way in ("SDK", *ways):
                measured = measure(way, ways.get(way, ""), width)
                figures = found.setdefault(way, Figures())
                for name, value in measured.items():
                    getattr(figures, name).append(value)
        ideal = 2 * QUESTIONS * LATENCY / width
        print(f"\n{QUESTIONS} questions, {width} at a time, {rounds} rounds (ideal {ideal:.2f} s)")
        print(f"{'':<16}{'window s':>18}{'ratio':>18}{'first request s':>18}{'CPU ms each':>18}{'peak MB':>18}")
        bare = found["SDK"].window
        for way, figures in found.items():
            ratios = [ours / theirs for ours, theirs in zip(figures.window, bare, strict=True)]
            columns = (figures.window, ratios, figures.first, figures.cpu, figures.memory)
            print(f"{way:<16}" + "".join(f"{spread(values):>18}" for values in columns))


def spread(values: list[float]) -> str:
    digits = 0 if median(values) >= 20 else 2
    return " ".join(f"{value:.{digits}f}" for value in (min(values), median(values), max(values)))


def measure(way: str, template: str, width: int) -> dict[str, float]:
    """One run in a process of its own, so that its memory and processor time are its own."""
    with provider() as (address, ask):
        command = [sys.executable, __file__, "--run", way, template, str(width), address]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        peak = peak_memory(process.pid)
        assert process.stdout is not None
        told = json.loads(process.stdout.read())
        process.wait()
        starts = ask()
    assert told["passed"] == QUESTIONS, (way, told)
    return {
        "window": max(starts) + LATENCY - min(starts),
        "first": min(starts) - told["started"],
        "cpu": told["cpu"] / QUESTIONS * 1000,
        "memory": peak(),
    }


@contextmanager
def provider() -> Iterator[tuple[str, Callable[[], list[float]]]]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "starts"
        process = subprocess.Popen([sys.executable, __file__, "--serve", str(log)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), lambda: [float(line) for line in log.read_text().split()]
        finally:
            process.terminate()
            process.wait()


def serve(log: str) -> None:
    from tests.twin import Asked, Call, Reply, Twin

    with Path(log).open("a", buffering=1) as starts:

        def reply(asked: Asked) -> Reply:
            starts.write(f"{time.time()}\n")
            number = int(re.findall(r"question (\d+)", str(asked.body["messages"]))[-1])
            if asked.tools and len(asked.results) < len(TOOL_CALLS):
                return Reply(calls=[Call(*TOOL_CALLS[len(asked.results)])], delay=LATENCY)
            if asked.schema is None:
                return Reply(text=f"For question {number} it is {number} mg.", delay=LATENCY)
            return Reply(data={"value": number, "unit": "mg"}, delay=LATENCY)

        with Twin(reply) as twin:
            print(twin.address, flush=True)
            time.sleep(3600)


def run(way: str, template: str, width: int, address: str) -> None:
    passed = sdk(width, address) if way == "SDK" else ours(way, template, width, address)
    times, children = os.times(), os.times()
    cpu = times.user + times.system + children.children_user + children.children_system
    print(json.dumps({"passed": passed[0], "started": passed[1], "cpu": cpu - passed[2]}))


def ours(way: str, template: str, width: int, address: str) -> tuple[int, float, float]:
    from karenina_gui import Benchmark, ModelConfig, VerificationConfig

    benchmark = Benchmark.create("measured")
    for number in range(QUESTIONS):
        source = template.format(number=number) if way != "one for all" else ANY
        benchmark.add_question(f"What is the dose of question {number}?", str(number), answer_template=source)
    model = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url=address)
    config = VerificationConfig(
        answering_models=[model], parsing_models=[model], async_max_workers=width, rubric_enabled=False
    )
    before, started = processor(), time.time()
    results = benchmark.run_verification(config)
    return sum(each.template.verify_result is True for each in results), started, before


ANY = """
class Answer(BaseAnswer):
    value: int = VerifiedField(description="The number.", ground_truth=0, verify_with=NumericMinimum())
    unit: str = VerifiedField(description="The unit.", ground_truth="mg", verify_with=ExactMatch())
"""


def sdk(width: int, address: str) -> tuple[int, float, float]:
    import openai

    client = openai.OpenAI(base_url=address, api_key="none")
    schema = {
        "type": "object",
        "properties": {"value": {"type": "integer"}, "unit": {"type": "string"}},
        "required": ["value", "unit"],
        "additionalProperties": False,
    }
    form: Any = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}}

    def job(number: int) -> bool:
        asked: Any = [{"role": "user", "content": f"What is the dose of question {number}?"}]
        answer = client.chat.completions.create(model="m", messages=asked).choices[0].message.content
        read: Any = [{"role": "user", "content": f"Read the answer: {answer}"}]
        reply = client.chat.completions.create(model="m", messages=read, response_format=form)
        return bool(json.loads(reply.choices[0].message.content or "{}")["value"] == number)

    before, started = processor(), time.time()
    with ThreadPoolExecutor(width) as pool:
        return sum(pool.map(job, range(QUESTIONS))), started, before


def processor() -> float:
    return time.process_time()


def peak_memory(root: int) -> Callable[[], float]:
    """Watches a process and its descendants; gives the largest sum of their memory (proportional set size) in MB."""
    peak, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            peak[0] = max(peak[0], sum(map(memory, family(root))))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()

    def end() -> float:
        over.set()
        thread.join()
        return peak[0]

    return end


def family(root: int) -> list[int]:
    found = [root]
    for pid in found:
        try:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += [int(each) for each in children.read_text().split()]
        except OSError:  # it, or one of its threads, has just ended
            continue
    return found


def memory(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(sys.argv[2])
    elif "--run" in sys.argv:
        run(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    else:
        main()
