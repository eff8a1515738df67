"""The command line: output, files and exit codes."""

from __future__ import annotations

import csv
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from openpyxl import Workbook

from karenina_gui.__main__ import main
from karenina_gui.benchmark import Benchmark
from karenina_gui.commands import outcome
from karenina_gui.example import BENCHMARK
from karenina_gui.schemas.rubric import AgenticRubricTrait, LLMRubricTrait
from karenina_gui.store.library import Library
from tests.conftest import Said, of_a_person
from tests.example.plain_run import plain_run
from tests.examples import cases
from tests.simulated_run import Simulation, fill
from tests.twin import Asked, Reply, Twin

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.correct = {}
        self.regex = {"word": {"pattern": r"\\b\\w+$", "expected": {{raw_answer}}, "match_type": "exact"}}
"""
QUESTIONS = "question,answer,tags,level\nCapital of France?,Paris,geo;easy,1\nCapital of Peru?,Lima,geo,2\n"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared by a command in a process of its own, as users start it."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "table.csv").write_text(QUESTIONS)
    (folder / "template.py").write_text(TEMPLATE)
    (folder / "answers.csv").write_text("question,response\nCapital of France?,It is Paris\nCapital of Peru?,Quito\n")
    (folder / "config.yaml").write_text("answering_models: [{id: recorded, interface: manual}]\n")
    run(folder, "import", "table.csv", "--output", "mine.jsonld", "--template", "template.py")
    return folder


@pytest.fixture
def imported(prepared: Path, tmp_path: Path) -> Path:
    """A folder with a table, its benchmark, recorded answers, and a configuration for them."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return tmp_path


VERIFY = ("verify", "mine.jsonld", "--config", "config.yaml", "--output", "results.json")


def test_each_help_names_its_options_and_exit_codes(here: Callable[..., Said], tmp_path: Path) -> None:
    assert "--no-browser" in here(tmp_path, "--help").stdout
    for name, option in (
        ("verify", "--traces"),
        ("k-eval", "--dataset"),
        ("import", "--template"),
        ("export", "--run"),
    ):
        text = here(tmp_path, name, "--help").stdout
        assert option in text
        assert "Exit codes:" in text
        assert f"karenina-gui {name}" in text


def test_a_table_becomes_a_benchmark_and_its_recorded_answers_become_verdicts(
    here: Callable[..., Said], imported: Path
) -> None:
    columns = ("--keyword-separator", ";", "--metadata", "level", "--name", "Capitals")
    done = here(imported, "import", "table.csv", "--output", "mine.jsonld", "--template", "template.py", *columns)
    assert "Wrote 2 questions to mine.jsonld" in done.stdout
    first = json.loads((imported / "mine.jsonld").read_text())["dataFeedElement"][0]["item"]
    assert first["keywords"] == ["geo", "easy"]
    assert {"@type": "PropertyValue", "name": "custom_level", "value": "1"} in first["additionalProperty"]

    done = run(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert done.returncode == 0
    assert "recorded: 1 of 2 passed, 1 wrong" in done.stdout
    assert [r["template"]["verify_result"] for r in results(imported)] == [True, False]


def test_the_answers_of_each_model_are_taken_from_an_export_of_several(
    here: Callable[..., Said], imported: Path
) -> None:
    models = "answering_models: [{id: ada, interface: manual}, {id: bob, interface: manual}]\n"
    (imported / "config.yaml").write_text(models)
    (imported / "bob.csv").write_text("question,response\nCapital of France?,Oslo\nCapital of Peru?,Lima\n")
    first = (*VERIFY[:-1], "both.csv", "--traces", "ada=answers.csv", "--traces", "bob=bob.csv")
    assert here(imported, *first).returncode == 0
    done = here(imported, *VERIFY, "--traces", "ada=both.csv", "--traces", "bob=both.csv")
    assert "ada: 1 of 2 passed, 1 wrong\nbob: 1 of 2 passed, 1 wrong" in done.stdout
    assert "warning: ada: 2 answers of “bob” left out." in done.stderr
    answers = {(r["metadata"]["answering"]["model_name"], r["template"]["raw_llm_response"]) for r in results(imported)}
    assert answers == {("ada", "It is Paris"), ("ada", "Quito"), ("bob", "Oslo"), ("bob", "Lima")}

    (imported / "config.yaml").write_text("answering_models: [{id: recorded, interface: manual}]\n")
    done = here(imported, *VERIFY, "--traces", "recorded=both.csv")
    assert done.returncode == 2
    assert "answers of other models: “ada” and “bob”. Choose one, such as --traces-model recorded=ada" in done.stderr
    done = here(imported, *VERIFY, "--traces", "recorded=both.csv", "--traces-model", "recorded=bob")
    assert [r["template"]["raw_llm_response"] for r in results(imported)] == ["Oslo", "Lima"]


def test_ids_of_other_questions_are_refused_unless_the_user_says_that_they_are_the_same(
    here: Callable[..., Said], imported: Path
) -> None:
    (imported / "table.csv").write_text("id,question,answer\n1,Capital of France?,Paris\n")
    here(imported, "import", "table.csv", "--output", "mine.jsonld", "--template", "template.py", "--id", "id")
    (imported / "answers.csv").write_text("id,question,response\n1,Which mouse?,Paris\n")
    done = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert done.returncode == 2
    assert "1 question ID in answers.csv has another text in this benchmark, such as 1." in done.stderr
    done = here(imported, *VERIFY, "--traces", "recorded=answers.csv", "--traces-by-id")
    assert "recorded: 1 of 1 passed" in done.stdout


JUDGED = """
class Answer(BaseAnswer):
    city: str = VerifiedField(description="City", ground_truth={{raw_answer}}, verify_with=ExactMatch())
"""


def test_a_dialogue_is_judged_by_the_chosen_part_and_a_run_without_answers_says_so(
    here: Callable[..., Said], imported: Path
) -> None:
    (imported / "template.py").write_text(JUDGED)
    here(imported, "import", "table.csv", "--output", "mine.jsonld", "--template", "template.py")
    turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Paris"}]
    dialogue = [*turns, {"role": "user", "content": "Thanks, Rome!"}]
    (imported / "answers.json").write_text(json.dumps({f"Capital of {of}?": dialogue for of in ("France", "Peru")}))
    asked: list[str] = []

    def judge(request: Asked) -> Reply:
        asked.append(request.text)
        return Reply(data={"city": "Paris"})

    with Twin(judge) as twin:
        config = {
            "answering_models": [{"id": "recorded", "interface": "manual"}],
            "parsing_models": [
                {"id": "judge", "interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": twin.address}
            ],
        }
        (imported / "config.yaml").write_text(yaml.safe_dump(config))
        done = here(imported, *VERIFY, "--traces", "recorded=answers.json")
        assert "recorded: 1 of 2 passed, 1 wrong\nWrote" in done.stdout
        assert (
            "warning: recorded: 2 conversations end with a message of the user (2). Judged: the last message of the "
            "model. See --dialogues."
        ) in done.stderr
        assert len(asked) == 2 and not any("Rome" in text for text in asked)
        here(imported, *VERIFY, "--traces", "recorded=answers.json", "--dialogues", "whole")
        assert len(asked) == 4 and all("--- User Message ---\nThanks, Rome!" in text for text in asked[2:])
        done = here(imported, *VERIFY, "--traces", "recorded=answers.json", "--dialogues", "specified")
    assert len(asked) == 4
    assert (
        "2 of 2 results failed without a text to judge. The trace does not end with a message from the model. For "
        "recorded conversations, choose the judged text when you import them."
    ) in done.stdout


def test_scenarios_of_a_benchmark_are_said_not_to_be_run(here: Callable[..., Said], imported: Path) -> None:
    benchmark = json.loads((imported / "mine.jsonld").read_text())
    benchmark["hasPart"] = [{"@type": "CreativeWork", "name": "pressure"}]
    (imported / "mine.jsonld").write_text(json.dumps(benchmark))
    done = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert "warning: Not run: 1 scenario of the benchmark. Only questions are run." in done.stderr


def test_a_row_without_an_answer_is_named_and_the_others_come_in(here: Callable[..., Said], imported: Path) -> None:
    (imported / "table.csv").write_text(QUESTIONS + "Capital of Chad?,,,\n")
    done = here(imported, "import", "table.csv", "--output", "mine.jsonld")
    assert done.returncode == 1
    assert "Skipped row 4: column “answer” has no reference answer" in done.stderr
    assert "Wrote 2 questions to" in done.stdout


def test_a_sheet_of_a_workbook_becomes_a_benchmark(here: Callable[..., Said], tmp_path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    book.active.append(["Question", "Answer"])
    sheet = book.create_sheet("Items")
    for row in (["Exam"], ["Prompt", "Gold", "Tags", "Area"], ["Why?", 42.0, "a;b", "x/y"], ["How?", "#N/A", "", ""]):
        sheet.append(row)
    book.save(tmp_path / "exam.xlsx")
    words = ("--keywords", "Tags", "--keyword-separator", ";", "--keywords", "Area", "--keyword-separator", "/")
    done = here(tmp_path, "import", "exam.xlsx", "--output", "m.jsonld", "--sheet", "Items", "--header-row", "2",
               "--question", "Prompt", "--answer", "Gold", *words)  # fmt: skip
    assert "Skipped row 4: cell B4 contains #N/A; correct it in the sheet." in done.stderr
    assert "Wrote 1 question to m.jsonld (columns: question = Prompt, raw_answer = Gold" in done.stdout
    item = json.loads((tmp_path / "m.jsonld").read_text())["dataFeedElement"][0]["item"]
    assert (item["acceptedAnswer"]["text"], item["keywords"]) == ("42", ["a", "b", "x", "y"])


def test_the_example_runs_offline_and_its_broken_judge_reply_makes_the_exit_code_1(
    here: Callable[..., Said], tmp_path: Path
) -> None:
    write_example_configuration(tmp_path)
    done = here(tmp_path, "verify", str(BENCHMARK), "--config", "config.yaml", "--output", "results.json")
    assert done.returncode == 1
    assert "warning: Questions skipped: 1 not marked as finished." in done.stderr
    assert "error: " in done.stderr
    assert len(results(tmp_path)) == 72
    # The words are those of the application; `abstained` and `autofail` are for files.
    assert "sample-hasty: 18 of 35 passed, 16 wrong, 1 not answered, 1 error" in done.stdout


def test_a_recorded_run_plays_back_with_the_same_verdicts(here: Callable[..., Said], tmp_path: Path) -> None:
    write_example_configuration(tmp_path, replicate_count=1)
    command = ("verify", str(BENCHMARK), "--config", "config.yaml", "--output", "results.json")
    here(tmp_path, *command, "--record", "exchanges.json")
    first = [r["template"]["verify_result"] for r in results(tmp_path)]
    config = yaml.safe_load((tmp_path / "config.yaml").read_text())
    for model in config["answering_models"] + config["parsing_models"]:
        model["recording"] = "exchanges.json"
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    here(tmp_path, *command)
    assert [r["template"]["verify_result"] for r in results(tmp_path)] == first


def test_a_key_in_the_configuration_reaches_no_file(here: Callable[..., Said], tmp_path: Path) -> None:
    key = "sk-never-to-be-seen"
    write_example_configuration(tmp_path, replicate_count=1)
    config = yaml.safe_load((tmp_path / "config.yaml").read_text())
    config["answering_models"][0]["endpoint_api_key"] = key
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    command = ("verify", str(BENCHMARK), "--config", "config.yaml", "--record", "exchanges.json")
    for output in ("results.json", "results.csv"):
        done = here(tmp_path, *command, "--output", output)
        assert key not in done.stdout + done.stderr + (tmp_path / output).read_text()
    assert key not in (tmp_path / "exchanges.json").read_text()


def test_nothing_is_asked_while_a_key_is_missing(
    here: Callable[..., Said], imported: Path, monkeypatch: pytest.MonkeyPatch, silent_server: socket.socket
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "MY_KEY"):
        monkeypatch.delenv(variable, raising=False)
    address = f"http://127.0.0.1:{silent_server.getsockname()[1]}/v1"
    local = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": address, "request_timeout": 1}
    config = {
        "answering_models": [
            {"id": "recorded", "interface": "manual"},
            {**local, "id": "named", "api_key_env": "MY_KEY"},
        ],
        "parsing_models": [{"id": "judge", "interface": "claude_tool", "model_name": "claude"}],
    }
    (imported / "config.yaml").write_text(yaml.safe_dump(config))
    asks = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert asks.returncode == 2
    assert f"send requests and MY_KEY to {address.removesuffix('/v1')}" in asks.stderr
    assert asks.stderr.strip().endswith("add --allow-variable MY_KEY")
    done = here(imported, *VERIFY, "--traces", "recorded=answers.csv", "--allow-variable", "MY_KEY")
    assert done.returncode == 2
    assert done.stderr.strip().endswith(": MY_KEY (for named); ANTHROPIC_API_KEY (for judge).")
    assert "Missing API keys. Set these environment variables" in done.stderr
    assert not (imported / "results.json").exists()
    silent_server.setblocking(False)
    with pytest.raises(BlockingIOError):
        silent_server.accept()


def test_a_key_that_comes_with_a_model_or_a_local_server_without_one_needs_no_variable(
    here: Callable[..., Said], imported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    nowhere = "http://127.0.0.1:9"
    judges = [
        {"id": "with key", "interface": "claude_tool", "model_name": "c", "anthropic_api_key": "sk",
         "anthropic_base_url": nowhere},
        {"id": "local", "interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": nowhere},
    ]  # fmt: skip
    models = [{"id": "recorded", "interface": "manual"}]
    (imported / "config.yaml").write_text(yaml.safe_dump({"answering_models": models, "parsing_models": judges}))
    done = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert done.returncode == 0
    assert len(results(imported)) == 4


def test_traits_that_no_judge_could_be_asked_for_are_told_and_make_the_exit_code_1(
    here: Callable[..., Said], imported: Path
) -> None:
    benchmark = Benchmark.load(imported / "mine.jsonld")
    benchmark.add_global_rubric_trait(LLMRubricTrait(name="clear", kind="boolean", higher_is_better=True))
    benchmark.save(imported / "mine.jsonld")
    models = [{"id": "recorded", "interface": "manual"}]
    with Twin(lambda asked: Reply(status=401, message="no such key")) as refusing:
        judge = {
            "id": "judge", "interface": "openai_endpoint", "model_name": "m",
            "endpoint_base_url": f"{refusing.address}/v1",
        }  # fmt: skip
        told = {"answering_models": models, "parsing_models": [judge], "evaluation_mode": "rubric_only"}
        (imported / "config.yaml").write_text(yaml.safe_dump(told))
        done = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert (done.returncode, results(imported)[0]["rubric"]["trait_faults"]) == (1, {"clear": "authentication"})
    assert "Not fully scored (2 results):" in done.stderr and "Error" not in done.stderr


@pytest.mark.parametrize(
    ("reply", "reason"),
    [({"clear": None, "depth": 3}, "has no score"), ({"clear": True, "depth": 7}, "outside of 1 to 5")],
    ids=["null", "out of scale"],
)
def test_a_trait_without_a_valid_score_makes_the_exit_code_1(
    here: Callable[..., Said], imported: Path, reply: dict[str, object], reason: str
) -> None:
    benchmark = Benchmark.load(imported / "mine.jsonld")
    benchmark.add_global_rubric_trait(LLMRubricTrait(name="clear", kind="boolean", higher_is_better=True))
    benchmark.add_global_rubric_trait(LLMRubricTrait(name="depth", kind="score", higher_is_better=True))
    benchmark.save(imported / "mine.jsonld")
    with Twin(lambda asked: Reply(data=reply)) as twin:
        judge = {
            "id": "judge", "interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": f"{twin.address}/v1",
        }  # fmt: skip
        models = {"answering_models": [{"id": "recorded", "interface": "manual"}], "parsing_models": [judge]}
        (imported / "config.yaml").write_text(yaml.safe_dump({**models, "evaluation_mode": "rubric_only"}))
        done = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert done.returncode == 1
    assert "Not fully scored (2 results):" in done.stderr and reason in done.stderr


def test_a_program_that_comes_with_a_benchmark_is_started_only_if_the_command_line_allows_it(
    here: Callable[..., Said], imported: Path
) -> None:
    server = {"command": "touch", "args": [str(imported / "started")], "type": "stdio"}
    own = {"model_name": "m", "interface": "openai_endpoint", "endpoint_base_url": "http://127.0.0.1:9/v1"}
    benchmark = Benchmark.load(imported / "mine.jsonld")
    benchmark.add_global_rubric_trait(
        AgenticRubricTrait(
            name="safe", kind="boolean", higher_is_better=True, model_override={**own, "mcp_servers": {"t": server}}
        )
    )
    benchmark.save(imported / "mine.jsonld")
    config = yaml.safe_load((imported / "config.yaml").read_text())
    (imported / "config.yaml").write_text(yaml.safe_dump({**config, "allow_programs": True}))
    traces = ("--traces", "recorded=answers.csv")
    done = here(imported, *VERIFY, *traces)
    assert done.returncode == 1 and "Not fully scored (2 results)" in done.stderr
    assert "allow_programs in the configuration is ignored" in done.stderr
    assert f"Not started: touch {imported / 'started'}, for the trait “safe”." in done.stderr
    assert not (imported / "started").exists()
    rubric = results(imported)[0]["rubric"]
    assert (rubric["agentic_trait_scores"], rubric["trait_faults"]) == ({"safe": None}, {"safe": "rejected"})
    here(imported, *VERIFY, *traces, "--allow-programs")
    assert (imported / "started").exists()


def test_results_become_a_table_and_several_files_one(here: Callable[..., Said], imported: Path) -> None:
    here(imported, *VERIFY, "--traces", "recorded=answers.csv", "--name", "first")
    done = here(imported, "export", "results.json", "results.json", "--output", "table-of-results.csv")
    assert "Wrote 2 results to table-of-results.csv" in done.stdout
    with (imported / "table-of-results.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["question_text"], row["verify_result"], row["run_name"]) for row in rows] == [
        ("Capital of France?", "true", "first"),
        ("Capital of Peru?", "false", "first"),
    ]


def test_results_without_an_id_come_once_as_well_but_for_those_that_are_alike_in_one_file(
    here: Callable[..., Said], imported: Path
) -> None:
    here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    one, other = results(imported)
    for each in (one, other):
        each["metadata"]["result_id"] = ""
    (imported / "alike.json").write_text(json.dumps([one, one]))
    (imported / "both.json").write_text(json.dumps([one, other]))
    done = here(imported, "export", "both.json", "alike.json", "both.json", "--output", "all.csv")
    assert "Wrote 3 results to all.csv" in done.stdout


@pytest.mark.parametrize(
    ("simulation", "number", "why"),
    [
        (Simulation(questions=3, not_run=1.0), 0, "there are no results"),
        (Simulation(questions=3, failures=1.0), 36, "no result has a score"),
        (Simulation(questions=3, failures=0.5), 36, None),
    ],
)
def test_a_summary_that_has_nothing_in_it_is_told(
    here: Callable[..., Said], tmp_path: Path, simulation: Simulation, number: int, why: str | None
) -> None:
    with Library.open(tmp_path / "data") as library:
        fill(library, simulation)
    export = ("export", "--run", "1", "--data", "data", "--output")
    done = here(tmp_path, *export, "run.zip")
    assert f"Wrote {number} results to run.zip." in done.stdout
    assert done.returncode == (1 if why else 0)
    assert done.stderr == (f"warning: The summary in run.zip is empty: {why}.\n" if why else "")
    assert here(tmp_path, *export, "run.json").returncode == 0


def test_every_shape_of_results_becomes_a_workbook(here: Callable[..., Said], imported: Path, shared: Path) -> None:
    for name in ("full.export.csv", "full.facade-array.json"):
        done = here(imported, "export", str(shared / "results" / name), "--output", "all", "--format", "xlsx")
        assert done.returncode == 0
        assert "Wrote 3 results to all.xlsx" in done.stdout
        assert (imported / "all.xlsx").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("arguments", "explanation"),
    [
        (("verify", "none.jsonld", "--config", "config.yaml", "--output", "r.json"), "none.jsonld"),
        (("verify", "table.csv", "--config", "config.yaml", "--output", "r.json"), "table.csv is not valid JSON"),
        (("verify", "mine.jsonld", "--config", "none.yaml", "--output", "r.json"), "Couldn’t use none.yaml"),
        (("verify", "mine.jsonld", "--config", "table.csv", "--output", "r.json"), "should begin with"),
        (("verify", "mine.jsonld", "--config", "config.yaml", "--output", "r.xls"), "must end in .json"),
        (("verify", "mine.jsonld", "--config", "config.yaml", "--output", "no/r.json"), "folder no"),
        (("verify", "mine.jsonld", "--config", "config.yaml", "--output", "r.json"), "add --traces recorded=FILE"),
        ((*VERIFY, "--traces", "answers.csv"), "as NAME=FILE"),
        ((*VERIFY, "--traces", "other=answers.csv"), "with interface manual are: recorded"),
        ((*VERIFY, "--traces", "recorded=config.yaml"), "config.yaml"),
        (("import", "table.csv", "--output", "x.jsonld", "--question", "prompt"), "no column “prompt”"),
        (("import", "config.yaml", "--output", "x.jsonld"), "Name it with --question"),
        (("export", "mine.jsonld", "--output", "x.csv"), "is not a results file"),
        (("export", "--output", "x.csv"), "Name either result files, or a run"),
        (("export", "--runs", "--data", "nowhere"), "No application data in nowhere"),
    ],
)
def test_bad_input_is_explained_without_a_traceback(
    here: Callable[..., Said], imported: Path, arguments: tuple[str, ...], explanation: str
) -> None:
    done = here(imported, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("karenina-gui: error: ")
    assert explanation in done.stderr


def test_what_no_request_can_carry_is_named_at_its_model(here: Callable[..., Said], imported: Path) -> None:
    (imported / "config.yaml").write_text(
        "answering_models: [{id: a, model_name: a, extra_kwargs: {top_p: .nan}}]\n"
        'parsing_models: [{id: b, model_name: b}, {id: c, model_name: c, endpoint_base_url: "http://here/\\x01"}]\n'
    )
    done = here(imported, *VERIFY)
    assert done.returncode == 2
    assert "answering_models.0: The additional parameter “top_p” (in extra_kwargs) is nan" in done.stderr
    assert "parsing_models.1: The URL in endpoint_base_url contains an invisible character" in done.stderr


def test_a_misspelt_setting_is_named_without_its_value(here: Callable[..., Said], imported: Path) -> None:
    (imported / "config.yaml").write_text("answering_models: [{id: a, interface: manual, api_kee: sk-secret}]\n")
    done = here(imported, *VERIFY)
    assert done.returncode == 2
    assert "answering_models.0.api_kee" in done.stderr
    assert "sk-secret" not in done.stderr


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ('answering_models:\n  - api_key_env: sk-secret"\n   id: [', "(line 3, column 4)"),
        ("answering_models: [{id: *sk-secret}]\n", "found undefined alias '…' (line 1, column 25)"),
        ("answering_models: [{id: 2024-13-45, x: sk-secret}]\n", "it contains an invalid number or date"),
        ("answering_models: \x07 sk-secret\n", "character 19 is not allowed"),
    ],
)
def test_a_mistake_in_the_yaml_is_placed_without_a_word_of_the_file(
    here: Callable[..., Said], imported: Path, text: str, explanation: str
) -> None:
    (imported / "config.yaml").write_text(text)
    done = here(imported, *VERIFY)
    assert done.returncode == 2
    assert explanation in done.stderr
    assert "secret" not in done.stderr


def test_two_models_of_one_id_are_counted_apart(here: Callable[..., Said], imported: Path) -> None:
    twins = [{"id": "recorded", "interface": "manual"}] * 2
    (imported / "config.yaml").write_text(yaml.safe_dump({"answering_models": twins}))
    done = here(imported, *VERIFY, "--traces", "recorded=answers.csv")
    assert "recorded: 1 of 2 passed, 1 wrong" in done.stdout
    assert "recorded #2: 1 of 2 passed, 1 wrong" in done.stdout
    assert "Wrote 4 results to" in done.stdout


@pytest.mark.parametrize(
    ("reply", "number"),
    cases(
        [(Reply(hangs=True), signal.SIGINT), (Reply(text="Paris", drip=3600.0), signal.SIGTERM)],
        [(Reply(hangs=True), signal.SIGTERM), (Reply(text="Paris", drip=3600.0), signal.SIGINT)],
    ),
    ids=["hanging", "dripping, ended by a scheduler", "hanging, ended by a scheduler", "dripping"],
)
def test_an_interrupted_run_ends_at_once_and_writes_what_it_has(
    imported: Path, reply: Reply, number: signal.Signals
) -> None:
    asked = threading.Event()

    def never_done(_asked: Asked) -> Reply:
        asked.set()
        return reply

    with Twin(never_done) as twin:
        never = {"id": "never", "interface": "openai_endpoint", "model_name": "never",
                 "endpoint_base_url": twin.address, "endpoint_api_key": "none"}  # fmt: skip
        models = [{"id": "recorded", "interface": "manual"}, never]
        order = {"answering_models": models, "task_ordering": "prefix_cache"}
        (imported / "config.yaml").write_text(yaml.safe_dump(order))
        arguments = (*VERIFY, "--traces", "recorded=answers.csv")
        with subprocess.Popen(command_line(*arguments), cwd=imported, stderr=subprocess.PIPE) as process:
            assert asked.wait(60)  # the recorded model's jobs come first, so they are done
            process.send_signal(number)
            try:
                _, said = process.communicate(timeout=10)  # the reply never ends
            finally:
                process.kill()
        seen = len(twin.requests)
    assert b"Interrupted" in said
    assert process.returncode == 130
    assert {r["metadata"]["answering"]["model_name"] for r in results(imported)} == {"recorded"}
    assert seen <= 2  # one for each worker


def test_a_provider_that_is_down_is_waited_for_as_long_as_the_configuration_says(
    here: Callable[..., Said], imported: Path
) -> None:
    with Twin(lambda asked: Reply(status=503, message="Maintenance until noon")) as twin:
        away = {"id": "away", "interface": "openai_endpoint", "model_name": "m",
                "endpoint_base_url": twin.address, "endpoint_api_key": "none"}  # fmt: skip
        at_once = {"server_error": {"max_attempts": 2, "backoff_min": 0, "backoff_max": 0}}
        order = {"answering_models": [away], "provider_wait_seconds": 1, "retry_policy": at_once}
        (imported / "config.yaml").write_text(yaml.safe_dump(order))
        done = here(imported, *VERIFY)
    assert done.returncode == 1
    assert "Waiting for away for at most 1 s" in done.stderr
    assert re.search(r"away: no verdicts, \d+ errors$", done.stdout, re.MULTILINE)
    assert "Stage" not in done.stderr  # what became of each job is in the results, and told once
    assert "Maintenance until noon" in done.stderr
    assert ["gave up after" in result["metadata"]["failure"]["reason"] for result in results(imported)] == [True] * 2


@pytest.mark.skipif(find_spec("langchain_anthropic") is None, reason="needs the extra 'langchain'")
def test_an_interrupted_run_does_not_wait_for_connections_of_other_libraries(
    here: Callable[..., Said], imported: Path
) -> None:
    asked = threading.Event()

    def never_done(_asked: Asked) -> Reply:
        asked.set()
        return Reply(hangs=True)

    (imported / "template.py").write_text(
        "class Answer(BaseAnswer):\n    city: str = Field(description='The city')\n\n"
        "    def verify(self):\n        return bool(self.city)\n"
    )
    here(imported, "import", "table.csv", "--output", "mine.jsonld", "--template", "template.py")
    with Twin(never_done) as twin:
        through_a_proxy = {"id": "judge", "interface": "langchain", "model_provider": "anthropic", "model_name": "m",
                           "endpoint_base_url": "http://far.invalid", "endpoint_api_key": "none",
                           "extra_kwargs": {"anthropic_proxy": twin.address}}  # fmt: skip
        order = {"answering_models": [{"id": "recorded", "interface": "manual"}], "parsing_models": [through_a_proxy]}
        (imported / "config.yaml").write_text(yaml.safe_dump(order))
        arguments = (*VERIFY, "--traces", "recorded=answers.csv")
        with subprocess.Popen(command_line(*arguments), cwd=imported, stderr=subprocess.PIPE) as process:
            assert asked.wait(60)
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=10)  # a second is what calls get that cannot be ended
            finally:
                process.kill()
    assert process.returncode == 130
    assert results(imported) == []


def test_an_occupied_port_is_explained(here: Callable[..., Said], tmp_path: Path, silent_server: socket.socket) -> None:
    port = silent_server.getsockname()[1]
    done = here(tmp_path, "--port", str(port), "--no-browser", "--data", "data")
    assert done.returncode == 2
    assert f"Port {port} on 127.0.0.1 is not available" in done.stderr


def test_a_port_that_is_none_is_explained(here: Callable[..., Said], tmp_path: Path) -> None:
    done = here(tmp_path, "--port", "99999")
    assert done.returncode == 2
    assert "port: Input should be less than or equal to 65535" in done.stderr


@pytest.fixture
def silent_server() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(30)
        yield server


def write_example_configuration(folder: Path, **changes: object) -> None:
    config = plain_run().model_copy(update=changes).model_dump(mode="json", exclude_defaults=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))


def results(folder: Path) -> list[dict[str, dict[str, object]]]:
    found: list[dict[str, dict[str, object]]] = json.loads((folder / "results.json").read_text())["results"]
    return found


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    environment = {**os.environ, **of_a_person(folder)}
    return subprocess.run(
        command_line(*arguments), cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def command_line(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "karenina_gui", *arguments]


def test_names_from_files_reach_a_terminal_without_escape_sequences(
    imported: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = json.loads((imported / "mine.jsonld").read_text())
    (imported / "mine.jsonld").write_text(json.dumps({**data, "name": "\x1b]0;title\x07\x1b[2Jmine\x9b\u202e"}))
    (imported / "\x1b[2J.jsonld").write_text("{")
    assert main(["add", str(imported / "mine.jsonld"), "--data", str(imported / "data")]) == 0
    assert main(["add", str(imported / "\x1b[2J.jsonld"), "--data", str(imported / "data")]) == 2
    logging.getLogger("karenina_gui").warning("the name %s", "\x1b[2J")
    printed = "".join(capfd.readouterr())
    assert r"\u001b[2Jmine\u009b\u202e" in printed
    assert not set(printed) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_commands_print_only_through_what_makes_names_harmless() -> None:
    for file in Path(outcome.__file__).parent.glob("*.py"):
        prints = re.findall(r"(?<![\w.])print\(", file.read_text())
        assert len(prints) == (2 if file.name == "outcome.py" else 0), file
