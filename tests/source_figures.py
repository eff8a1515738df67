"""Figures of the source, its wording and its shape: `python -m tests.source_figures`."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.test_architecture import upward_steps

ROOT = Path(__file__).resolve().parents[1] / "karenina_gui"

SUBORDINATE = re.compile(r"(What|Who|Whom|Whose|Whether|Which|Where|When|Why|How|Of|As|Those|None)\b")
"""Words with which a docstring becomes a clause instead of a noun phrase or an imperative."""
IRREGULAR = frozenset(
    re.findall(
        r"\w+",
        """
        begun born bought brought built caught chosen done drawn driven fallen fed felt forgotten found
        given gone grown heard held hidden kept known laid led left lent lit lost made meant met paid
        said seen sent shown spent spoken stood struck taken taught thought thrown told torn understood
        woken won worn written
        """,
    )
)
"""Past participles that are not the imperative as well, as `read`, `put`, `set`, `split` and `shut` are."""
NOT_PARTICIPLES = frozenset(
    ["bed", "bleed", "breed", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "shared", "speed", "used"]
)
UNSEARCHABLE = frozenset(
    ["each", "found", "place", "known", "wanted", "words", "shown", "kept", "told", "said", "left", "given", "asked"]
)
SPECIFICATION = (ROOT.parent / "docs" / "specification.md").read_text("utf-8")
WORD = re.compile(r"\w+")
QUOTED = re.compile(r"`([^`]+)`")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\))?")
PATH = re.compile(r"[\w./-]+\.(?:py|js|css|md|toml|json)")
ARGUMENT = re.compile(r"(?:^|[.;]\s+|\n\s*)`([a-z_]\w*)`(?=: | None\b| True\b| False\b)")
"""The beginning of a sentence on an argument, or on a part of the result."""
ELSEWHERE = frozenset(
    [
        "F_SETOWN",
        "F_SETSIG",
        "FORWARDED_ALLOW_IPS",
        "ModelError",
        "__wrapped__",
        "bypassPermissions",
        "multipletests",
        "settings.toml",
        "top_p",
    ]
)
"""Names of other programs, and a file of the user, that remarks mention and the code does not use."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True)
class Source:
    """One file of the package."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def text_lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def remarks(self) -> list[tuple[int, str]]:
        """Docstrings and comments with their lines; a comment over several lines is one of them."""
        expressions = (each.value for each in self.nodes if isinstance(each, ast.Expr))
        docstrings = [
            (each.lineno, each.value)
            for each in expressions
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        comments = re.finditer(r"^(?:[ \t]*#.*\n)+|[ \t]#.*\n", self.text, re.MULTILINE)
        return docstrings + [(self.text.count("\n", 0, each.start()) + 1, _unwrap(each[0])) for each in comments]

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def comments(self) -> int:
        """Comments that say something to a reader; those for tools do not."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return sum(each.type == tokenize.COMMENT and not _for_tools(each.string) for each in tokens)

    @property
    def unformatted(self) -> int:
        """Places that the formatter leaves alone."""
        return self.text.count("# fmt: skip") + self.text.count("# fmt: off")

    def functions(self) -> Iterator[Function]:
        """All of them, methods and inner ones included."""
        yield from (each for each in self.nodes if isinstance(each, Function))

    def classes(self) -> Iterator[ast.ClassDef]:
        """Public ones at the top level."""
        yield from (each for each in self.tree.body if isinstance(each, ast.ClassDef) and not each.name.startswith("_"))


def sources() -> list[Source]:
    """The files of the package, those of migrations apart."""
    return [Source(path) for path in sorted(ROOT.rglob("*.py")) if "migrations" not in path.parts]


def subordinate_modules(files: list[Source]) -> list[str]:
    """Modules whose docstring begins with a clause."""
    return [name_of(each) for each in files if SUBORDINATE.match(ast.get_docstring(each.tree) or "")]


def subordinate_functions(files: list[Source]) -> list[str]:
    """Functions whose docstring begins with a clause."""
    return [place_of(file, each) for file in files for each in file.functions() if _is_subordinate(each)]


def documented_functions(files: list[Source]) -> int:
    """Functions that have a docstring."""
    return sum(ast.get_docstring(each) is not None for file in files for each in file.functions())


def bare_participles(files: list[Source]) -> list[str]:
    """Functions that are named by a participle alone, properties apart."""
    return [
        place_of(file, each)
        for file in files
        for each in file.functions()
        if not _is_property(each) and is_participle(each.name.strip("_"))
    ]


def bare_names(files: list[Source]) -> list[str]:
    """Places where something gets a name of `UNSEARCHABLE`."""
    return [
        f"{name_of(file)}:{node.lineno} {name}"
        for file in files
        for node in file.nodes
        if (name := _bound_name(node)).strip("_").lower() in UNSEARCHABLE
    ]


def _bound_name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return ""


def is_participle(name: str) -> bool:
    """Whether the name is one word, and that a past participle."""
    regular = name.endswith("ed") and len(name) > 4 and name not in NOT_PARTICIPLES
    return "_" not in name and (regular or name in IRREGULAR)


def stale_names(files: list[Source]) -> list[str]:
    """Names and paths in backticks that nothing has, in docstrings and comments: after a renaming, say."""
    names = _Names(files)
    return [
        f"{name_of(file)}:{line} {quoted}"
        for file in files
        for line, text in file.remarks
        for quoted in QUOTED.findall(text)
        if not (_is_file(quoted, file.path) if PATH.fullmatch(quoted) else names.include(quoted))
    ]


def stale_arguments(files: list[Source]) -> list[str]:
    """Arguments that a docstring explains, and that occur nowhere else in the function."""
    return [
        f"{place_of(file, function)} {name}"
        for file in files
        for function in file.functions()
        for name in ARGUMENT.findall(ast.get_docstring(function) or "")
        if len(re.findall(rf"\b{name}\b", "\n".join(file.text_lines[function.lineno - 1 : function.end_lineno]))) == 1
    ]


class _Names:
    """Words of the code and its scripts, and members of its classes."""

    def __init__(self, files: list[Source]) -> None:
        self._words = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names, *ELSEWHERE}
        self._members: dict[str, set[str]] = defaultdict(set)
        self._bases: dict[str, set[str]] = defaultdict(set)
        for file in files:
            remarks = Counter(WORD.findall(" ".join(text for _, text in file.remarks)))
            self._words |= (Counter(WORD.findall(file.text)) - remarks).keys() | {file.path.stem, file.path.parent.name}
            for node in file.nodes:
                if isinstance(node, ast.ClassDef):
                    self._members[node.name] |= _members_of(file, node)
                    self._bases[node.name].update(WORD.findall(" ".join(map(ast.unparse, node.bases))))
        for script in (ROOT.parent / "static").rglob("*.js"):
            self._words.update(WORD.findall(script.read_text("utf-8")))

    def include(self, quoted: str) -> bool:
        """True for a name that the code has, and for everything that is not a name alone."""
        *owners, name = quoted.removesuffix("()").split(".")
        if not NAME.fullmatch(quoted) or (owners and owners[0] in sys.stdlib_module_names):
            return True
        is_there = self._words.issuperset([*owners, name])
        return is_there and (not owners or owners[-1] not in self._members or self._has(owners[-1], name))

    def _has(self, owner: str, name: str) -> bool:
        """True if a class has the member itself or from a base."""
        classes = [owner]
        for each in classes:
            classes += self._bases[each] - {*classes}
        return any(name in self._members[each] for each in classes)


def _unwrap(comment: str) -> str:
    return re.sub(r"\n[ \t]*#", "", comment)


def _members_of(file: Source, node: ast.ClassDef) -> set[str]:
    """Names at the beginning of the lines of a class, and what its methods set."""
    lines = "\n".join(file.text_lines[node.lineno : node.end_lineno])
    return set(re.findall(r"(?:^ {4}(?!def |async )|def |self\.)(\w+)", lines, re.MULTILINE))


def _is_file(name: str, source: Path) -> bool:
    """True for a path from a folder above the source, for a script, and for a document of the specification."""
    folders = [*source.parents][: len(source.relative_to(ROOT).parts) + 1]
    return (
        name in ELSEWHERE
        or f"`{name}`" in SPECIFICATION
        or any((each / name).exists() for each in [*folders, ROOT.parent / "static"])
    )


def repeated_classes(files: list[Source]) -> dict[str, int]:
    """Names that several public classes have, with how many."""
    names = Counter(each.name for file in files for each in file.classes())
    return {name: count for name, count in names.items() if count > 1}


def long_functions(files: list[Source], most: int = 50) -> list[str]:
    """Functions of more lines than this, from their first decorator to their end."""
    return [place_of(file, each) for file in files for each in file.functions() if _length(each) > most]


def long_files(files: list[Source], most: int = 700) -> list[str]:
    """Files of more lines than this."""
    return [name_of(each) for each in files if each.lines > most]


def many_parameters(files: list[Source], most: int = 6) -> list[str]:
    """Functions with more parameters than this, `self` and `cls` apart."""
    return [place_of(file, each) for file in files for each in file.functions() if _parameters(each) > most]


@cache
def complexity(function: Function) -> int:
    """Cyclomatic complexity (McCabe 1976): 1 + decisions, where each further operand of and/or is one, too."""
    inner = (each for child in ast.iter_child_nodes(function) for each in _own(child))
    return 1 + sum(_decisions(each) for each in inner)


def complex_functions(files: list[Source], most: int) -> list[str]:
    """Functions of a higher cyclomatic complexity than this."""
    return [place_of(file, each) for file in files for each in file.functions() if complexity(each) > most]


def upward_imports(files: list[Source]) -> list[str]:
    """Imports of a higher room of `gui`, type-only ones included."""
    steps = (step for file in files for step in upward_steps(file.path.relative_to(ROOT), file.text))
    return [f"{place}: {module}" for place, _, module in steps]


def import_cycles(files: list[Source]) -> list[list[str]]:
    """Modules that import each other in a circle, type-only and late imports included."""
    names = {name_of(file).removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in files}
    numbers = {name: number for number, name in enumerate(names)}
    pairs = [(numbers[name], numbers[other]) for name, file in names.items() for other in _imported(file.tree, numbers)]
    rows, columns = zip(*pairs, strict=True)
    graph = coo_array(([1] * len(pairs), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(graph, directed=True, connection="strong")
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def comments_per_thousand_lines(files: list[Source]) -> float:
    """Comments to a reader for every 1,000 lines."""
    return 1000 * sum(each.comments for each in files) / sum(each.lines for each in files)


def name_of(source: Source) -> str:
    """Path below the package."""
    return source.path.relative_to(ROOT).as_posix()


def place_of(source: Source, part: Definition) -> str:
    """Where a function or class is."""
    return f"{name_of(source)}:{part.lineno} {part.name}"


def _for_tools(comment: str) -> bool:
    return re.match(r"#\s*(noqa|type:|fmt:|pragma|ruff)", comment) is not None


def _is_subordinate(function: Function) -> bool:
    return SUBORDINATE.match(ast.get_docstring(function) or "") is not None


def _is_property(function: Function) -> bool:
    return any("property" in ast.unparse(each) for each in function.decorator_list)


def _length(function: Function) -> int:
    return (function.end_lineno or 0) - min([function.lineno, *(each.lineno for each in function.decorator_list)]) + 1


def _parameters(function: Function) -> int:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return sum(each is not None and each.arg not in ("self", "cls") for each in every)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, inner functions and classes apart."""
    if isinstance(node, Definition):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _own(child)


def _decisions(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    branches = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.Assert)
    return int(isinstance(node, branches))


def _imported(tree: ast.Module, known: Container[str]) -> Iterator[str]:
    """Modules of the package that a module imports, relative to the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("karenina_gui"):
            base = node.module.removeprefix("karenina_gui").removeprefix(".")
            inside = [f"{base}.{each.name}".removeprefix(".") for each in node.names]
            modules = [each for each in inside if each in known]
            yield from modules
            if len(modules) < len(inside) and base in known:
                yield base
        elif isinstance(node, ast.Import):
            yield from (name for each in node.names if (name := each.name.removeprefix("karenina_gui.")) in known)


def main() -> None:
    """Print each figure, and the places that it counts where they are few."""
    files = sources()
    documented = documented_functions(files)
    clauses = subordinate_functions(files)
    places: dict[str, list[str]] = {
        "module docstrings that begin with a clause": subordinate_modules(files),
        "function docstrings that begin with a clause": clauses,
        "functions named by a participle": bare_participles(files),
        "names of several public classes": list(repeated_classes(files)),
        "functions more complex than 15": complex_functions(files, 15),
        "functions more complex than 10": complex_functions(files, 10),
        "functions with more than 6 parameters": many_parameters(files),
        "functions of more than 50 lines": long_functions(files),
        "files of more than 700 lines": long_files(files),
        "upward imports in gui": upward_imports(files),
        "circles of imports": [" ".join(each) for each in import_cycles(files)],
    }
    for name, found in places.items():
        print(f"{len(found):>6}  {name}")
        if len(found) <= 12:
            print("".join(f"            {each}\n" for each in found), end="")
    print(f"{len(clauses) / documented:>6.1%}  of the function docstrings begin with a clause")
    print(f"{comments_per_thousand_lines(files):>6.1f}  comments for every 1,000 lines")
    print(f"{sum(each.unformatted for each in files):>6}  places that the formatter leaves alone")


if __name__ == "__main__":
    main()
