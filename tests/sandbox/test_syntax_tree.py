"""Code is read by many threads at once, beside libraries that read code of their own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from karenina_gui.sandbox.inside.syntax_tree import syntax_tree, tree_and_warnings
from tests.other_trees import build_others

SOURCE = "class Answer(BaseAnswer):\n" + "".join(f"    f{number}: int = Field({number})\n" for number in range(40))
ODD = 'text = "\\d"\n'


@pytest.fixture
def disturbed() -> Iterator[None]:
    """What is let go while a tree is built runs code that builds another."""

    with build_others(2000):
        yield


def test_code_is_read_though_a_library_reads_some_meanwhile(disturbed: None) -> None:
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(syntax_tree, [SOURCE] * 400))
    assert {len(tree.body[0].body) for tree in trees} == {40}  # type: ignore[attr-defined]


def test_each_thread_has_the_warnings_of_its_own_code(disturbed: None) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(tree_and_warnings, [SOURCE, ODD] * 100))
    assert [len(warned) for _, warned in found] == [0, 1] * 100
