"""Every command line and every piece of Python in the README, the guide, and the help texts, run as it is written."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from urllib.error import URLError

import pytest
import yaml
from openpyxl import Workbook

from karenina_gui import Benchmark, ModelConfig, VerificationConfig
from karenina_gui.__main__ import COMMANDS, main, parser
from karenina_gui.commands import convert
from karenina_gui.commands.outcome import DONE, INTERRUPTED
from karenina_gui.gui.pages.guide.chapters import CHAPTERS
from karenina_gui.settings import Settings
from karenina_gui.store.library import Library
from tests.claude_code_twin import ClaudeCodeTwin, Turn
from tests.cluster.conftest import Cluster
from tests.conftest import of_a_person
from tests.ports import free_port
from tests.simulated_run import Simulation, fill, fill_run
from tests.test_command import command_line
from tests.twin import Asked, Reply, Twin, fitting
from tests.until import comes

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = {name: chapter.markdown for name, chapter in CHAPTERS.items()}

COMPLETED = {
    "karenina-gui verify": "mine.jsonld --config config.yaml --output results.json",
    "karenina-gui verify --trust": "mine.jsonld --config config.yaml --output results.json",
    "karenina-gui verify --cluster tcp://127.0.0.1:8786": "mine.jsonld --config config.yaml --output results.json",
}
"""Arguments of commands that a sentence names without them."""
INSTALLED = ("pip install .", "pipx run --spec . karenina-gui", "uvx --from . karenina-gui")
"""Commands that install the application with all its packages, which takes minutes and the network."""


def code_blocks(language: str, markdown: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE)


def lines_of_shell(markdown: str) -> Iterator[str]:
    """Commands in blocks of code; behind `or` a comment shows another one."""
    for line in "\n".join(code_blocks("sh", markdown)).splitlines():
        shown, _, comment = line.partition("#")
        yield from (command.strip() for command in shown.split("&&"))
        if comment.strip().startswith("or"):
            yield comment.rpartition("  ")[2].strip()


def named_in_sentences(markdown: str) -> Iterator[str]:
    outside_blocks = re.sub(r"^```.*?^```$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"`((?:karenina-gui|make|pip|pipx|uvx) [^`]+)`", outside_blocks)


def examples_in_help() -> Iterator[str]:
    for command in COMMANDS:
        lines = command.DETAILS.replace("\\\n", " ").splitlines()
        yield from (" ".join(line.split()) for line in lines if line.strip().startswith("karenina-gui"))


SHOWN = sorted(
    {
        *(command for text in (README, *GUIDE.values()) for command in lines_of_shell(text) if command),
        *(command for text in (README, *GUIDE.values()) for command in named_in_sentences(text)),
        *examples_in_help(),
    }
)
OURS = [command for command in SHOWN if command.split()[0] == "karenina-gui"]
CLUSTERED = [command for command in OURS if "--cluster" in command or command.startswith("karenina-gui worker")]
SERVING = [command for command in OURS if len(command.split()) == 1 or command.split()[1].startswith("-")]
QUESTION, ANSWER = "Capital of France?", "Paris"
SCORES = dict.fromkeys(("factual_adherence", "completeness", "helpfulness_and_clarity"), 5)
FOUND = {"value": ANSWER, "dose_mg": 410, **SCORES}
"""Values that a judge reads out of an answer, by field."""


def test_the_documents_show_commands_of_every_kind() -> None:
    # An empty list would skip the tests below without a word.
    assert len(SHOWN) > len(OURS) > 15
    assert len(SERVING) >= 2


def replies(asked: Asked) -> Reply:
    """A model that knows the answer, and a judge that fills in what it is asked for."""
    if asked.schema is None:
        return Reply(ANSWER)
    return Reply(data={**fitting(asked.schema), **{name: FOUND[name] for name in FOUND.keys() & fields(asked)}})


def fields(asked: Asked) -> set[str]:
    return set((asked.schema or {}).get("properties", ()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a person with keys for providers, all of which are on loopback."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    with Twin(replies) as twin:
        providers = {"OPENAI_BASE_URL": f"{twin.address}/v1", "ANTHROPIC_BASE_URL": twin.address}
        keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
        for name, value in {**of_a_person(tmp_path), **providers, **keys}.items():
            monkeypatch.setenv(name, value)
        yield tmp_path


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    """One question with the template that the help of `import` shows."""
    benchmark = Benchmark.create("mine")
    benchmark.add_question(QUESTION, ANSWER, template_in_help().replace("{{raw_answer}}", repr(ANSWER)), finished=True)
    return benchmark


def template_in_help() -> str:
    begin, end = convert.DETAILS.index("      class Answer"), convert.DETAILS.index("    Unusable rows")
    return dedent(convert.DETAILS[begin:end])


def put_files(folder: Path, arguments: list[str], benchmark: Benchmark) -> None:
    """The files that a command line names, and the runs in the library."""
    name, *rest = arguments
    if name == "import":
        put_tables(folder)
        return
    if name in ("backup", "check", "restore"):
        put_backups(folder)
        return
    benchmark.save(folder / "mine.jsonld")
    put_k_eval(folder) if name == "k-eval" else put_configuration(folder, recorded="--traces" in rest)
    if name in ("add", "export"):
        verify = ["verify", "mine.jsonld", "--config", "config.yaml", "--output", "results.json"]
        assert main(verify) == DONE
        for copy in ("monday.json", "tuesday.json"):
            shutil.copy(folder / "results.json", folder / copy)
    if {"--run", "--runs"} & {*rest}:
        put_runs(3)


def put_backups(folder: Path) -> None:
    for data in (Settings().data, folder / "study"):
        with Library.open(data) as library:
            backup = library.backups.make("daily")
            shutil.copy(backup.path, folder / "study.sqlite")


def put_configuration(folder: Path, *, recorded: bool) -> None:
    model = {"id": "recorded", "interface": "manual" if recorded else "claude_tool", "model_name": "m"}
    judge = {"id": "judge", "interface": "openai_endpoint", "model_name": "j"}
    config = {"answering_models": [model], "parsing_models": [judge]}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    (folder / "answers.json").write_text(json.dumps({QUESTION: ANSWER}))


def put_tables(folder: Path) -> None:
    (folder / "questions.csv").write_text(f"Question,Answer\n{QUESTION},{ANSWER}\n")
    row = {"prompt": QUESTION, "gold": ANSWER, "uid": "q1", "difficulty": "easy"}
    (folder / "questions.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "template.py").write_text(template_in_help())
    book = Workbook()
    sheet = book.create_sheet("Items")
    for cells in (["Exam"], ["2026"], ["Question", "Answer", "Tags", "Area"], [QUESTION, ANSWER, "geo;easy", "x/y"]):
        sheet.append(cells)
    book.save(folder / "exam.xlsx")


def put_k_eval(folder: Path) -> None:
    config = {
        "name": "demo",
        "version": "1",
        "dataset": {"path": "q.jsonl", "question_key": "q", "answer_key": "a"},
        "agent": {"type": "claude_code_sdk", "model": "agent"},
        "judge": {"model": "openai/judge"},
        "conditions": {"plain": {"system_prompt": "Answer in a word."}},
        "execution": {"num_repetitions": 1},
    }
    (folder / "k-eval.yaml").write_text(yaml.safe_dump(config))
    (folder / "q.jsonl").write_text(json.dumps({"q": QUESTION, "a": ANSWER}) + "\n")


def put_runs(number: int) -> None:
    """Runs in the library that the commands use without `--data`."""
    simulation = Simulation(questions=2, models=1, conditions=0, replicates=1)
    with Library.open(Settings().data) as library:
        first, _ = fill(library, simulation)
        for _ in range(number - 1):
            fill_run(library, first, simulation)


def test_commands_for_a_cluster_do_what_they_show(folder: Path, benchmark: Benchmark) -> None:
    cluster = Cluster()
    local = [command.replace("tcp://127.0.0.1:8786", cluster.address.address) for command in CLUSTERED]
    try:
        cluster.start_scheduler()
        for command in local:
            if command.startswith("karenina-gui worker tcp://"):
                cluster.start_worker(command, shlex.split(command)[1:])
        cluster.wait(len(cluster.workers))
        verifying = [pair for pair in zip(CLUSTERED, local, strict=True) if "verify" in pair[1]]
        for shown, command in verifying:
            arguments = shlex.split(f"{command} {COMPLETED.get(shown, '')}")[1:]
            put_files(folder, arguments, benchmark)
            assert main(arguments) == DONE
    finally:
        cluster.close()
    assert verifying
    assert len(cluster.workers) >= 2
    for command in local:
        if "tls://" in command:  # with certificates that nobody has
            parser().parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("command", [each for each in OURS if each not in SERVING + CLUSTERED])
def test_each_command_line_does_what_it_shows(
    command: str, folder: Path, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = shlex.split(f"{command} {COMPLETED.get(command, '')}")[1:]
    put_files(folder, arguments, benchmark)
    if arguments[0] == "k-eval":
        pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")
        with ClaudeCodeTwin(lambda asked: Turn(ANSWER)) as agent:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", agent.address)
            code = main(arguments)
    elif "--help" in arguments:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        code = int(ended.value.code or 0)
    else:
        code = main(arguments)
    assert code == DONE
    for option in {"--output", "--results", "--record"} & {*arguments}:
        written = folder / arguments[arguments.index(option) + 1]
        assert written.exists() or [*folder.glob(f"{written.name}.*")], option


@pytest.mark.parametrize("command", SERVING)
def test_each_command_line_that_serves_opens_the_application(command: str, folder: Path) -> None:
    arguments = shlex.split(command)[1:]
    if "--port" in arguments:
        # That of the command line may be in use here.
        arguments[arguments.index("--port") + 1] = str(free_port())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "KARENINA_GUI_BROWSER": "false"}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command_line(*arguments), cwd=folder, env=environment, **output) as process:
        try:
            assert process.stdout is not None
            greeting = next(line for line in process.stdout if "The application is at" in line)
            address = re.findall(r"http://\S+", greeting)[0]
            assert comes(lambda: "Question list" in page(address))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED


def page(address: str) -> str:
    """The page at this address; empty while nobody serves it."""
    with suppress(URLError), urllib.request.urlopen(address, timeout=60) as response:
        return str(response.read(), "utf-8")
    return ""


@pytest.mark.parametrize("command", [each for each in SHOWN if each not in OURS])
def test_each_command_of_another_program_is_one_that_there_is(command: str) -> None:
    """Installing takes the network, so only the names in these commands are held against what there is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [f"pip install 'karenina-gui[{name}]'" for name in project["optional-dependencies"]]
    if command.split()[0] == "dask":  # the tests of clusters run it
        program = Path(sys.executable).with_name("dask")
        assert subprocess.run([program, command.split()[1], "--help"], capture_output=True).returncode == 0
    elif command.split()[0] == "make":
        assert subprocess.run(["make", "-n", *command.split()[1:]], cwd=ROOT, capture_output=True).returncode == 0
    else:
        assert command in (*INSTALLED, *extras)
        module, _, function = project["scripts"]["karenina-gui"].partition(":")
        assert getattr(import_module(module), function) is main


def test_the_python_of_the_readme_prints_a_line_for_each_replicate(
    folder: Path, benchmark: Benchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = code_blocks("python", README)
    benchmark.save(folder / "mine.jsonld")
    exec(code, {})
    (question_id,) = benchmark.get_question_ids()
    assert capsys.readouterr().out.splitlines() == [f"{question_id} {number} True" for number in (1, 2, 3)]


def test_the_template_of_the_guide_judges_an_answer(folder: Path) -> None:
    (template,) = code_blocks("python", GUIDE["templates"])
    benchmark = Benchmark.create("doses")
    benchmark.add_question("Daily dose of imatinib?", "400 mg", template, finished=True)
    model = ModelConfig(id="m", interface="openai_endpoint", model_name="m")
    (result,) = benchmark.run_verification(VerificationConfig(answering_models=[model], parsing_models=[model]))
    assert result.template is not None
    assert (result.template.parsed_llm_response, result.template.verify_result) == ({"dose_mg": 410.0}, True)


def test_no_other_chapter_of_the_guide_shows_python() -> None:
    """Those of `extend` are held by `tests/outside/test_guide.py`."""
    assert {name for name, text in GUIDE.items() if code_blocks("python", text)} == {"templates", "extend"}
