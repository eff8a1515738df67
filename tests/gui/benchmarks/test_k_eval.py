"""A configuration of k-eval in the window: what is in it, what becomes of it, and how it is taken back."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.formats.k_eval.config_reader import KEvalFile, read_k_eval
from karenina_gui.formats.k_eval.dataset_reader import read_dataset
from karenina_gui.gui.kit.uploads import Uploader
from karenina_gui.gui.pages.benchmarks.k_eval import KEvalImportDialog, open_files, take_back
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.runs.exports import export, remove
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.commands import BY_ID
from karenina_gui.gui.shell.file_drop import DROP_HANDLERS, open_k_eval
from karenina_gui.runs.presets import with_saved_models
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.rubric.methodology import METRICS
from karenina_gui.schemas.tool_server import ToolServer
from tests.saved_models import start_run
from tests.twin import Asked, Call, Reply, Twin

SERVER = Path(__file__).parents[2] / "adapters" / "small_server.py"

CONFIG: dict[str, Any] = {
    "name": "demo",
    "version": "2",
    "dataset": {"path": "q.jsonl", "question_key": "q", "answer_key": "a"},
    "agent": {"type": "claude_code_sdk", "model": "claude-sonnet-4-5"},
    "judge": {"model": "anthropic/claude-opus-4-5"},
    "mcp_servers": {"graph": {"type": "stdio", "command": "graph", "env": {"TOKEN": "${GRAPH_TOKEN}"}}},
    "conditions": {
        "plain": {"system_prompt": "Guess."},
        "tools": {"system_prompt": "Look it up.", "mcp_servers": ["graph"], "require_mcp_tool_use": True},
    },
    "execution": {"num_repetitions": 3, "max_concurrent": 5},
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "q.jsonl").write_text(json.dumps({"q": "Target of venetoclax?", "a": "BCL2"}) + "\n")
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(CONFIG, sort_keys=False))
    return file


def kept(services: AppContext, config: Path, *, reviewed: bool) -> Any:
    found: KEvalFile = read_k_eval(config, {"GRAPH_TOKEN": "tk-secret"})
    assert found.dataset is not None
    questions = read_dataset(found.dataset_path, found.dataset)
    return open_files(services, found, questions, found.dataset_path, reviewed)


@pytest.mark.parametrize("reviewed", [False, True])
def test_it_becomes_a_benchmark_and_a_preset_that_fills_the_run_page(
    services: AppContext, config: Path, reviewed: bool
) -> None:
    opened = kept(services, config, reviewed=reviewed)
    summary = services.library.benchmarks.summary(opened.benchmark_id)
    assert (summary.name, summary.questions, summary.finished) == ("demo", 1, int(reviewed))
    assert services.library.benchmarks.frame(opened.benchmark_id).rubric.names == ["answer_quality"]
    preset = services.library.presets.get(opened.preset.id)
    assert preset.name == "demo" and "tk-secret" not in preset.model_dump_json()
    config_of_page, _ = with_saved_models(preset.config, services.library.models)
    models = {str(each.id): each for each in (*config_of_page.answering_models, *config_of_page.parsing_models)}
    chosen = RunDraft.of(config_of_page).config(models)
    assert [each.model_dump() for each in chosen.conditions] == [each.model_dump() for each in preset.config.conditions]
    assert (chosen.replicate_count, chosen.evaluation_mode, chosen.async_max_workers) == (3, "rubric_only", 5)
    assert not chosen.use_full_trace_for_rubric


def test_undo_takes_both_back_and_a_second_opening_has_a_name_of_its_own(services: AppContext, config: Path) -> None:
    first, second = kept(services, config, reviewed=True), kept(services, config, reviewed=True)
    assert second.preset.name == "demo 2"
    take_back(services, first)
    assert first.benchmark_id not in services.library.benchmarks.numbers()
    assert [preset.name for preset in services.library.presets.all().values()] == ["demo 2"]


def test_a_run_of_it_leaves_as_k_evals_files_that_name_its_data_set(
    application: Application, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = '{"q": "Target of venetoclax?", "a": "BCL2"}\n{"q": "And of navitoclax?", "a": "BCL"}\n'
    (config.parent / "q.jsonl").write_text(two)
    monkeypatch.setenv("GRAPH_TOKEN", "tk-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    services = application.services()
    opened = kept(services, config, reviewed=True)
    server = ToolServer(command=sys.executable, args=["-S", str(SERVER)], env={"TOKEN": "${GRAPH_TOKEN}"})
    plain, tools = opened.preset.config.conditions
    with Twin(looks_up) as twin:
        here = {"interface": "openai_endpoint", "endpoint_base_url": twin.address}
        changes = {
            "answering_models": [each.model_copy(update=here) for each in opened.preset.config.answering_models],
            "parsing_models": [each.model_copy(update=here) for each in opened.preset.config.parsing_models],
            "conditions": [plain, tools.model_copy(update={"mcp_servers": {"graph": server}})],
        }
        order = RunOrder(opened.benchmark_id, opened.preset.config.model_copy(update=changes))
        run = start_run(application, order)
        assert application.runs.wait(run, 120)
    path = export(services, run, "zip", ResultQuery())
    with ZipFile(path) as archive:
        summary, lines = (archive.read(name).decode() for name in archive.namelist())
    remove(path)
    assert "tk-secret" not in summary + lines
    for each in json.loads(summary)["evaluation_results"]:
        assert each["source_data"]["additional_details"]["dataset_sha256"] == sha256(two.encode()).hexdigest()
        uncertainty = each["score_details"]["uncertainty"]
        assert (uncertainty["num_samples"], uncertainty["standard_error"]["value"]) == (2, 1)
        assert uncertainty["standard_deviation"] == pytest.approx(2**0.5)
        assert each["score_details"]["score"] == 3
    kinds = {(line["evaluation_name"], line["interaction_type"]) for line in map(json.loads, lines.splitlines())}
    assert kinds == {("demo/plain", "single_turn"), ("demo/tools", "agentic")}


def looks_up(asked: Asked) -> Reply:
    """The agent uses its tool where it has one; the judge finds the second question answered better."""
    if asked.schema is None:
        return (
            Reply("It is BCL2.") if asked.results or not asked.tools else Reply(calls=[Call(next(iter(asked.tools)))])
        )
    score = 4 if "navitoclax" in asked.text else 2
    given = {**{f"{name}_reasoning": "So it is." for name in METRICS}, **dict.fromkeys(METRICS, score)}
    return Reply(data={name: given.get(name, []) for name in asked.schema["properties"]})


async def test_the_dialog_shows_what_is_in_the_file_and_asks_for_the_data_set(
    user: User, services: AppContext, config: Path
) -> None:
    shown = []

    @ui.page("/")
    def page() -> None:
        window = Window(services)
        window.stage_file(config)
        opening = KEvalImportDialog(window)
        opening.show()
        shown.append(opening)

    await user.open("/")
    await user.should_see("Choose q.jsonl, or drop it here")
    await user.should_see("GRAPH_TOKEN")
    await user.should_see(content="at least one call")


async def choose(user: User, name: str, content: str) -> None:
    """Hand over this file where the dialog asks for one."""
    (place,) = user.find(kind=Uploader).elements
    await place.handle_uploads([SmallFileUpload(name, "", content.encode())])


async def test_files_are_chosen_one_after_the_other_until_both_are_right(
    user: User, services: AppContext, config: Path
) -> None:
    @ui.page("/")
    def page() -> None:
        KEvalImportDialog(Window(services)).show()

    @ui.page("/benchmarks/{number}/run")
    def run_page(number: int, preset: str) -> None:
        ui.label(f"Run of benchmark {number}")

    before = len(services.library.benchmarks.summaries())
    await user.open("/")
    await user.should_see("Choose the configuration, or drop it here")
    await choose(user, "broken.yaml", "a: [")
    await user.should_see(content="broken.yaml")
    await choose(user, config.name, config.read_text())
    await user.should_see("Choose q.jsonl, or drop it here")
    await choose(user, "q.jsonl", json.dumps({"other": "key"}))
    await user.should_see(content="line 1: it has no “q” (its names: other)")
    await choose(user, "q.jsonl", (config.parent / "q.jsonl").read_text())
    await user.should_see(content="1 question × 2 conditions × 3 replicates = 6 answers, each judged once.")
    await user.should_see(content="Target of venetoclax?")
    user.find("Mark questions finished").click()
    user.find("Import configuration").click()
    await user.should_see("Run of benchmark")
    assert len(services.library.benchmarks.summaries()) == before + 1
    opened = services.library.benchmarks.summaries()[0]
    assert (opened.questions, opened.finished) == (1, 1)
    (preset,) = [each for each in services.library.presets.all().values() if each.name == "demo"]
    assert preset.config.replicate_count == 3


async def test_what_is_wrong_is_told_in_the_dialog_and_nothing_can_be_made(
    user: User, services: AppContext, config: Path
) -> None:
    wrong = {**CONFIG, "conditions": {"a": {"system_prompt": "x", "mcp_servers": ["graf"]}}, "judg": 1}
    config.write_text(yaml.safe_dump(wrong))

    @ui.page("/")
    def page() -> None:
        window = Window(services)
        window.stage_file(config)
        KEvalImportDialog(window).show()

    await user.open("/")
    await user.should_see("unknown MCP server “graf”")
    await user.should_see("judg: unknown setting. Did you mean judge?")
    await user.should_not_see("Import configuration")


def test_it_is_in_the_menu_and_opens_when_it_is_dropped(config: Path) -> None:
    assert BY_ID["k-eval.open"].menu == "File"
    assert next(each for each in DROP_HANDLERS if each.fits(config)).open is open_k_eval
