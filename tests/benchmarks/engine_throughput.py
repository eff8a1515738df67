"""How fast answers and verdicts come from a provider: `python tests/benchmarks/engine_throughput.py [16 64]`.

200 questions, an answer and a judge's reply each, from a provider in another process that takes 200 ms for every
reply. Prints the window (first call to last reply), its ideal and our own processor time for a question.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.adapters.call_policy import CallPolicy  # noqa: E402
from karenina_gui.adapters.factory import AdapterFactory  # noqa: E402
from karenina_gui.adapters.ports import LLMRequest, ParsedReply  # noqa: E402
from karenina_gui.schemas.messages import Message  # noqa: E402
from karenina_gui.schemas.model_config import ModelConfig  # noqa: E402
from tests.twin import Reply, Twin, fitting  # noqa: E402

QUESTIONS = 200
LATENCY = 0.2


class OneNumber:
    json_schema: dict[str, Any] = {
        "type": "object",
        "properties": {"value": {"type": "integer"}},
        "required": ["value"],
    }

    def check(self, data: dict[str, Any]) -> ParsedReply:
        return ParsedReply(values=data)


def main() -> None:
    widths = [int(argument) for argument in sys.argv[1:]] or [16, 64]
    print(f"{'workers':>8}{'window s':>10}{'ideal s':>9}{'CPU ms/question':>17}{'replies':>9}")
    for workers in widths:
        window, cpu, replies = measure(workers)
        ideal = QUESTIONS * 2 * LATENCY / workers
        print(f"{workers:>8}{window:>10.2f}{ideal:>9.2f}{cpu / QUESTIONS * 1000:>17.1f}{replies:>9}")


def measure(workers: int) -> tuple[float, float, int]:
    """Window in seconds, processor time of this process in seconds, questions with an answer and a verdict."""
    provider = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    assert provider.stdout is not None
    try:
        with AdapterFactory(environment={}) as adapters:
            return _measure(adapters, provider.stdout.readline().strip(), workers)
    finally:
        provider.terminate()
        provider.wait()


def _measure(adapters: AdapterFactory, address: str, workers: int) -> tuple[float, float, int]:
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=address)
    calls = CallPolicy()
    adapters.check(model)

    def job(number: int) -> bool:
        asked = (Message.of("user", f"What is 6 x {number}?"),)
        answer = adapters.llm(model, calls).invoke(LLMRequest(asked)).content
        read = (Message.of("user", f"Read the answer: {answer}"),)
        parsed = adapters.parser(model, calls).parse_to_pydantic(LLMRequest(read, purpose="parsing"), OneNumber())
        return parsed.reply.values == {"value": 0}

    started, processor = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(workers) as pool:
        replies = sum(pool.map(job, range(QUESTIONS)))
    return time.monotonic() - started, time.process_time() - processor, replies


def serve() -> None:
    def reply(asked: Any) -> Reply:
        data = fitting(asked.schema) if asked.schema else None
        return Reply(text="It is 42.", data=data, delay=LATENCY)

    with Twin(reply) as twin:
        print(twin.address, flush=True)
        time.sleep(3600)


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
