"""Architecture: allowed imports between rooms, and of libraries."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "karenina_gui"
ROOT = Path(__file__).resolve().parents[1] / PACKAGE

GROUND = {"errors", "events", "plugins", "python_process", "settings", "static_files", "text", "work_clock"}
"""Rooms that import no other room."""

STAIRS: dict[str, set[str]] = {
    **{room: set() for room in GROUND},
    "access_token": {"settings", "errors"},
    "private_folders": {"settings"},
    "schemas": {"errors", "plugins", "text"},
    "traces": {"schemas", "errors", "text"},
    "example": {"schemas", "errors"},
    "adapters": {"schemas", "traces", "errors", "text", "plugins", "events", "work_clock", "private_folders"},
    "sandbox": {"schemas", "errors", "text", "python_process", "private_folders"},
    "judging": {"schemas", "adapters.ports", "errors", "text", "work_clock"},
    "evidence": {"schemas", "adapters.ports", "judging", "errors", "text"},
    "rubric": {"schemas", "adapters.ports", "sandbox", "judging", "evidence", "errors", "text"},
    "pipeline": {
        *("schemas", "traces", "adapters.ports", "sandbox", "judging", "evidence", "rubric"),
        *("errors", "plugins", "text", "work_clock", "private_folders"),
    },
    "store": {"schemas", "errors", "text", "events", "private_folders"},
    "formats": {"schemas", "traces", "errors", "text", "python_process", "private_folders"},
    "analysis": {"schemas", "errors", "text", "python_process"},
    "runs": {
        "pipeline",
        "rubric",
        "store",
        "adapters",
        "sandbox",
        "schemas",
        "errors",
        "text",
        "events",
        "work_clock",
    },
    "cluster": {
        *("adapters", "pipeline", "runs", "sandbox", "schemas", "example"),
        *("errors", "text"),
    },
    "authoring": {
        "store",
        "formats",
        "sandbox",
        "adapters.ports",
        "schemas",
        "errors",
        "text",
        "events",
        "python_process",
        "private_folders",
    },
    "gui": {
        *("authoring", "runs", "store", "analysis", "formats", "schemas", "traces", "example"),
        *("evidence.quotes", "evidence.justification", "access_token", "private_folders"),
        *GROUND,
    },
}
GUI_FLOORS = (
    "session",
    "kit",
    "records",
    "forms",
    *("pages.prices", "pages.drafts", "pages.templates", "pages.rubric", "pages.workspaces"),
    *(
        "pages.benchmarks",
        "pages.comparison",
        "pages.results",
        "charts",
        "pages.questions",
        "pages.question_table",
        "pages.calibration",
        "pages.models",
        "pages.run_setup",
        "pages.presets",
        "pages.settings",
        "pages.runs",
        "pages.guide",
        "pages.history",
        "pages.problems",
        "pages.replace",
    ),
    "shell",
)
"""Rooms of `gui`, from the lowest: each imports only those before it, for types, too."""
GUI_UPWARD = {("pages.settings", "shell.commands")}
"""Exceptions: the settings list the shortcuts of the shell."""
UPSTAIRS = {"__init__", "__main__", "app", "benchmark", "commands"}
"""Rooms that may import every other room."""

ONLY_IN = {
    "nicegui": {"gui"},
    "plotly": {"gui"},
    "sqlmodel": {"store"},
    "alembic": {"store"},
    "distributed": {"cluster"},
    "dask": {"cluster"},
}
"""Rooms that may use a library, by library."""

SLOW = {"anthropic", "openai", "numpy", "scipy", "statsmodels", "krippendorff", "pandas"}
"""Libraries that must be imported inside functions, because they take a second or two to load."""

STATISTICS = (
    *("analysis/statistics/", "analysis/scores.py", "analysis/run_counting.py", "gui/charts/run_loading.py"),
    *("schemas/job_table.py", "store/job_columns.py", "store/column_file.py"),
)
"""Files that may import statistics libraries at the top. They are themselves imported inside functions."""

APART = {"schemas", "sandbox"}
"""Rooms in the process of author-written code: standard library, pydantic and schemas only."""

NOT_BESIDE = {"sandbox/monty_runner.py": {"pydantic_monty"}, "schemas/job_table.py": {"numpy"}}
"""Files of those rooms that run in the application, and their additional imports."""


def _beside(path: Path) -> set[str]:
    return {"pydantic", "pydantic_core"} | NOT_BESIDE.get(path.as_posix(), set())


@dataclass(frozen=True)
class Import:
    module: str
    line: int
    at_start: bool
    """True if the statement runs when the file is loaded."""


def test_imports_go_downstairs_only() -> None:
    assert [problem for path in sources() for problem in problems(path.relative_to(ROOT), path.read_text())] == []


def test_every_room_stands_on_the_stairs() -> None:
    rooms = {room_of(path.relative_to(ROOT)) for path in sources()}
    assert rooms <= STAIRS.keys() | UPSTAIRS


def test_rooms_of_the_interface_stand_on_their_floors() -> None:
    found = {step for path in sources() for step in upward_steps(path.relative_to(ROOT), path.read_text())}
    assert {(room, module) for _, room, module in found} == GUI_UPWARD
    rooms = {_gui_room(path.relative_to(ROOT / "gui").parts) for path in (ROOT / "gui").rglob("*/*.py")}
    assert rooms - {"pages.__init__.py"} == set(GUI_FLOORS)


def test_a_step_upstairs_in_the_interface_is_found() -> None:
    source = "if TYPE_CHECKING:\n    from karenina_gui.gui.shell.pages import PAGES"
    assert list(upward_steps(Path("gui/kit/dialogs.py"), source))
    assert list(
        upward_steps(Path("gui/pages/models/form.py"), "def f():\n    from karenina_gui.gui.pages.runs import view")
    )
    assert not list(upward_steps(Path("gui/pages/runs/view.py"), "from karenina_gui.gui.session.window import Window"))


def test_a_step_upstairs_is_found_wherever_it_hides() -> None:
    assert found("schemas/question.py", "from karenina_gui.pipeline.context import VerificationContext")
    assert found("store/library.py", "def load():\n    import karenina_gui.runs.service")
    assert found("pipeline/guards.py", "from ..adapters import registry")
    assert found("adapters/manual.py", "from karenina_gui import VerificationConfig")
    assert found("formats/results.py", "from karenina_gui import gui")
    assert found("sandbox/pool.py", "if TYPE_CHECKING:\n    from karenina_gui.app import App")


def test_a_library_in_the_wrong_room_is_found() -> None:
    assert found("runs/desk.py", "from nicegui import ui")
    assert found("adapters/claude_tool.py", "try:\n    import anthropic\nexcept ImportError:\n    raise")
    assert found("schemas/model_config.py", "import yaml")
    assert found("sandbox/pool.py", "def run():\n    import numpy")


def test_statistics_are_loaded_by_who_computes_only() -> None:
    assert found("analysis/rates.py", "import numpy")
    assert found("gui/pages/runs/view.py", "from karenina_gui.analysis.scores import Scores")
    assert found("analysis/charts/paired.py", "from karenina_gui.analysis.statistics import paired")
    assert not found(
        "analysis/charts/paired.py", "def data():\n    from karenina_gui.analysis.statistics import paired"
    )
    assert not found("analysis/statistics/paired.py", "import numpy\nfrom karenina_gui.analysis.scores import Scores")


def test_steps_downstairs_are_free() -> None:
    assert not found("pipeline/guards.py", "from karenina_gui.adapters.ports import LLMPort")
    assert not found("pipeline/guards.py", "from ..adapters.ports import LLMPort\nfrom . import context")
    assert not found("adapters/claude_tool.py", "def client():\n    from anthropic import Anthropic")
    assert not found("adapters/claude_tool.py", "if TYPE_CHECKING:\n    from anthropic import Anthropic")
    assert not found(
        "schemas/model_config.py", "import json\nfrom pydantic import BaseModel\nfrom karenina_gui import errors"
    )


def sources() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def found(path: str, source: str) -> list[str]:
    return list(problems(Path(path), source))


def problems(path: Path, source: str) -> Iterator[str]:
    """Violations in the imports of one file. `path`: relative to the package."""
    room = room_of(path)
    for item in imports(path, source):
        where = f"{PACKAGE}/{path}:{item.line}: {room} imports {item.module}"
        top = item.module.split(".")[0]
        if top == PACKAGE:
            if not may_import(room, item.module):
                yield f"{where}, which is upstairs"
            elif item.at_start and is_slow(item.module) and not str(path).startswith(STATISTICS):
                yield f"{where} as it loads: import it where it is used"
        elif room not in ONLY_IN.get(top, {room}):
            yield f"{where}, which only {' and '.join(sorted(ONLY_IN[top]))} may"
        elif item.at_start and top in SLOW and not str(path).startswith(STATISTICS):
            yield f"{where} as it loads: import it where it is used"
        elif room in APART and top not in sys.stdlib_module_names | _beside(path):
            yield f"{where}, but only the standard library and pydantic are there"


def _gui_room(parts: Sequence[str]) -> str:
    """Room of a path or module below `gui`: its folder, or its folder in `pages`."""
    return ".".join(parts[: 2 if parts[0] == "pages" else 1])


def upward_steps(path: Path, source: str) -> Iterator[tuple[str, str, str]]:
    """Imports of a higher room of `gui`, with place, room, and module. `path`: relative to the package."""
    if path.parts[0] != "gui":
        return
    room = _gui_room(path.parts[1:])
    for item in imports(path, source):
        module = item.module.removeprefix(f"{PACKAGE}.gui.")
        if module == item.module:
            continue
        if GUI_FLOORS.index(_gui_room(module.split("."))) > GUI_FLOORS.index(room):
            yield f"{path}:{item.line}", room, module


def is_slow(module: str) -> bool:
    """True if one of our modules loads the statistics libraries."""
    path = module.removeprefix(f"{PACKAGE}.").replace(".", "/")
    return f"{path}/".startswith(STATISTICS) or f"{path}.py" in STATISTICS


def room_of(path: Path) -> str:
    return path.parts[0] if len(path.parts) > 1 else path.stem


def may_import(room: str, module: str) -> bool:
    target = module.removeprefix(PACKAGE).lstrip(".")
    if room in UPSTAIRS:
        return True
    allowed = STAIRS.get(room, set()) | {room}
    return any(target == step or target.startswith(f"{step}.") for step in allowed)


def imports(path: Path, source: str) -> Iterator[Import]:
    yield from _imports(ast.parse(source), [PACKAGE, *path.parts[:-1]], at_start=True)


def _imports(node: ast.AST, package: list[str], at_start: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, at_start)
        elif isinstance(child, ast.ImportFrom):
            for module in _modules_named(child, package):
                yield Import(module, child.lineno, at_start)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            yield from _imports(child, package, at_start=False)
        elif not isinstance(child, ast.expr):
            in_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(child, package, at_start and not in_function)


def _modules_named(node: ast.ImportFrom, package: list[str]) -> list[str]:
    """Modules imported by a statement. `from . import context` imports a module for each name."""
    base = package[: len(package) + 1 - node.level] if node.level else []
    module = ".".join([*base, *([node.module] if node.module else [])])
    rooms_are_named = module == PACKAGE or (node.level and not node.module) or module == f"{PACKAGE}.adapters"
    return [f"{module}.{alias.name}" for alias in node.names] if rooms_are_named else [module]
