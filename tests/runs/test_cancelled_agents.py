"""Cancellation of agents, and of models with their own connections."""

from __future__ import annotations

import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.claude_code_twin import ClaudeCodeTwin, Turn
from tests.runs.conftest import benchmark
from tests.runs.test_cancel import AT_ONCE
from tests.twin import Asked, Call, Reply, Twin
from tests.until import comes

JUDGED = """
class Answer(BaseAnswer):
    value: int = Field(description="The number")

    def verify(self):
        return self.value == 42
"""
SMALL_SERVER = Path(__file__).parents[1] / "adapters" / "small_server.py"
HANGING_TOOLS = {
    "a command": (Call("run_command", {"command": "sleep 600"}), {"workspace_tools": ["run_command"]}),
    "an MCP server": (
        Call("convert_time", {"time": "hang"}),
        {"mcp_servers": {"clock": ToolServer(command=sys.executable, args=["-S", str(SMALL_SERVER)])}},
    ),
}


def cancelled_at_once(service: RunService, run: int) -> None:
    service.cancel(run)
    assert service.wait(run, AT_ONCE)
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.done) == ("cancelled", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="The command under test is one of a shell.")
@pytest.mark.parametrize("name", HANGING_TOOLS)
def test_a_tool_that_does_not_come_to_its_end(service: RunService, library: Library, name: str) -> None:
    call, tools = HANGING_TOOLS[name]
    with Twin(lambda asked: Reply(calls=[call])) as twin:
        model = ModelConfig.model_validate(
            {"model_name": "m", "interface": "openai_endpoint", "endpoint_base_url": twin.address, **tools}
        )
        config = VerificationConfig(answering_models=[model], async_enabled=False, allow_unconfined_commands=True)
        run = service.start(RunOrder(library.benchmarks.create(benchmark(2)), config))
        deadline = time.monotonic() + 20
        while not twin.requests and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)  # the tool is under way
        cancelled_at_once(service, run)
        assert len(twin.requests) == 1


@pytest.mark.skipif(find_spec("claude_agent_sdk") is None, reason="needs the extra 'agent'")
def test_claude_code_at_a_hanging_provider(service: RunService, library: Library) -> None:
    asked = threading.Event()

    def hang(_asked: Any) -> Turn:
        asked.set()
        return Turn("Late.", delay=60)

    with ClaudeCodeTwin(hang) as twin:
        model = ModelConfig.model_validate(
            {
                "model_name": "m", "interface": "claude_agent_sdk", "anthropic_base_url": twin.address,
                "anthropic_api_key": "none",
            }
        )  # fmt: skip
        config = VerificationConfig(answering_models=[model], async_enabled=False)
        run = service.start(RunOrder(library.benchmarks.create(benchmark(2)), config))
        assert asked.wait(30)
        cancelled_at_once(service, run)
        assert comes(
            lambda: not any(thread.name.startswith(("job", "claude-code")) for thread in threading.enumerate())
        )
        assert len(twin.requests) == 1


@pytest.mark.skipif(find_spec("langchain") is None, reason="needs the extra 'langchain'")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("hanging", ["answer", "judge"])
def test_a_provider_through_langchain(service: RunService, library: Library, provider: str, hanging: str) -> None:
    hangs = threading.Event()

    def say(asked: Asked) -> Reply:
        if hanging == "judge" and asked.schema is None:
            return Reply(text="It is 42.")
        hangs.set()
        return Reply(hangs=True)

    with Twin(say) as twin:
        address = f"{twin.address}/v1" if provider == "openai" else twin.address
        model = ModelConfig.model_validate(
            {
                "model_name": "m", "interface": "langchain", "model_provider": provider, "endpoint_base_url": address,
                "endpoint_api_key": "none",
            }
        )  # fmt: skip
        config = VerificationConfig(answering_models=[model], parsing_models=[model], async_enabled=False)
        document = benchmark(2)
        for entry in document.entries:
            entry.question.answer_template = JUDGED
        run = service.start(RunOrder(library.benchmarks.create(document), config))
        assert hangs.wait(30)
        before = set(threading.enumerate())
        asked = len(twin.requests)
        cancelled_at_once(service, run)
        for thread in before:
            if "ThreadPoolExecutor" in thread.name or thread.name.startswith("job"):
                thread.join(AT_ONCE)
                assert not thread.is_alive(), thread.name
        assert len(twin.requests) == asked
