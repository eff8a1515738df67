"""Servers, variables, and programs that models may reach: those that this computer's user has agreed to.

Models, MCP servers, and conditions may come from files of strangers, who could have keys sent to them or programs
started. Nobody tracks where a model came from: it may reach a provider's own servers with the provider's usual key, and
beyond that only what was agreed to. Consents are remembered by what is reached, never by the name of a model.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from threading import RLock
from typing import Literal, Self

from karenina_gui.adapters.adapter_spec import AdapterSpec
from karenina_gui.adapters.keys import write_secretly
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import ConsentError
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list
from karenina_gui.text.hidden_characters import with_hidden_signs_as
from karenina_gui.text.urls import is_local, origin_of

FILE_NAME = "consents.json"
log = logging.getLogger(__name__)


@dataclass(frozen=True, order=True)
class Access:
    """One server or program that a model reaches, and the variables whose values it gets."""

    kind: Literal["server", "program"]
    target: str
    """Scheme, host, and port of a server, or the whole URL if it holds variables; the whole command of a program."""
    variables: tuple[str, ...] = ()

    def __str__(self) -> str:
        # Marks that change the direction of text could hide what is started.
        target = with_hidden_signs_as("?", self.target)
        if self.kind == "program":
            return f"start the program {target}"
        return f"send {join_list(['requests', *self.variables])} to {target}"

    def shares(self, other: Access) -> bool:
        """True if a part is the same: the server, a variable, or that both are programs, which may differ in a word."""
        same = self.kind == other.kind and (self.kind == "program" or self.target == other.target)
        return same or bool(set(self.variables) & set(other.variables))

    def covers(self, other: Access) -> bool:
        return (self.kind, self.target) == (other.kind, other.target) and set(self.variables) >= set(other.variables)


class Consents:
    """Servers, variables, and programs to which the user has agreed. Thread-safe.

    `file` None: nothing is remembered. `agreed` None: to everything.
    """

    def __init__(self, file: Path | None = None, agreed: Iterable[Access] | None = ()) -> None:
        self._file = file
        self._unlimited = agreed is None
        self._lock = RLock()
        self._agreed = {*(agreed or ()), *self._read()}

    @classmethod
    def for_models_of(cls, config: VerificationConfig) -> Self:
        """Consents to what a run's own models reach: the user has written them, or named their file."""
        return cls(agreed=[access for model in models_of(config) for access in accesses_of(model)])

    @property
    def agreed(self) -> tuple[Access, ...] | None:
        """Accesses to which the user has agreed; None: to all."""
        with self._lock:
            return None if self._unlimited else tuple(sorted(self._agreed))

    def agree(self, accesses: Iterable[Access]) -> None:
        """Remember that the user agrees to these."""
        with self._lock:
            if added := {*accesses} - self._agreed:
                self._agreed |= added
                self._write()

    def missing(self, *models: ModelConfig) -> list[Access]:
        """Accesses of the models without consent."""
        if self._unlimited:
            return []
        with self._lock:
            needed = {access: None for model in models for access in accesses_of(model)}
            return [access for access in needed if not any(agreed.covers(access) for agreed in self._agreed)]

    def require(self, model: ModelConfig) -> None:
        """Raise `ConsentError` if the model would reach anything without consent."""
        if missing := self.missing(model):
            raise ConsentError(
                f"“{model.id}” was not called, since it would {join_list([str(access) for access in missing])}. Allow "
                "that on the Models page or at the start of a run; elsewhere, see allow_programs.",
                tuple(missing),
            )

    def _read(self) -> list[Access]:
        if self._file is None or not self._file.is_file():
            return []
        try:
            rows = json.loads(self._file.read_text(encoding="utf-8"))
            return [Access(kind, target, tuple(variables)) for kind, target, variables in rows]
        except (OSError, ValueError, TypeError):
            log.warning("Couldn’t read %s. What it allowed is asked for again.", self._file)
            return []

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            write_secretly(self._file, json.dumps([astuple(access) for access in sorted(self._agreed)], indent=1))
        except OSError as error:
            log.warning(
                "Couldn’t write %s: %s. What you agreed to is asked for again after a restart.", self._file, error
            )


UNLIMITED = Consents(agreed=None)
"""For code of the user's own, in Python."""


def models_of(config: VerificationConfig) -> list[ModelConfig]:
    """Answering models, once per condition, and judges."""
    return [*effective_models(config).values(), *config.parsing_models]


def accesses_of(model: ModelConfig) -> list[Access]:
    """List what the model reaches beyond its provider's own servers with the provider's usual key."""
    spec = AdapterRegistry.get_spec(model.interface)
    own = _own_accesses(model, spec) if spec is not None and model.interface not in PLAYED_BACK else ()
    return [*dict.fromkeys([*own, *map(_server_access, model.tool_servers.values())])]


def _own_accesses(model: ModelConfig, spec: AdapterSpec) -> Iterator[Access]:
    address_of = spec.address or (lambda model, _: _address(model))
    unaddressed = model.model_copy(update={"endpoint_base_url": None, "anthropic_base_url": None})
    # Addresses of the environment are the user's own.
    address, usual_address = address_of(model, {}), address_of(unaddressed, {})
    variables = _variables(model, spec, address)
    if _origin(address) != _origin(usual_address) or variables not in ((), (spec.usual_key(model),)):
        yield Access("server", _origin(address), variables)
    if spec.takes_addresses:
        yield from (Access("server", _origin(value), variables) for value in _addresses(model.extra_kwargs))


def _variables(model: ModelConfig, spec: AdapterSpec, address: str) -> tuple[str, ...]:
    """Variable whose value is sent as the model's key; empty: none."""
    if getattr(model, spec.key_field):
        return ()
    # LangChain's classes look for the usual key themselves, also for servers on this computer.
    keyless = is_local(address) and not spec.takes_addresses
    key = model.api_key_env or (None if keyless else spec.usual_key(model))
    return (key,) if key else ()


def _address(model: ModelConfig) -> str:
    return model.endpoint_base_url or model.anthropic_base_url or ""


def _server_access(server: ToolServer) -> Access:
    if server.type == "stdio":
        return Access("program", server.command_in_full, tuple(server.variables))
    url = str(server.url)
    # The value of a variable may change the server, so the whole URL is what the user agrees to.
    return Access("server", url if "${" in url else _origin(url), tuple(server.variables))


def _origin(address: str) -> str:
    try:
        return origin_of(address)
    except ValueError:
        return address


_ADDRESS_NAMES = ("url", "uri", "base", "endpoint", "host", "proxy", "proxies", "server", "address", "transport")


def _addresses(settings: object, name: str = "") -> Iterator[str]:
    """Texts among the settings that may be addresses: LangChain's classes have many names for them."""
    if isinstance(settings, dict):
        for key, value in settings.items():
            yield from _addresses(value, str(key))
    elif isinstance(settings, list):
        for value in settings:
            yield from _addresses(value, name)
    elif isinstance(settings, str) and ("://" in settings or any(part in name.lower() for part in _ADDRESS_NAMES)):
        yield settings
