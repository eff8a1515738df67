"""Folders with keys and data: no root, path, link, mount, or command leads into one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from karenina_gui import private_folders
from karenina_gui.adapters.keys import FILE_NAME, KeyRing
from karenina_gui.adapters.recording import Recorder, Recordings
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.comparison.linked_files import LinkedFiles
from karenina_gui.errors import ConfigurationError, InputError, WorkspaceError
from karenina_gui.formats.k_eval.config_parts import Dataset
from karenina_gui.formats.k_eval.config_reader import KEvalFile
from karenina_gui.pipeline.workspaces import JobWorkspaces, WorkspaceOrder
from karenina_gui.private_folders import folder_problem, is_private
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands import bubblewrap
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder
from karenina_gui.sandbox.workspace.workspace_tools import workspace_tools
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.workspace import WorkspaceLimits
from karenina_gui.store.library import Library

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with workspaces, and with the application's folders at their usual places."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "KARENINA_GUI_DATA"):
        monkeypatch.delenv(name, raising=False)
    for folder in (".config/karenina-gui", ".local/share/karenina-gui/recordings", "tasks/one"):
        (home / folder).mkdir(parents=True)
    KeyRing({}, home / ".local/share/karenina-gui" / FILE_NAME).enter("OPENAI_API_KEY", KEY, remember=True)
    return home


@pytest.fixture
def data(home: Path) -> Path:
    return home / ".local/share/karenina-gui"


UNUSABLE: dict[str, Callable[[Path, Path], Path]] = {
    "the data folder": lambda home, data: data,
    "a folder in it": lambda home, data: data / "trash",
    "its folder for arrivals": lambda home, data: data / "incoming",
    "a folder above it": lambda home, data: data.parent,
    "the configuration folder": lambda home, data: home / ".config/karenina-gui",
    "a folder above that": lambda home, data: home / ".config",
    "the home folder": lambda home, data: home,
    "a folder above the home folder": lambda home, data: home.parent,
    "a link to the data folder": lambda home, data: _link(home / "tasks/link", data),
    "a link above it": lambda home, data: _link(home / "tasks/link", home / ".local"),
    "a folder behind a link": lambda home, data: _link(home / "tasks/link", home / ".local") / "share",
    "a path with dots": lambda home, data: home / "tasks" / ".." / ".local",
    "another case": lambda home, data: home / ".LOCAL/share/Karenina-GUI",
}


def _link(link: Path, target: Path) -> Path:
    link.symlink_to(target)
    return link


@pytest.mark.parametrize("folder", UNUSABLE)
def test_no_folder_around_or_in_private_ones_has_workspaces(home: Path, data: Path, folder: str) -> None:
    root = UNUSABLE[folder](home, data)
    assert folder_problem(root) is not None
    with pytest.raises(InputError, match=r"application|home"):
        ConfinedFolder(root)
    with pytest.raises(WorkspaceError):
        JobWorkspaces(CommandBox(WorkspaceLimits())).open(WorkspaceOrder("q", None, root))
    output = CommandBox(WorkspaceLimits(), allow_unconfined=True).run(root, "cat */keys.json keys.json")
    assert output.is_error
    assert KEY not in output.text


def test_folders_beside_private_ones_have_workspaces(home: Path, data: Path) -> None:
    assert folder_problem(home / "tasks") is None
    assert folder_problem(home / "tasks" / "missing") is None
    # Made by the application for its example.
    assert folder_problem(data / "agents-workspaces-1") is None
    assert folder_problem(data / "agents-workspaces-1" / "task") is None
    # The same for copies of workspaces, but not for other temporary files.
    assert folder_problem(data / "temporary" / "karenina-workspaces-1" / "task") is None
    assert folder_problem(data / "temporary" / "upload-1" / "task") is not None


def test_a_data_folder_elsewhere_is_private_too(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library.open(tmp_path / "opened"):
        assert folder_problem(tmp_path) is not None
        assert is_private(tmp_path / "opened" / FILE_NAME)
    monkeypatch.setenv("KARENINA_GUI_DATA", str(tmp_path / "named"))
    assert is_private(tmp_path / "named" / FILE_NAME)
    monkeypatch.delenv("KARENINA_GUI_DATA")
    (home / ".config/karenina-gui/settings.toml").write_text(f'data = "{tmp_path / "stored"}"')
    assert is_private(tmp_path / "stored" / FILE_NAME)


def test_a_root_of_the_page_is_refused_also_if_it_was_set_before(
    home: Path, data: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    with Library.open(data) as library:
        editor = BenchmarkEditor(library, sandbox)
        benchmark = editor.create_benchmark("Tasks")
        for root in (home, home.parent, data, data.parent):
            assert editor.workspaces.check_root(str(root)).state == "refused"
            with pytest.raises(InputError):
                editor.workspaces.set_root(benchmark, str(root))
        library.benchmarks.set_workspace_root(benchmark, str(home))
        found = editor.workspaces.find(benchmark, ".local/share/karenina-gui")
        assert (found.state, found.files) == ("no_root", None)
        assert "application" in found.message
        assert editor.workspaces.suggestions(benchmark) == editor.workspaces.run_copies(benchmark) == []
        with pytest.raises(InputError):
            editor.workspaces.create_folder(benchmark, "new")


def test_no_tool_reads_a_key(home: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = home / "tasks" / "one"
    (workspace / "keys.json").symlink_to(data / FILE_NAME)
    (workspace / "folder").symlink_to(data)
    (workspace / "mounted").mkdir()
    (workspace / "mounted" / FILE_NAME).write_text(KEY)
    # As if the data folder were mounted there: nothing but its identity tells.
    known = private_folders.private_identities()
    state = (workspace / "mounted").stat()
    monkeypatch.setattr(
        "karenina_gui.sandbox.workspace.confined_folder.private_identities",
        lambda: known | {(state.st_dev, state.st_ino)},
    )
    tools = {
        tool.spec.name: tool
        for tool in workspace_tools(workspace, ("read_file", "search_files"), CommandBox(WorkspaceLimits()))
    }
    for path in ("keys.json", "folder/keys.json", "mounted/keys.json"):
        output = tools["read_file"].call({"path": path})
        assert output.is_error
        assert "leads outside the workspace" in output.text or "is, or is behind, a link" in output.text
    assert KEY not in tools["search_files"].call({"pattern": "sk-"}).text


def test_a_command_does_not_see_a_data_folder_among_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = CommandBox(WorkspaceLimits())
    if box.refusal:
        pytest.skip(box.refusal)
    place = next(folder for folder in Path("/usr/share").iterdir() if folder.is_dir() and any(folder.iterdir()))
    (tmp_path / "work").mkdir()
    box.admit(tmp_path / "work")
    assert box.run(tmp_path / "work", f"ls -A {place}").text != "(no output)"
    monkeypatch.setattr(bubblewrap, "private_folders", lambda: [place])
    assert box.run(tmp_path / "work", f"ls -A {place}").text == "(no output)"


@pytest.mark.parametrize("name", ["benchmark.jsonld", FILE_NAME])
def test_no_linked_file_is_private(home: Path, data: Path, tmp_path: Path, sandbox: Sandbox, name: str) -> None:
    (data / name).write_text((data / FILE_NAME).read_text())
    linked = _link(home / "tasks" / "linked.json", data / name)
    with Library.open(data) as library:
        editor = BenchmarkEditor(library, sandbox)
        benchmark = editor.create_benchmark("Tasks")
        for path in (data / name, linked, home / ".config/karenina-gui/new.json"):
            files = LinkedFiles(library)
            for use in (files.link, files.write):
                with pytest.raises(InputError, match="stores its own data"):
                    use(benchmark, str(path))


def test_no_file_of_keys_is_a_recording_or_a_dataset(home: Path, data: Path) -> None:
    model = ModelConfig(id="m", model_name="m", interface="replay", recording=str(data / FILE_NAME))
    with pytest.raises(ConfigurationError, match="own data"):
        Recordings({}).of(model)
    with pytest.raises(InputError, match="own data"):
        Recorder(data / FILE_NAME)
    assert not is_private(data / "recordings" / "run.json", recordings=True)
    Recorder(data / "recordings" / "run.json").close()
    dataset = Dataset.model_construct(path="../.local/share/karenina-gui/keys.json")
    with pytest.raises(ConfigurationError, match="own data"):
        _ = KEvalFile(home / "tasks" / "k-eval.yaml", dataset=dataset).dataset_path
