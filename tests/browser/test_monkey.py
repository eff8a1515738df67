"""A monkey at every page leaves no error behind: not in the server's log, not in the browser, not in the library."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from karenina_gui import example
from karenina_gui.app import build
from karenina_gui.formats import presets
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.settings import Settings
from tests.browser.conftest import SIZE, served
from tests.browser.hostile import TEXTS, make_files
from tests.browser.monkey import Monkey
from tests.example.plain_run import plain_run
from tests.examples import THOROUGH
from tests.library_check import library_problems
from tests.saved_models import save_model, start_run
from tests.twin import Asked, Reply, Twin, fitting

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SECONDS = float(os.environ.get("KARENINA_MONKEY_SECONDS", 5))
SEEDS = [int(seed) for seed in os.environ.get("KARENINA_MONKEY_SEEDS", "1 2 3" if THOROUGH else "1").split()]
ROOT = Path(__file__).parents[2]


def script(asked: Asked) -> Reply:
    """Now a fault, now a hostile text, most often what was asked for."""
    random = Random(f"{asked.model} {asked.number}")
    chance = random.random()
    if chance < 0.05:
        return Reply(status=random.choice((400, 401, 404)), message=random.choice(TEXTS[:9]))
    if chance < 0.08:
        return Reply(refusal=random.choice(TEXTS[:9]))
    if chance < 0.1:
        return Reply(raw=b"<html>")
    if asked.schema is not None:
        return Reply(data=fitting(asked.schema))
    return Reply(text=" ".join(random.choice(TEXTS[:20]) for _ in range(3)))


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin(script, models=["ada", "bert"]) as twin:
        yield twin


@pytest.fixture(scope="module")
def busy_data(first_data: Path, twin: Twin, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first data folder with a run of the example, the twin as two models, and a preset that uses it."""
    folder = tmp_path_factory.mktemp("busy") / "data"
    shutil.copytree(first_data, folder)
    models = [
        ModelConfig(id=name, model_name=name, interface="openai_endpoint", endpoint_base_url=f"{twin.address}/v1")
        for name in ("ada", "bert")
    ]
    application = build(Settings(data=folder))
    try:
        run = start_run(application, RunOrder(1, plain_run(), name="The example"))
        for model in models:
            save_model(application, model.id or "", model)
        config = VerificationConfig(
            answering_models=models, parsing_models=models[:1], evaluation_mode="template_and_rubric"
        )
        application.library.presets.save(Preset(id="twin", name="The twin", config=config))
        assert application.runs.wait(run, 120)
    finally:
        application.close()
    return folder


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and no way out of this computer, for the application that the monkey plays with."""
    home = tmp_path / "home" / "person" / "work"
    home.mkdir(parents=True)
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(home))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(home)
    return home


@pytest.mark.parametrize("seed", SEEDS)
def test_a_monkey_leaves_no_error_behind(
    chromium: Browser, busy_data: Path, apart: Path, tmp_path: Path, seed: int
) -> None:
    data = tmp_path / "data"
    shutil.copytree(busy_data, data)
    with served(data) as address:
        context = chromium.new_context(viewport=SIZE, reduced_motion="reduce")
        results = tmp_path / "results.json"
        results.write_bytes(context.request.get(f"{address}/api/runs/1/export.json").body())
        preset = tmp_path / "preset.json"
        preset.write_bytes(presets.preset_bytes(Preset(id="plain", name="Without conditions", config=plain_run())))
        files = make_files(tmp_path / "files", Random(seed), [example.BENCHMARK, results, preset])
        monkey = Monkey(context, address, seed, data / "server.log", files, tmp_path)
        monkey.play(SECONDS)
        context.close()
        after = chromium.new_page(viewport=SIZE)
        after.goto(f"{address}/benchmarks", timeout=60_000)
        expect(after.get_by_role("heading", name="Benchmarks", level=1)).to_be_visible(timeout=60_000)
        after.close()
    print(f"seed {seed}: {monkey.count} actions in {SECONDS:g} s", file=sys.stderr)
    assert not monkey.problems, "\n\n".join(map(str, monkey.problems))
    assert library_problems(data) == []
