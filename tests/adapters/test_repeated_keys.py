"""Providers and servers that repeat a key: it reaches no result, no trace, and no recording, in whatever form."""

from __future__ import annotations

import sys
from base64 import b64encode
from urllib.parse import quote

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import AuthenticationError, PortError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from tests.adapters.conftest import CALLS, KEY, question
from tests.adapters.test_calls_as_sent import WAYS
from tests.adapters.tools import Worked
from tests.twin import Call, Reply, in_turn

FORMS = [KEY, KEY.upper(), quote(f"Bearer {KEY}!"), b64encode(f"Bearer {KEY}".encode()).decode(), KEY[:-4]]
TELLTALE = ("very-secret-01", b64encode(f"Bearer {KEY}".encode()).decode()[12:24].lower())
"""Parts, in lower case, that nothing may contain."""


def assert_hidden(text: str) -> None:
    assert not [part for part in TELLTALE if part in text.lower()]


@pytest.fixture(params=[way for way in WAYS if "responses" not in way])  # which the twin does not speak
def way(request):
    if request.param.endswith("langchain"):
        pytest.importorskip("langchain", reason="needs the extra 'langchain'")
    return request.param


@pytest.fixture
def model(play, way):
    def model(*replies, **settings):
        twin = play(in_turn(*replies))
        address = twin.address if "anthropic" in way or way == "openai" else f"{twin.address}/v1"
        where = "anthropic_base_url" if way == "anthropic" else "endpoint_base_url"
        return ModelConfig(model_name="m", api_key_env="TWIN_KEY", **{where: address}, **{**WAYS[way], **settings})

    return model


def test_no_reply_has_the_key(model, tmp_path):
    said = " ".join(FORMS)
    file = tmp_path / "run.json"
    tool = Worked("multiply", lambda given: "42")
    chosen = model(
        Reply(text=said, thinking=said, calls=[Call("multiply", {"a": said})]), Reply(text=said), Reply(text=said)
    )
    with AdapterFactory({"TWIN_KEY": KEY}, Recorder(file)) as adapters:
        single = adapters.llm(chosen, CALLS).invoke(question())
        worked = adapters.agent(chosen, CALLS).run(question().messages, [tool], {}, AgentConfig())
    assert "[key]" in single.content
    for text in (repr(single), repr(worked), repr(tool.given), file.read_text()):
        assert_hidden(text)
    assert "[key]" in worked.final_response


def test_no_judgment_has_the_key(model):
    schema = {
        "title": "Answer",
        "type": "object",
        "properties": {"value": {"type": "string"}},
        "required": ["value"],
        "additionalProperties": False,
    }
    with AdapterFactory({"TWIN_KEY": KEY}) as adapters:
        reply = adapters.llm(model(Reply(data={"value": KEY.upper()})), CALLS).invoke(question(json_schema=schema))
    assert reply.data == {"value": "[key]"}
    assert_hidden(repr(reply))


@pytest.mark.parametrize("form", FORMS)
def test_no_error_has_the_key(play, model_at, form):
    twin = play(in_turn(Reply(status=401, message=f"bad key {form}"), Reply(status=400, message=f"bad key {form}")))
    with AdapterFactory({"TWIN_KEY": KEY}) as adapters:
        llm = adapters.llm(model_at(twin), CALLS)
        for kind in (AuthenticationError, PortError):
            with pytest.raises(kind, match="bad key") as caught:
                llm.invoke(question())
            assert_hidden(str(caught.value))


def test_no_result_of_an_mcp_server_has_its_secret(play, tmp_path):
    server = tmp_path / "server.py"
    server.write_text(
        "import base64, json, os, sys\n"
        "key = os.environ['PAPERS_TOKEN']\n"
        "said = ' '.join([key, key.upper(), base64.b64encode(b'x' + key.encode()).decode(), key[:-4]])\n"
        "tool = {'name': 'find', 'description': said, 'inputSchema': {'type': 'object', 'description': key}}\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if 'id' not in asked: continue\n"
        "    reply = {\n"
        "        'initialize': lambda: {'protocolVersion': asked['params']['protocolVersion'],\n"
        "            'capabilities': {'tools': {}}, 'serverInfo': {'name': 's', 'version': '1'}},\n"
        "        'tools/list': lambda: {'tools': [tool]},\n"
        "        'tools/call': lambda: {'content': [{'type': 'text', 'text': said}]},\n"
        "    }.get(asked['method'], dict)()\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': reply}), flush=True)\n"
    )
    entry = ToolServer(command=sys.executable, args=[str(server)], env={"PAPERS_TOKEN": "${TOKEN}"})
    twin = play(in_turn(Reply(calls=[Call("find", {})]), Reply(text="Done.")))
    model = ModelConfig(
        model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address, mcp_servers={"papers": entry}
    )
    file = tmp_path / "run.json"
    with AdapterFactory({"TOKEN": KEY}, Recorder(file)) as adapters:
        result = adapters.agent(model, CALLS).run(question().messages, [], model.tool_servers, AgentConfig())
    (found,) = [result for message in result.messages for result in message.tool_results]
    assert "[TOKEN]" in found.content
    for text in (repr(result), file.read_text(), repr([asked.body for asked in twin.requests])):
        assert_hidden(text)
