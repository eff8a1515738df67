"""Figures of the source that must not get worse: wording, names, and shape."""

from __future__ import annotations

import ast

import pytest

from tests import source_figures as figures

FILES = figures.sources()


def test_no_docstring_begins_with_a_clause() -> None:
    assert figures.subordinate_modules(FILES) == []
    assert figures.subordinate_functions(FILES) == []


def test_comments_say_why_often_enough() -> None:
    assert figures.comments_per_thousand_lines(FILES) >= 13.5


def test_names_say_what_they_name() -> None:
    assert figures.repeated_classes(FILES) == {}
    assert figures.bare_participles(FILES) == []
    assert len(figures.bare_names(FILES)) <= 400


def test_docstrings_and_comments_speak_of_names_and_files_that_are_there() -> None:
    assert figures.stale_names(FILES) == []
    assert figures.stale_arguments(FILES) == []


def test_functions_can_be_read() -> None:
    assert figures.complex_functions(FILES, 15) == []
    assert len(figures.complex_functions(FILES, 10)) <= 38
    assert figures.long_functions(FILES) == []
    assert figures.long_files(FILES) == []
    # `Benchmark.run_verification` is a public interface, whose settings are arguments by name.
    assert {place.split()[-1] for place in figures.many_parameters(FILES)} == {"run_verification"}
    assert sum(each.unformatted for each in FILES) <= 8


def test_modules_do_not_import_each_other() -> None:
    assert figures.import_cycles(FILES) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a):\n    return a", 1),
        ("def f(a):\n    return 1 if a and a.b or a.c else 2", 4),
        ("def f(a):\n    for b in a:\n        while b:\n            pass\n    return [c for c in a if c]", 5),
        ("def f(a):\n    def g():\n        if a:\n            pass\n    return g", 1),
    ],
)
def test_complexity_counts_decisions_of_the_function_alone(source: str, expected: int) -> None:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert figures.complexity(function) == expected


def test_participles_are_recognized() -> None:
    names = ["told", "kept", "saved", "read_file", "feed", "save", "embed", "found", "found_rows"]
    names += ["cut", "let", "put", "read", "set", "shut", "split"]  # verbs in the imperative, too
    assert [name for name in names if figures.is_participle(name)] == ["told", "kept", "saved", "found"]
