"""How fast answers are verified: 5,000 of them over 250 templates, and what the isolation costs.

    python tests/benchmarks/verification_speed.py

Prints one line per way of running, all measured in the same process one after another, so that the ratios hold even on
a busy machine. Exits with 1 when the way that runs take needs more than 60 s.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.template import AnswerToVerify, TemplateVerdict

TEMPLATES, ANSWERS, THREADS, SLOTS = 250, 20, 16, 2
LIMIT_S = 60.0
TEMPLATE = """
class Answer(BaseAnswer):
    gene: str = Field(description="Gene that the answer names")
    dose: float = VerifiedField(
        description="Dose in mg", ground_truth={number}.0, verify_with=NumericTolerance(tolerance=0.1, mode="absolute")
    )

    def ground_truth(self):
        self.correct = {{"gene": "BCL{number}"}}

    def verify(self):
        return self.gene.strip().upper() == self.correct["gene"] and self._auto_verify()
"""

Job = tuple[int, int]
"""Number of the template, number of the answer."""


def main() -> int:
    jobs = [(template, answer) for template in range(TEMPLATES) for answer in range(ANSWERS)]
    shuffled = random.Random(7).sample(jobs, len(jobs))
    print(f"{len(jobs)} verifications, {TEMPLATES} templates, {SLOTS} processes, {THREADS} threads")
    baseline = report("in this process, no isolation", len(jobs), lambda: in_process(jobs))
    with Sandbox(SLOTS) as sandbox:
        started = time.perf_counter()
        sandbox.start()
        print(f"start of the sandbox: {time.perf_counter() - started:.2f} s, {sandbox.level.name}")
        outlines = report("outlines, one per template", TEMPLATES, lambda: outline_all(sandbox))
        single = report("one answer per request, by template", len(jobs), lambda: one_by_one(sandbox, jobs))
        report(
            "one answer per request, shuffled",
            len(jobs) // 10,
            lambda: one_by_one(sandbox, shuffled[: len(jobs) // 10]),
        )
        batched = report("one batch per template", len(jobs), lambda: in_batches(sandbox))
        print_memory(sandbox)
    with Sandbox(SLOTS, Limits(lifetime_requests=1)) as forking:
        forking.start()
        share = jobs[: len(jobs) // 10]
        forked = report("one process per verification", len(share), lambda: one_by_one(forking, share))
    print(
        f"ratios: one process per verification / cells reused = {forked / single:.1f}; "
        f"cells reused / no isolation = {single / baseline:.1f}; cells reused / batches = {single / batched:.1f}"
    )
    total = single * len(jobs) + outlines * TEMPLATES
    print(f"5,000 verifications with their outlines: {total:.1f} s (limit {LIMIT_S:g} s)")
    return 0 if total < LIMIT_S else 1


def report(way: str, count: int, run: Callable[[], None]) -> float:
    """Seconds for one."""
    started = time.perf_counter()
    run()
    elapsed = time.perf_counter() - started
    print(f"{way:<40} {count:>5} in {elapsed:6.2f} s   {1000 * elapsed / count:6.2f} ms each")
    return elapsed / count


def one_by_one(sandbox: Sandbox, jobs: list[Job]) -> None:
    def run(job: Job) -> None:
        template, number = job
        (verdict,) = sandbox.verify(source(template), [answer(template, number)])
        expect(verdict, number)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(run, jobs))


def in_batches(sandbox: Sandbox) -> None:
    def run(template: int) -> None:
        verdicts = sandbox.verify(source(template), [answer(template, number) for number in range(ANSWERS)])
        for number, verdict in enumerate(verdicts):
            expect(verdict, number)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(run, range(TEMPLATES)))


def outline_all(sandbox: Sandbox) -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        outlines = list(threads.map(lambda template: sandbox.outline(source(template)), range(TEMPLATES)))
    assert all(outline.valid for outline in outlines)


def in_process(jobs: list[Job]) -> None:
    """The same code without a process of its own; only this file's harmless templates may run like this."""
    from karenina_gui.sandbox import template_code

    for template, number in jobs:
        item = answer(template, number).model_dump()
        reply = template_code.execute({"op": "verify", "source": source(template), "items": [item]})
        expect(TemplateVerdict.model_validate(reply["items"][0]), number)


def print_memory(sandbox: Sandbox) -> None:
    for zygote in sandbox.zygotes:
        cells = Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
        own = [private_mb(int(cell)) for cell in cells]
        print(
            f"memory: zygote {private_mb(zygote):.1f} MB of its own, {len(own)} cells of {sum(own) / len(own):.1f} MB"
        )


def private_mb(pid: int) -> float:
    """Memory that would be free without this process (needs the rights of root)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except PermissionError:
        return float("nan")
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def source(template: int) -> str:
    return TEMPLATE.format(number=template)


def answer(template: int, number: int) -> AnswerToVerify:
    dose = template if number % 2 else template + 1
    return AnswerToVerify(values={"gene": f" bcl{template}", "dose": dose}, trace=f"answer {number} " * 50)


def expect(verdict: TemplateVerdict, number: int) -> None:
    assert verdict.field_verification_result is bool(number % 2), verdict


if __name__ == "__main__":
    sys.exit(main())
