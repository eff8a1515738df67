"""Contract with the parts of NiceGUI that it does not promise, and the fence around them."""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import sys
import tomllib
import weakref
from collections.abc import Callable, Iterator
from functools import partial, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client, __version__, events, observables, ui
from nicegui.dependencies import importmap_overrides
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.event_listener import EventListener
from nicegui.page_arguments import RouteMatch
from nicegui.props import Props
from nicegui.sub_pages_router import SubPagesRouter
from nicegui.testing import User

from karenina_gui.gui.session import nicegui_internals
from karenina_gui.gui.session.nicegui_internals import (
    ROUTE_CACHES,
    DisposeHook,
    RemovableUpload,
    SubPages,
    expects_arguments,
    handle_event,
    router_of,
    set_unseen,
    throttle_value as throttle,
)
from tests.other_trees import build_others

REPOSITORY = Path(__file__).resolve().parents[3]
GUI = REPOSITORY / "karenina_gui" / "gui"
ALLOWED = {"_asdict", "_replace"}
"""Names with an underscore that are public: those of named tuples."""


def test_the_minor_version_that_is_checked_here_is_the_one_that_is_installed() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    (wanted,) = [each for each in project["project"]["dependencies"] if each.startswith("nicegui")]
    major, minor = map(int, __version__.split(".")[:2])
    assert wanted == f"nicegui[plotly]>={major}.{minor},<{major}.{minor + 1}"
    for name in ("requirements.lock", "requirements-test.lock"):
        assert f"\nnicegui=={major}.{minor}." in (REPOSITORY / name).read_text("utf-8")


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (ui.sub_pages._render_page, ["self", "match"]),
        (ui.sub_pages._render_404, ["self"]),
        (ui.sub_pages._set_match, ["self", "match"]),
        (ui.sub_pages._find_matching_path, ["self"]),
        (ui.sub_pages._required_query_params_changed, ["self", "route_match"]),
        (ui.element._handle_delete, ["self"]),
        (ui.select._event_args_to_value, ["self", "e"]),
        (ui.codemirror._encode_codepoints, ["doc"]),
        (Client.handle_event, ["self", "msg"]),
        (SubPagesRouter.on_path_changed, ["self", "handler"]),
        (SubPagesRouter.refresh, ["self"]),
    ],
)
def test_methods_take_what_they_are_given(method: Callable[..., Any], parameters: list[str]) -> None:
    assert [*inspect.signature(method).parameters] == parameters


def test_attributes_have_their_names() -> None:
    assert {"throttle", "type"} <= {*EventListener.__dataclass_fields__}
    assert {"path", "pattern", "query_params"} <= {*RouteMatch.__dataclass_fields__}
    assert {"_match", "_find_matching_path"} <= private_names(ui.sub_pages)
    assert "_send_update_on_value_change" in private_names(ValueElement)
    assert {"_codepoints", "_encode_codepoints"} <= private_names(ui.codemirror)
    assert "_event_listeners" in private_names(ui.element)


class Pages(SubPages):
    """Notes what NiceGUI asks of it."""

    def __init__(self, routes: dict[str, Callable[..., Any]], *, found: bool = True) -> None:
        self.found = found
        self.asked: list[str] = []
        super().__init__(routes)

    def begin_page(self) -> None:
        self.asked.append("begin")

    def is_found(self) -> bool:
        return self.found

    def is_same_page(self, before: RouteMatch, now: RouteMatch) -> bool:
        return before.query_params.get("page") == now.query_params.get("page")

    def draw_missing_page(self) -> None:
        self.asked.append("missing")
        ui.label("There is nothing here.")


@pytest.fixture
async def pages(user: User) -> Pages:
    made: list[Pages] = []

    @ui.page("/")
    @ui.page("/{_:path}")
    def page() -> None:
        made.append(Pages({"/": lambda: ui.label("Home"), "/list": lambda: ui.label("A list")}))

    await user.open("/list?page=1")
    return made[-1]


async def test_a_page_is_drawn_after_its_beginning(user: User, pages: Pages) -> None:
    await user.should_see("A list")
    assert pages.asked == ["begin"]


async def test_a_page_stays_if_it_is_the_same(pages: Pages) -> None:
    router = router_of(pages.client)
    with pages.client:
        assert await router._handle_open("/list?page=1&row=5")
        assert pages.asked == ["begin"]
        assert await router._handle_open("/list?page=2")
    assert pages.asked == ["begin", "begin"]


async def test_a_page_that_is_not_found_is_replaced(user: User, pages: Pages) -> None:
    pages.found = False
    with pages.client:
        assert not await router_of(pages.client)._handle_open("/list?page=2")
    assert pages.asked == ["begin", "begin", "missing"]
    await user.should_see("There is nothing here.")


async def test_an_address_that_leads_nowhere_is_replaced(user: User, pages: Pages) -> None:
    with pages.client:
        await router_of(pages.client)._handle_open("/elsewhere/5")
    assert pages.asked[-1] == "missing"


async def test_a_changed_address_is_taken_over_without_drawing(pages: Pages) -> None:
    router = router_of(pages.client)
    router.current_path = "/list?page=3"
    pages.follow_address()
    with pages.client:
        assert await router._handle_open("/list?page=3")
    assert pages.asked == ["begin"]


async def test_a_hook_runs_when_its_part_of_the_page_is_removed(user: User) -> None:
    gone: list[bool] = []
    places: list[ui.element] = []

    @ui.page("/")
    def page() -> None:
        with ui.element() as place:
            DisposeHook(lambda: gone.append(True))
        places.append(place)

    await user.open("/")
    assert gone == []
    places[0].clear()
    assert gone == [True]


async def draw(user: User, make: Callable[[], Any]) -> Any:
    made: list[Any] = []
    ui.page("/")(lambda: made.append(make()))
    await user.open("/")
    return made[0]


async def test_the_values_of_a_control_are_throttled(user: User) -> None:
    control = await draw(user, lambda: ui.input(on_change=print).on("focus", print))
    throttle(control, 0.7)
    sent = {event["type"]: event["throttle"] for event in control._to_dict()["events"]}
    assert sent == {"update:value": 0.7, "focus": 0}


async def test_a_value_is_set_without_sending_it(user: User) -> None:
    control = await draw(user, ui.input)
    control.client.outbox.updates.clear()
    set_unseen(control, "typed")
    assert (control.value, [*control.client.outbox.updates]) == ("typed", [])
    control.set_value("set")
    assert [*control.client.outbox.updates] == [control.id]


async def test_typing_goes_on_at_the_right_place_of_code_that_was_set_unseen(user: User) -> None:
    code = await draw(user, ui.codemirror)
    set_unseen(code, "😀 = 1")
    # The browser counts UTF-16 units: the face has two. After "😀 = ", 1 is replaced by 23.
    typed = {"sections": [5, -1, 1, 2], "inserted": [[], ["23"]]}
    assert code._event_args_to_value(SimpleNamespace(args=typed)) == "😀 = 23"


async def test_an_event_reaches_its_control(user: User) -> None:
    control = await draw(user, ui.input)
    (listener,) = control._event_listeners.values()
    event = {"id": control.id, "client_id": control.client.id, "listener_id": listener.id, "args": ['"typed"']}
    assert handle_event(control.client.id, lambda: event)
    assert control.value == "typed"
    assert not handle_event("nobody", lambda: event)


class Handlers:
    def plain(self) -> None: ...

    def one(self, event: object) -> None: ...

    def optional(self, event: object = None) -> None: ...

    def any(self, *events: object, **more: object) -> None: ...

    def keyword(self, *, event: object) -> None: ...

    def optional_keyword(self, *, event: object = None) -> None: ...

    @staticmethod
    def static(event: object) -> None: ...

    @classmethod
    def of_class(cls) -> None: ...

    def without_self(*events: object) -> None: ...

    def positional(self, event: object, more: object = None, /) -> None: ...

    def __call__(self, event: object) -> None: ...


def named(event: object, more: object = None) -> None: ...


@wraps(named)
def wrapped() -> None: ...


HANDLERS = Handlers()


@pytest.mark.parametrize(
    "handler",
    [
        *(getattr(HANDLERS, name) for name in vars(Handlers) if not name.startswith("_")),
        *(Handlers.plain, Handlers.keyword, Handlers.positional, Handlers.of_class),
        *(HANDLERS, Handlers, named, wrapped, partial(named), partial(named, 1), print, [].append),
        *(lambda: None, lambda event: None, lambda event=1: None, lambda *events: None),
    ],
)
def test_handlers_expect_what_nicegui_reads_from_their_signature(handler: Callable[..., Any]) -> None:
    assert expects_arguments(handler) == nicegui_internals._expects_arguments(handler)


def test_props_are_read_though_a_tree_is_built_meanwhile() -> None:
    """A garbage collection in the middle of a tree lets another thread, or a callback, build one."""
    with build_others(101):
        read = [Props.parse('role="search" aria-label="Filter the chart"') for _ in range(300)]
    assert read == [{"role": "search", "aria-label": "Filter the chart"}] * 300


async def test_nicegui_asks_for_expected_arguments_here(user: User) -> None:
    assert observables.helpers.expects_arguments is events.helpers.expects_arguments is expects_arguments
    pressed: list[object] = []
    await draw(user, lambda: ui.button("Press", on_click=pressed.append))
    user.find("Press").click()
    assert len(pressed) == 1


async def test_a_removed_upload_is_let_go(user: User) -> None:
    assert len(ROUTE_CACHES) == 3
    made: list[weakref.ref[ui.upload]] = []
    await draw(user, lambda: made.append(weakref.ref(RemovableUpload())))
    upload = made[0]()
    assert upload is not None and all(cache.cache_info().currsize for cache in ROUTE_CACHES)
    upload.delete()
    del upload
    gc.collect()
    assert made[0]() is None


def test_no_other_file_uses_private_parts_of_nicegui() -> None:
    inside = Path(nicegui_internals.__file__)
    files = [path for path in sorted(GUI.rglob("*.py")) if path != inside]
    assert [place for path in files for place in trespasses(path)] == []


def test_private_parts_are_found_in_the_file_that_may_use_them() -> None:
    found = {place.split()[-1] for place in trespasses(Path(nicegui_internals.__file__))}
    assert {"_match", "_render_page", "_handle_delete", "_event_listeners", "_codepoints"} <= found


def trespasses(path: Path) -> Iterator[str]:
    """Uses of private parts of others: by name, and of base classes of NiceGUI."""
    tree = ast.parse(path.read_text("utf-8"))
    module = importlib.import_module(".".join(path.relative_to(REPOSITORY).with_suffix("").parts))
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    own = {"self", "cls", "super()", *(each.name for each in classes)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and ast.unparse(node.value) not in own:
            yield f"{path.name}:{node.lineno} {node.attr}"
    for part in classes:
        inherited = private_names(getattr(module, part.name))
        for node in ast.walk(part):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "name", "")
            if name in inherited:
                yield f"{path.name}:{part.name} {name}"


def private_names(kind: type) -> set[str]:
    """Private methods and attributes that a class has from NiceGUI."""
    bases = [each for each in kind.__mro__ if each.__module__.partition(".")[0] == "nicegui"]
    methods = {name for each in bases for name in vars(each)}
    trees = (ast.parse(inspect.getsource(sys.modules[each.__module__])) for each in bases)
    attributes = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {name for name in methods | attributes if is_private(name)}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in ALLOWED


def test_scripts_import_from_a_mapped_address() -> None:
    nicegui_internals.map_import("plants.js", "/static/plants.js")
    assert importmap_overrides.pop("plants.js") == "/static/plants.js"
