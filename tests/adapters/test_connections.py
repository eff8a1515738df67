"""Shared clients, and what they send beside the request itself."""

from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, cast

import pytest

from karenina_gui.adapters.connections import Connections, Endpoint
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.openai_endpoint import OpenAILLM
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import AuthenticationError, ConfigurationError, ProviderError
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from tests.twin import Reply, Twin

HERE = Endpoint("http://127.0.0.1:9", "none", "NO_KEY")


def build(_endpoint: Endpoint, transport: Any) -> Any:
    return transport


def clients_of_threads(connections: Connections, threads: int) -> list[Any]:
    """The client of each thread, of threads that are all there at the same time."""
    together = Barrier(threads)

    def ask() -> Any:
        together.wait()
        first = connections.client(HERE, build, pools=4)
        assert connections.client(HERE, build, pools=4) is first
        return first

    with ThreadPoolExecutor(threads) as pool:
        return [each.result() for each in [pool.submit(ask) for _ in range(threads)]]


def test_threads_are_spread_evenly_over_the_clients() -> None:
    connections = Connections({})
    try:
        clients = clients_of_threads(connections, 12)
        assert sorted(clients.count(each) for each in set(clients)) == [3, 3, 3, 3]
    finally:
        connections.close()
    assert all(each.is_closed for each in clients)


def test_all_threads_share_one_client_where_nothing_else_is_asked_for() -> None:
    connections = Connections({})
    try:
        with ThreadPoolExecutor(3) as pool:
            assert len(set(pool.map(lambda _: connections.client(HERE, build), range(9)))) == 1
    finally:
        connections.close()


OPENAI = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url="https://api.openai.com")
ACCOUNT = {"OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1", "OPENAI_API_KEY": "k"}


def test_the_organization_and_the_project_are_for_openai_alone() -> None:
    with Twin(lambda _: Reply(text="x")) as twin, AdapterFactory(ACCOUNT) as adapters:
        elsewhere = OPENAI.model_copy(update={"endpoint_base_url": twin.address})
        adapters.llm(elsewhere).invoke(LLMRequest((Message.of("user", "Hello"),)))
        headers = cast(OpenAILLM, adapters.llm(OPENAI))._headers()
    assert not {"openai-organization", "openai-project"} & {*twin.requests[0].headers}
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "proj-1")


def test_headers_of_the_environment_reach_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: secret")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    with Twin(lambda _: Reply(text="x")) as twin, AdapterFactory({}) as adapters:
        model = ModelConfig(id="m", model_name="m", interface="claude_tool", anthropic_base_url=twin.address)
        adapters.llm(model).invoke(LLMRequest((Message.of("user", "Hello"),)))
        adapters.check(OPENAI.model_copy(update={"endpoint_base_url": twin.address}), timeout=5)
    assert not {"x-team", "openai-organization"} & {name for request in twin.requests for name in request.headers}


@pytest.mark.parametrize("variable", ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID"])
def test_an_account_that_no_request_can_carry_is_named(variable: str) -> None:
    refused = pytest.raises(AuthenticationError, match=f"^{variable} contains a line break")
    with AdapterFactory({"OPENAI_API_KEY": "k", variable: "org-1\norg-2"}) as adapters, refused as caught:
        adapters.llm(OPENAI).invoke(LLMRequest((Message.of("user", "Hello"),)))
    assert "org-" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-ab\ncd", "sk-\u0301abcd"])
@pytest.mark.parametrize("interface", ["openai_endpoint", "claude_tool", "openrouter", "langchain"])
def test_a_key_that_no_request_can_carry_is_named_and_not_repeated(interface: str, key: str) -> None:
    model = ModelConfig(model_name="m", interface=interface, model_provider="openai", api_key_env="MY_KEY")
    refused = pytest.raises(AuthenticationError, match=r"^The key in MY_KEY contains a line break")
    with AdapterFactory({"MY_KEY": key}) as adapters, refused as caught:
        adapters.llm(model)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("interface", ["openai_endpoint", "claude_tool"])
def test_a_sign_that_nobody_sees_in_an_address_of_the_environment_is_shown(interface: str) -> None:
    address = "http://bob:hunter2@here/v\x011"
    variables = dict.fromkeys(["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"], address)
    model = ModelConfig(model_name="m", interface=interface, api_key_env="MY_KEY")
    refused = pytest.raises(ConfigurationError, match=r"The URL 'here/v\\x011.*' contains")
    with AdapterFactory({**variables, "MY_KEY": "k"}) as adapters, refused as caught:
        adapters.llm(model)
    assert "hunter2" not in str(caught.value)


def test_a_line_break_at_the_end_of_an_address_of_the_environment_is_no_part_of_it() -> None:
    with Twin(lambda _: Reply(text="x")) as twin:
        variables = dict.fromkeys(["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"], f" {twin.address}\n")
        for interface in ("openai_endpoint", "claude_tool"):
            with AdapterFactory(variables) as adapters:
                model = ModelConfig(model_name="m", interface=interface)
                adapters.llm(model).invoke(LLMRequest((Message.of("user", "Hello"),)))
    assert len(twin.requests) == 2


@pytest.mark.parametrize("interface", ["openai_endpoint", "claude_tool", "openrouter", "langchain"])
def test_a_parameter_that_json_has_no_number_for_is_named(interface: str) -> None:
    model = ModelConfig(model_name="m", interface=interface, model_provider="openai", extra_kwargs={"top_p": math.nan})
    refused = pytest.raises(
        ProviderError, match=r"^Couldn’t call m. The additional parameter “top_p” \(in extra_kwargs\) is nan"
    )
    keys = dict.fromkeys(["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"], "k")
    with AdapterFactory(keys) as adapters, refused as caught:
        adapters.llm(model).invoke(LLMRequest((Message.of("user", "Hello"),)))
    assert caught.value.category == "rejected"


def test_a_sign_that_nobody_sees_in_the_address_of_a_model_is_told() -> None:
    address = "http://he\u200bre/v1"
    model = ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=address)
    refused = pytest.raises(
        ConfigurationError, match=r"The URL 'http://he\\u200bre/v1' contains an invisible character"
    )
    with AdapterFactory({"OPENAI_API_KEY": "k"}) as adapters, refused:
        adapters.llm(model)


OPENED_IN_A_THREAD = """
import ast, builtins, threading
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.schemas.model_config import ModelConfig
adapters, compiled = AdapterFactory({"OPENAI_API_KEY": "k"}), builtins.compile
def compile_and_report(source, filename, mode, flags=0, *rest, **options):
    if flags & ast.PyCF_ONLY_AST:
        print("tree of", filename)
    return compiled(source, filename, mode, flags, *rest, **options)
builtins.compile = compile_and_report
model = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url="https://api.openai.com")
thread = threading.Thread(target=adapters.llm, args=(model,))
thread.start()
thread.join()
print("opened")
"""


def test_no_library_builds_a_syntax_tree_in_a_thread_that_opens_a_model() -> None:
    """Python 3.11 refuses two at a time, see `retry_build`."""
    printed = subprocess.run([sys.executable, "-c", OPENED_IN_A_THREAD], check=True, capture_output=True, text=True)
    assert printed.stdout == "opened\n"
