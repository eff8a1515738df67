"""How many faults of the package the tests catch: `python -m tests.benchmarks.breakages NOTES.json --tree CHECKOUT`.

Draws 120 single breakages of the package (an operator, a constant, a branch, a lost line), spread over its rooms by
their lines. The first call notes which tests pass through each of them, in an instrumented checkout; further ones break
the checkout, one place after the other, and note whether one of these tests fails that passes otherwise. `CHECKOUT`
is a clone of its own with its own `.venv`, since its files are changed; `--default` takes the tests of `make test`
instead of those of `make thorough`. Where very many tests pass through a place, some hundred of them are played, those
of its own room first.

`--like OTHER` breaks `CHECKOUT` as the draw breaks the checkout `OTHER` of another commit, wherever the code still
stands, so that the tests of two commits are compared on the same breakages; `--only 3 17` plays these alone.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

COUNT, SEED = 120, 53
MOST_UNITS, MOST_JOURNEYS = 300, 15
"""Tests that are played for one place."""
SECONDS = 900
"""For these tests; a breakage that makes them hang is caught."""
PACKAGE = "karenina_gui"
TOKEN = re.compile(r"\w+|[^\w\s]")
HITS = """
import os, time
_FILE, _noted, _running = {file!r}, set(), []
def note(number):
    # Processes that outlive a test have its name in their environment: only the process of the tests is believed.
    test = _running[-1] if _running else ""
    key = (number, test or int(time.time()))
    if key not in _noted:
        _noted.add(key)
        _write(f"hit {{number}} {{time.time()}} {{test}}")
def _write(line):
    try:
        with open(_FILE, "a") as file:
            file.write(line + "\\n")
    except OSError:
        pass
def pytest_runtest_setup(item):
    _running.append(item.nodeid)
    _write(f"begin 0 {{time.time()}} {{item.nodeid}}")
def pytest_runtest_teardown(item):
    _running.clear()
    _write(f"end 0 {{time.time()}} {{item.nodeid}}")
"""
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Breakage:
    path: str
    line: int
    kind: str
    start: int
    end: int
    """Bytes of the file that are replaced."""
    text: str
    statement: int
    """Line of the statement."""


def draw(tree: Path) -> list[Breakage]:
    """The breakages of a checkout; the same for the same commit."""
    chance = random.Random(SEED)
    rooms: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((tree / PACKAGE).rglob("*.py")):
        rooms[path.relative_to(tree / PACKAGE).parts[0]].append(path)
    lines = {room: sum(len(path.read_text("utf-8").splitlines()) for path in paths) for room, paths in rooms.items()}
    chosen = []
    for room in chance.choices(list(lines), list(lines.values()), k=COUNT * 2):
        path = chance.choices(rooms[room], [path.stat().st_size for path in rooms[room]])[0]
        of_kind: dict[str, list[Breakage]] = defaultdict(list)
        for breakage in _candidates(path, tree):
            of_kind[breakage.kind].append(breakage)
        if of_kind and len(chosen) < COUNT:
            breakage = chance.choice(of_kind[chance.choice(sorted(of_kind))])
            chosen += [breakage] if breakage not in chosen else []
    return chosen


def transfer(breakages: list[Breakage], other: Path, tree: Path) -> dict[int, Breakage]:
    """Breakages of `tree` in the functions that are most like those of `other`; without those whose code is gone."""
    functions = [function for path in sorted((tree / PACKAGE).rglob("*.py")) for function in _functions(path)]
    transferred = {}
    for number, breakage in enumerate(breakages):
        inside = [item for item in _functions(other / breakage.path) if breakage.line in item[1]]
        if not inside:
            twin = tree / breakage.path
            alike = [item for item in _candidates(twin, tree) if item.text == breakage.text] if twin.exists() else []
            if alike := [item for item in alike if _near(item, tree) == _near(breakage, other)]:
                transferred[number] = alike[0]
            continue
        tokens = min(inside, key=lambda item: len(item[1]))[2]
        path, lines, twin_tokens = max(functions, key=lambda item: _likeness(tokens, item[2]))
        own = [item for item in _candidates(path, tree) if item.kind == breakage.kind and item.line in lines]
        if _likeness(tokens, twin_tokens) > 0.6 and own:
            nearest = max(own, key=lambda item: _likeness(_near(item, tree), _near(breakage, other)))
            if _likeness(_near(nearest, tree), _near(breakage, other)) > 0.6:
                transferred[number] = nearest
    return transferred


def _functions(path: Path) -> Iterator[tuple[Path, range, list[str]]]:
    """Functions of a file: path, lines, and tokens."""
    lines = path.read_text("utf-8").splitlines()
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            yield path, range(node.lineno, node.end_lineno + 1), TOKEN.findall(text)


def _near(breakage: Breakage, tree: Path) -> list[str]:
    source = (tree / breakage.path).read_bytes()
    return TOKEN.findall(source[max(0, breakage.start - 80) : breakage.end + 80].decode(errors="replace"))


def _likeness(one: list[str], other: list[str]) -> float:
    """From 0 to 1; 0 as well if it is below 0.6."""
    matcher = SequenceMatcher(None, other, one, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() > 0.6 and matcher.quick_ratio() > 0.6 else 0


def _candidates(path: Path, tree: Path) -> Iterator[Breakage]:
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parents: dict[ast.AST, ast.AST] = {}
    module = ast.parse(source)
    for node in ast.walk(module):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
    for node in ast.walk(module):
        changed = _broken(node)
        if changed is None or _is_annotation(node, parents):
            continue
        kind, text = changed
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        yield Breakage(str(path.relative_to(tree)), node.lineno, kind, start, end, text, _statement(node, parents))


def _broken(node: ast.AST) -> tuple[str, str] | None:
    """Kind of the change and the new text; None: a node that stays as it is."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        swapped = SWAPS.get(type(node.ops[0]))
        return swapped and ("operator", f"({ast.unparse(ast.Compare(node.left, [swapped()], node.comparators))})")
    if isinstance(node, ast.BoolOp):
        return "operator", f"({ast.unparse(ast.BoolOp(SWAPS[type(node.op)](), node.values))})"
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not _has_text(node):
        return "operator", f"({ast.unparse(ast.BinOp(node.left, SWAPS[type(node.op)](), node.right))})"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return "constant", repr(not node.value if isinstance(node.value, bool) else node.value + 1)
    if isinstance(node, ast.IfExp):
        return "branch", f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        return "line", "pass"
    if isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    ):
        return "line", "pass"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "branch", f"({ast.unparse(node.operand)})"
    return None


def _has_text(node: ast.BinOp) -> bool:
    """Check for texts and types, whose sum or difference fails at once."""
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr | ast.List | ast.Tuple | ast.Dict) for side in sides) or any(
        isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides
    )


def _is_annotation(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    while (parent := parents.get(node)) is not None:
        if node in (getattr(parent, "annotation", None), getattr(parent, "returns", None)):
            return True
        if isinstance(parent, ast.JoinedStr) or (isinstance(parent, ast.If) and "TYPE_CHECKING" in ast.dump(parent)):
            return True
        node = parent
    return False


def _statement(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> int:
    """First line of the innermost statement before which another one can stand."""
    while not isinstance(node, ast.stmt) or _is_elif(node, parents):
        node = parents[node]
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_elif(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    parent = parents.get(node)
    return (
        isinstance(node, ast.If)
        and isinstance(parent, ast.If)
        and parent.orelse == [node]
        and (node.col_offset == parent.col_offset)
    )


def note_tests(breakages: dict[int, Breakage], tree: Path, *, default: bool) -> dict[int, list[str]]:
    """Tests that pass through each breakage, also in the processes that they start."""
    hits = tree.parent / f"{tree.name}-hits.txt"
    hits.unlink(missing_ok=True)
    (tree / PACKAGE / "_hits.py").write_text(HITS.format(file=str(hits)), "utf-8")
    by_path: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, breakage in breakages.items():
        by_path[breakage.path].append((breakage.statement, number))
    try:
        for path, places in by_path.items():
            lines = (tree / path).read_text("utf-8").splitlines(keepends=True)
            for line, number in sorted(places, reverse=True):
                indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
                lines.insert(line - 1, f'{indent}__import__("{PACKAGE}._hits")._hits.note({number})\n')
            (tree / path).write_text("".join(lines), "utf-8")
        for workers, part in (
            ("3", ["--ignore", "tests/browser", "--ignore", "tests/benchmarks"]),
            ("2", ["tests/browser"]),
        ):
            arguments = ["-n", workers, "--dist", "loadfile", *part]
            _pytest(tree, arguments, 7200, default=default, plugin=f"{PACKAGE}._hits")
    finally:
        subprocess.run(["git", "checkout", "-q", PACKAGE], cwd=tree, check=True)
        (tree / PACKAGE / "_hits.py").unlink()
    return _tests_of(hits.read_text("utf-8").splitlines())


def _tests_of(lines: list[str]) -> dict[int, list[str]]:
    begins: dict[str, float] = {}
    spans: list[tuple[float, float, str]] = []
    nameless: list[tuple[int, float]] = []
    tests: dict[int, set[str]] = defaultdict(set)
    for line in lines:
        kind, number, moment, test = line.split(" ", 3)
        if kind == "begin":
            begins[test] = float(moment)
        elif kind == "end":
            spans.append((begins.get(test, float(moment)), float(moment), test))
        elif test:
            tests[int(number)].add(test)
        else:
            nameless.append((int(number), float(moment)))
    for number, moment in nameless:
        tests[number] |= {test for begin, end, test in spans if begin <= moment <= end + 1}
    return {number: sorted(found) for number, found in tests.items()}


def is_caught(breakage: Breakage, tests: list[str], tree: Path, *, default: bool) -> str:
    """The first test that fails with the breakage and passes without it; empty: none."""
    room = Path(breakage.path).parts[1].removesuffix(".py")
    chance = random.Random(SEED)
    near = sorted(tests, key=lambda test: (f"tests/{room}" not in test, chance.random()))
    journeys = [test for test in near if test.startswith("tests/browser")][:MOST_JOURNEYS]
    units = [test for test in near if not test.startswith("tests/browser")][:MOST_UNITS]
    path = tree / breakage.path
    whole = path.read_bytes()
    for part in (units, journeys):
        if not part:
            continue
        path.write_bytes(whole[: breakage.start] + breakage.text.encode() + whole[breakage.end :])
        try:
            failed = _pytest(tree, ["-x", "-p", "no:randomly", *part], SECONDS, default=default)
        finally:
            path.write_bytes(whole)
        if failed and not _pytest(tree, [failed] if failed in part else part, SECONDS, default=default):
            return failed
    return ""


def _pytest(tree: Path, arguments: list[str], seconds: float, *, default: bool, plugin: str = "") -> str:
    """Play tests; returns the name of one that failed, or empty."""
    listed = tree.parent / f"{tree.name}-arguments.txt"
    listed.write_text("\n".join(arguments), "utf-8")
    command = [".venv/bin/python", "-m", "pytest", "-q", "--assert=plain", "--tb=no", f"@{listed}"]
    command += ["-p", plugin] if plugin else []
    environment = {**os.environ, "KARENINA_TESTS": "" if default else "thorough", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return "no end"
    names = [line.split(" ")[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return names[0] if names else "" if done.returncode in (0, 5) else "no start"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--like", type=Path)
    parser.add_argument("--only", type=int, nargs="+")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("INDEX", "COUNT"))
    options = parser.parse_args()
    tree = options.tree.resolve()
    drawn = draw(options.like or tree)
    breakages = transfer(drawn, options.like, tree) if options.like else dict(enumerate(drawn))
    breakages = {number: item for number, item in breakages.items() if number in (options.only or breakages)}
    if not options.notes.exists():
        tests = note_tests(breakages, tree, default=options.default)
        options.notes.write_text(json.dumps({"tests": tests, "caught": {}}), "utf-8")
        print(f"{len(tests)} of {len(breakages)} places are passed through")
        return 0
    notes = json.loads(options.notes.read_text("utf-8"))
    index, count = options.part
    results = options.notes.with_suffix(f".{index}.json")
    caught = json.loads(results.read_text("utf-8")) if results.exists() else {}
    for number, breakage in list(breakages.items())[index::count]:
        if str(number) in caught:
            continue
        begin = time.monotonic()
        tests = notes["tests"].get(str(number), [])
        caught[str(number)] = is_caught(breakage, tests, tree, default=options.default)
        print(
            f"{number:3} {breakage.path}:{breakage.line} {breakage.kind} ({len(tests)} tests,"
            f" {time.monotonic() - begin:.0f} s): {caught[str(number)] or 'not caught'}",
            flush=True,
        )
        results.write_text(json.dumps(caught, indent=1), "utf-8")
    print(f"{sum(map(bool, caught.values()))} of {len(caught)} caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
