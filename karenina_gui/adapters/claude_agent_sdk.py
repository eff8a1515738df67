"""Interface `claude_agent_sdk`: Claude Code, a whole agent, against any server with Anthropic's API; an extra.

Answers come through `AgentPort`: one process of the program that the package bundles for each loop. By default none of
its own tools can run. It works with the tools that it is given, which this process serves to it, so that access is
decided here. Its working folder is then an empty one, since it starts git where it is.

With `AgentConfig.own_tools` the workspace is its folder, and the chosen ones of its own tools work there: in a sandbox
around the whole program, or with the full rights of the user who started the run.

It reaches its provider through `key_relay` and never has the key: its own tools could read it, and a redirect would
carry it to another host. In the sandbox only that relay can be reached, so this process connects to the MCP servers on
its behalf.

Single replies and structured output (judges) need no agent: they use the Messages API, as in `claude_tool`, with the
same address and key.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters import claude_sdk_internals
from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.claude_code_loop import Loop
from karenina_gui.adapters.claude_code_transcript import OWN_SERVER, TranscriptBuilder
from karenina_gui.adapters.claude_tool import KEY_VARIABLE, address_of, endpoint_of, model_names, open_llm
from karenina_gui.adapters.claude_wire import split_system
from karenina_gui.adapters.ports import (
    AgentConfig,
    AgentPort,
    AgentResult,
    EnclosedProgram,
    OwnTools,
    PortCapabilities,
    ProgramBox,
)
from karenina_gui.errors import ConfigurationError, PortError, ProviderError
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RETRY_CATEGORIES, RetryPolicy
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool

if TYPE_CHECKING:
    from karenina_gui.adapters.key_relay import KeyRelay
    from karenina_gui.adapters.mcp_servers import ToolServers

PACKAGE = "claude_agent_sdk"
NOT_INSTALLED = "Claude Code is not installed. Install it with: pip install 'karenina-gui[agent]'"

_LATER_S = 10.0
"""Seconds by which the program's own timeout exceeds the relay's, so that the relay reports the cause."""
_LONGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes of one message from the program."""

_HARMLESS = {
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "SHELL",
    "USER",
    "LOGNAME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "WINDIR",
}
"""Variables that the program may see. The package passes on all others, so they are emptied."""


class ClaudeCodeAgent:
    """An `AgentPort` over Claude Code. Thread-safe: every loop has its own process, thread and home folder.

    The program retries failed calls itself, as often as the most patient of the model's budgets allows.
    """

    def __init__(self, model: ModelConfig, dependencies: AdapterDependencies) -> None:
        self._model = model
        self._name = str(model.model_name)
        self._dependencies = dependencies
        self._endpoint = endpoint_of(model, dependencies)
        self._calls = dependencies.calls
        self._environment = dependencies.connections.environment

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:
        # The program has retried already; a loop with side effects must not be started again.
        once = replace(self._calls, retry=RetryPolicy.none())
        outcome, _ = once.run(lambda: self._attempt(messages, tools, mcp_servers, config))
        if isinstance(outcome, PortError):
            raise outcome
        return outcome

    def _attempt(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult | PortError:
        """Run the loop once. A failure after some work is returned, not raised: such a loop is not started again."""
        import anyio

        # Another key may have been entered since.
        self._endpoint = endpoint_of(self._model, self._dependencies)

        with ExitStack() as stack:
            scratch = stack.enter_context(_scratch())
            thread = stack.enter_context(ThreadPoolExecutor(1, thread_name_prefix="claude-code"))
            own = config.own_tools if config.workspace_path is not None else None
            folder = config.workspace_path if own and config.workspace_path is not None else scratch / "empty"
            system, prompt = _prompt(messages, config.system_prompt)
            allowed = _allowed_names(mcp_servers, tools, self._model.mcp_tool_filter)
            relay = stack.enter_context(self._relay())
            secrets = dict(ChainMap(*(server.secrets(self._environment) for server in mcp_servers.values())))
            trace = TranscriptBuilder(self._endpoint, folder, relay, secrets)
            loop = Loop(self._name, self._endpoint, config, tools, trace, allowed)
            if own is not None and own.box is not None and mcp_servers:
                loop.served = stack.enter_context(self._servers(mcp_servers)).tools
            options = self._options(scratch, folder, system, mcp_servers, own, loop)
            # The caller's thread may have a running event loop, so this one gets its own thread.
            thread.submit(anyio.run, loop.play, prompt, options, self._calls.cancelled).result()
            outcome = loop.outcome()
        if isinstance(outcome, ProviderError) and not outcome.messages:
            raise outcome
        return outcome

    def _options(
        self,
        scratch: Path,
        folder: Path,
        system: str,
        servers: Mapping[str, ToolServer],
        own: OwnTools | None,
        loop: Loop,
    ) -> Any:
        import claude_agent_sdk as sdk

        relay = loop.trace.relay
        system_file = scratch / "system.txt"
        system_file.write_text(system, encoding="utf-8")
        if own is not None and own.box is not None:
            loop.enclosed = self._enclose(own.box, folder, scratch, system, relay)
            system_file = Path(own.box.path("system.txt"))
        chosen: list[str] = list(own.names) if own else []
        return sdk.ClaudeAgentOptions(
            model=self._name,
            # Through a file, since the arguments of a process are readable by every user of the computer.
            system_prompt={"type": "file", "path": str(system_file)} if system else None,
            cwd=folder,
            cli_path=loop.enclosed.starter if loop.enclosed else None,
            tools=chosen,
            # Anything not allowed is denied; `bypassPermissions` does not work for root. Each call is checked before it
            # runs: by a hook, or in bare mode, which has no hooks, by `can_use_tool`.
            allowed_tools=[*(name.removesuffix("__*") for name in loop.allowed), *chosen] if own else [],
            permission_mode="dontAsk" if own else "default",
            can_use_tool=None if own else loop.may_call,
            mcp_servers=_offered_servers(loop, servers),
            strict_mcp_config=True,
            setting_sources=[],
            skills=[],
            # A path in a question is text, not an order to read the file.
            verbatim_prompts=True,
            max_turns=loop.config.max_turns,
            include_partial_messages=True,
            max_buffer_size=_LONGEST_MESSAGE,
            hooks={"PreToolUse": [sdk.HookMatcher(hooks=[loop.before_call], on_failure="block")]},
            # Bare mode keeps descriptions of this computer out of the prompt. The program's own tools need them.
            extra_args={} if own else {"bare": None},
            env={**self._variables(scratch, {} if loop.enclosed else servers), **_provider_variables(relay)},
            stderr=loop.hear,
        )

    def _relay(self) -> closing[KeyRelay]:
        from karenina_gui.adapters.key_relay import KeyRelay

        certificates = self._dependencies.connections.certificates
        return closing(KeyRelay(self._name, self._endpoint, certificates, self._calls.request_timeout))

    def _enclose(self, box: ProgramBox, folder: Path, scratch: Path, system: str, relay: KeyRelay) -> EnclosedProgram:
        seconds = _milliseconds(box.limits.command_seconds)
        inside = {
            "CLAUDE_CONFIG_DIR": f"{box.home}/settings",
            "CLAUDE_CODE_TMPDIR": "/tmp",
            "USERPROFILE": box.home,
            "BASH_DEFAULT_TIMEOUT_MS": seconds,
            "BASH_MAX_TIMEOUT_MS": seconds,
            "BASH_MAX_OUTPUT_LENGTH": str(box.limits.output_kb << 10),
        }
        return box.around(
            folder,
            bundled_program(),
            relay.port,
            scratch,
            files={"system.txt": system.encode()},
            environment=inside,
        )

    def _servers(self, servers: Mapping[str, ToolServer]) -> ToolServers:
        from karenina_gui.adapters.mcp_servers import ToolServers

        return ToolServers(servers, self._model, self._environment, self._calls.cancelled)

    def _variables(self, scratch: Path, servers: Mapping[str, ToolServer]) -> dict[str, str]:
        """Environment of the program.

        Secrets of MCP servers stay references in their entries; the program resolves them.
        """
        named = {name for server in servers.values() for name in server.variables}
        secrets = {name: value for name in named if (value := self._environment.get(name))}
        patience = max(self._calls.retry.budget(category).max_attempts for category in RETRY_CATEGORIES)
        connecting = max((server.connect_seconds for server in servers.values()), default=30.0)
        calling = max((server.call_seconds for server in servers.values()), default=60.0)
        return {
            **_blank_variables(),
            **secrets,
            "HOME": str(scratch),
            "USERPROFILE": str(scratch),
            "TMPDIR": str(scratch),
            "CLAUDE_CODE_TMPDIR": str(scratch),
            "CLAUDE_CONFIG_DIR": str(scratch / "settings"),
            "ANTHROPIC_SMALL_FAST_MODEL": self._name,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": self._name,
            # The relay keeps the time limit, even in the middle of a reply, and knows what took too long.
            "API_TIMEOUT_MS": _milliseconds(self._calls.request_timeout + _LATER_S),
            "CLAUDE_CODE_MAX_RETRIES": str(patience),
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(self._model.max_tokens),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # Off: requests that no trace shows, and second replies that take the place of the first one.
            "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
            "CLAUDE_CODE_DISABLE_REFUSAL_RETRY": "1",
            "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
            # MCP servers that it starts must not see the key.
            "CLAUDE_CODE_MCP_ALLOWLIST_ENV": "1",
            # Else MCP tools are hidden behind a search tool, and the model may never see them.
            "ENABLE_TOOL_SEARCH": "false",
            "MCP_CONNECTION_NONBLOCKING": "false",
            "MCP_TIMEOUT": _milliseconds(connecting),
            "MCP_TOOL_TIMEOUT": _milliseconds(calling),
            "DISABLE_AUTOUPDATER": "1",
        }


def open_agent(model: ModelConfig, dependencies: AdapterDependencies) -> AgentPort:
    if (missing := lacking(model)) is not None:
        raise ConfigurationError(missing)
    return ClaudeCodeAgent(model, dependencies)


def lacking(_model: ModelConfig) -> str | None:
    """Reason why Claude Code cannot start, as far as can be told without loading it; None: no known reason."""
    return NOT_INSTALLED if find_spec(PACKAGE) is None else None


def bundled_program() -> Path:
    """Path of the bundled program. Raises `ConfigurationError` if there is none for this computer."""
    program = claude_sdk_internals.bundled_program()
    if program is None:
        raise ConfigurationError(
            "Couldn’t sandbox Claude Code: the package claude_agent_sdk has no program for this computer. Turn off "
            "Claude Code’s own tools on the Models page."
        )
    return program


@contextmanager
def _scratch() -> Iterator[Path]:
    """Create a home folder for one loop, with an empty working folder in it."""
    folder = Path(tempfile.mkdtemp(prefix="karenina-claude-"))
    try:
        (folder / "empty").mkdir()
        yield folder
    finally:
        # The program may still write while it ends.
        shutil.rmtree(folder, ignore_errors=True)


def _prompt(messages: Sequence[Message], system_prompt: str | None) -> tuple[str, str]:
    """Return the system prompt and the question. The program takes a single message, so earlier turns become text."""
    system, turns = split_system(messages)
    question = turns[-1].text if turns else ""
    earlier = "\n\n".join(f"{turn.role.capitalize()}: {turn.text}" for turn in turns[:-1] if turn.text)
    prompt = f"What was said before:\n\n{earlier}\n\nNow:\n\n{question}" if earlier else question
    return "\n\n".join(part for part in (system_prompt, system) if part), prompt


def _allowed_names(
    servers: Mapping[str, ToolServer], tools: Collection[Tool], offered: Collection[str] | None
) -> list[str]:
    """Names of all tools that may be called, as the program spells them; `SERVER__*` means all tools of a server.

    `offered`: the only tools of servers that are offered; None: all.
    """
    own = [f"mcp__{OWN_SERVER}__{tool.spec.name}" for tool in tools]
    for name, server in servers.items():
        if name == OWN_SERVER:
            raise ConfigurationError(f"The MCP server name “{OWN_SERVER}” is reserved. Choose another name.")
        named = server.tools
        if offered is not None:
            named = [tool for tool in offered if server.tools is None or tool in server.tools]
        served = f"mcp__{_FOREIGN.sub('_', name)}"
        own += [f"{served}__*"] if named is None else [f"{served}__{_FOREIGN.sub('_', tool)}" for tool in named]
    return own


_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
"""Characters that the program replaces in names."""


def _offered_servers(loop: Loop, servers: Mapping[str, ToolServer]) -> dict[str, Any]:
    """MCP servers for the program, with our tools as one of them.

    A program in a sandbox reaches no other server than this process, which connects to the MCP servers for it.
    """
    if loop.enclosed is not None:
        offered: dict[str, Any] = {name: loop.server(name, tools) for name, tools in loop.served.items()}
    else:
        offered = {name: _entry(server) for name, server in servers.items()}
    return {**offered, OWN_SERVER: loop.server(OWN_SERVER, loop.tools)} if loop.tools else offered


def _blank_variables() -> dict[str, str]:
    """This process's variables that the program must not see, each emptied."""
    return {name: "" for name in os.environ if name not in _HARMLESS and not name.startswith("LC_")}


def _provider_variables(relay: KeyRelay) -> dict[str, str]:
    """Variables by which the program finds its provider."""
    # A proxy would not reach the relay on this computer's loopback interface.
    past = {name: ",".join(filter(None, (os.environ.get(name), "127.0.0.1"))) for name in ("NO_PROXY", "no_proxy")}
    return {**past, "ANTHROPIC_BASE_URL": relay.address, "ANTHROPIC_API_KEY": relay.password}


def _entry(server: ToolServer) -> dict[str, Any]:
    if server.type != "stdio":
        return {"type": server.type, "url": server.url, "headers": dict(server.headers)}
    return {"type": "stdio", "command": server.command, "args": list(server.args), "env": dict(server.env)}


def _milliseconds(seconds: float) -> str:
    return json.dumps(round(seconds * 1000))


SPEC = AdapterSpec(
    name="claude_agent_sdk",
    title="Claude Code",
    description="Claude Code as an agent, with tools that you select. Needs an optional package.",
    agent_tier="deep_agent",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=open_llm,
    agent_factory=open_agent,
    address=address_of,
    model_names=model_names,
    key_variable=KEY_VARIABLE,
    key_field="anthropic_api_key",
    lacking=lacking,
    takes_addresses=False,
)
