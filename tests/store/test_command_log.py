"""Undo and redo of the commands of authors."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.command import Actor
from karenina_gui.store.library import FILE_NAME, Library
from tests.examples import examples
from tests.store.random_commands import RandomAuthor, contents, part

COMMANDS = 50
ME, YOU = Actor("me", "Ada"), Actor("you", "Ben")


def all_commands(library: Library) -> list[int]:
    scopes = ["benchmarks", "models", "presets", "prices", *(f"benchmark/{n}" for n in range(99))]
    return [each.id for each in library.commands.entries(scopes, limit=999) if each.state == "done"]


@settings(max_examples=examples(6, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_any_commands_are_undone_and_redone_one_by_one(
    seed: int, sandbox: Sandbox, new_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    random, folder = Random(seed), tmp_path_factory.mktemp("any")
    (folder / FILE_NAME).write_bytes(new_library.read_bytes())
    before: dict[int, dict[str, list[dict[str, Any]]]] = {}
    library = Library.open(folder)
    author = RandomAuthor(library, sandbox, random)
    for _ in range(COMMANDS):
        state = contents(folder)
        author.act()
        if commands := all_commands(library):
            before.setdefault(commands[0], state)
        if random.random() < 0.1:
            library.close()
            library = Library.open(folder)
            author = RandomAuthor(library, sandbox, random)
    end, done = contents(folder), all_commands(library)
    for command in done:
        if random.random() < 0.1:
            library.close()
            library = Library.open(folder)
        library.commands.undo(command)
        scope = library.commands.get(command).scope
        assert part(contents(folder), scope) == part(before[command], scope)
    assert not any(contents(folder).values())
    for command in reversed(done):
        library.commands.redo(command)
    assert contents(folder) == end
    library.close()
