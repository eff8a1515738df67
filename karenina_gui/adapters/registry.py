"""Table of interfaces. To add one, write a file and add it here, or call `register`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from karenina_gui.adapters import claude_agent_sdk, claude_tool, langchain, manual, openai_endpoint, openrouter, replay
from karenina_gui.adapters.adapter_spec import AdapterSpec as AdapterSpec
from karenina_gui.errors import ConfigurationError
from karenina_gui.plugins import PLUGINS

INTERFACES = (
    manual.SPEC,
    openai_endpoint.SPEC,
    openrouter.SPEC,
    claude_tool.SPEC,
    claude_agent_sdk.SPEC,
    langchain.SPEC,
    replay.SPEC,
)


class AdapterRegistry:
    """Interfaces by name, one table per process, since `ModelConfig` names its interface wherever it goes."""

    _specs: ClassVar[dict[str, AdapterSpec]] = {spec.name: spec for spec in INTERFACES}

    @classmethod
    def get_spec(cls, interface: str) -> AdapterSpec | None:
        """Entry of the interface; None if there is none of this name."""
        return cls._specs.get(interface) or cls._all().get(interface)

    @classmethod
    def require(cls, interface: str) -> AdapterSpec:
        """Entry of the interface. Raises `ConfigurationError`, which lists the interfaces."""
        spec = cls.get_spec(interface)
        if spec is None:
            raise ConfigurationError(f"Unknown interface “{interface}”. Choose one of: {', '.join(cls.names())}.")
        return spec

    @classmethod
    def register(cls, spec: AdapterSpec) -> None:
        """Add an interface, or replace the one of the same name."""
        cls._specs[spec.name] = spec

    @classmethod
    @contextmanager
    def scope(cls) -> Iterator[None]:
        """Open a block at whose end the table is again as it was. For tests of interfaces, one thread at a time."""
        # With the plug-ins loaded: they register only once, so they must not do so inside the block.
        before = cls._all()
        cls._specs = dict(before)
        try:
            yield
        finally:
            cls._specs = before

    @classmethod
    def names(cls) -> list[str]:
        return list(cls._all())

    @classmethod
    def specs(cls) -> list[AdapterSpec]:
        return list(cls._all().values())

    @classmethod
    def _all(cls) -> dict[str, AdapterSpec]:
        PLUGINS.load()
        return cls._specs
