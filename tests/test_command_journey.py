"""The complete workflow on the command line: from a spreadsheet to statistics, equal in another library."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator
from hashlib import md5
from pathlib import Path
from zipfile import ZipFile

import pytest

from karenina_gui import Benchmark, Condition, ModelConfig, VerificationConfig
from karenina_gui.commands import add
from karenina_gui.schemas.question import Question
from tests.conftest import Said
from tests.twin import Asked, Reply, Twin

ANSWERS = {
    "What is the capital of France?": "Paris",
    "What is the capital of Peru?": "Lima",
    "How many chambers has the human heart?": "4",
    "At how many degrees Celsius does water boil at sea level?": "100",
    "Which gas do plants take up?": "Carbon dioxide",
}
KNOWN = [*ANSWERS][:3]
"""Questions answered right without the hint of the second condition."""
HINT = "Answer with the right word only."
WORD = """
class Answer(BaseAnswer):
    value: str = VerifiedField(
        description="The answer that the text gives", ground_truth={answer!r}, verify_with=ExactMatch()
    )
"""
NUMBER = """
class Answer(BaseAnswer):
    value: float = VerifiedField(
        description="The number that the text gives", ground_truth={answer}, verify_with=NumericExact()
    )
"""


def template(answer: str) -> str:
    return (NUMBER if answer.isdigit() else WORD).format(answer=answer)


def script(asked: Asked) -> Reply:
    """Answers questions; as the judge, extracts a word or a number from an answer."""
    if asked.schema is not None:
        said = asked.text.partition("<answer>")[2].partition("</answer>")[0].strip()
        is_number = "number" in str(asked.schema["properties"]["value"]["anyOf"])
        return Reply(data={"value": (float(said) if said.isdigit() else None) if is_number else said})
    question = next(text for text in ANSWERS if text in asked.text)
    return Reply(text=ANSWERS[question] if HINT in asked.system or question in KNOWN else "Nobody knows")


@pytest.fixture
def do(here: Callable[..., Said]) -> Callable[..., str]:
    """Output of a command that must succeed."""

    def do(folder: Path, *arguments: str) -> str:
        done = here(folder, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return do


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin(script) as twin:
        yield twin


def test_commands_alone_lead_from_a_spreadsheet_to_the_same_figures_elsewhere(
    here: Callable[..., Said], do: Callable[..., str], tmp_path: Path, twin: Twin
) -> None:
    with (tmp_path / "questions.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Question", "Answer", "Template"])
        writer.writerows([question, answer, template(answer)] for question, answer in ANSWERS.items())
    model = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": f"{twin.address}/v1"}
    config = {
        "answering_models": [{"id": "ada", **model}],
        "parsing_models": [{"id": "judge", **model}],
        "conditions": [{"name": "plain"}, {"name": "hint", "system_prompt": HINT}],
        "replicate_count": 2,
    }
    (tmp_path / "config.yaml").write_text(json.dumps(config))

    said = do(tmp_path, "import", "questions.csv", "--output", "mine.jsonld", "--name", "mine")
    assert "Wrote 5 questions to mine.jsonld" in said
    said = do(tmp_path, "verify", "mine.jsonld", "--config", "config.yaml", "--output", "results.json")
    assert "ada · plain: 6 of 10 passed, 4 wrong" in said
    assert "ada · hint: 10 of 10 passed" in said
    do(tmp_path, "export", "results.json", "--output", "first.csv")
    do(tmp_path, "export", "results.json", "--output", "first.zip")

    said = do(tmp_path, "add", "mine.jsonld", "results.json", "--data", "second")
    assert "Added the benchmark “mine” with 5 questions to second." in said
    assert "Added 20 results from results.json to the benchmark mine as run 1." in said
    assert "20 of 20 done, 16 passed; completed" in do(tmp_path, "export", "--runs", "--data", "second")
    do(tmp_path, "export", "--run", "1", "--data", "second", "--output", "again.csv")
    do(tmp_path, "export", "--run", "1", "--data", "second", "--output", "again.zip")
    assert results(tmp_path / "again.csv") == results(tmp_path / "first.csv")
    assert {row["question_id"] for row in rows(tmp_path / "again.csv")} == set(map(fingerprint, ANSWERS))
    assert figures(tmp_path / "again.zip") == figures(tmp_path / "first.zip")

    again = here(tmp_path, "add", "results.json", "--data", "second")
    assert (again.returncode, again.stdout) == (1, "")
    assert "Skipped results.json: its results are already in the library as run 1." in again.stderr


def test_nothing_is_added_if_one_of_the_files_cannot_be_read(here: Callable[..., Said], tmp_path: Path) -> None:
    Benchmark.create("mine").save(tmp_path / "mine.jsonld")
    (tmp_path / "broken.json").write_text("[{")
    said = here(tmp_path, "add", "mine.jsonld", "broken.json", "--data", "here")
    assert (said.returncode, said.stdout) == (2, "")
    assert "broken.json" in said.stderr
    assert not (tmp_path / "here").exists()


def test_results_of_unknown_questions_become_a_benchmark_of_their_own(
    do: Callable[..., str], tmp_path: Path, shared: Path
) -> None:
    file = shared / "results" / "full.export-v2.2.json"
    said = do(tmp_path, "add", str(file), "--data", "here")
    assert "to the benchmark full.export-v2.2 as run 1." in said
    assert "full.export-v2.2;" in do(tmp_path, "export", "--runs", "--data", "here")


def test_results_in_doubt_are_skipped_until_their_benchmark_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for topic in ("gold", "mouse"):
        benchmark = Benchmark.create(topic)
        benchmark.add_question(Question(question=f"Which {topic}?", raw_answer="42", id="1"), finished=True)
        benchmark.save(tmp_path / f"{topic}.jsonld")

    def results(model: str) -> str:
        answering = {"interface": "manual", "model_name": model}
        metadata = {"question_id": "1", "question_text": "Which mouse?", "template_id": "t", "timestamp": "now"}
        (tmp_path / f"{model}.json").write_text(json.dumps([{"metadata": metadata | {"answering": answering}}]))
        return f"{model}.json"

    def added(*arguments: str) -> tuple[int, str]:
        parser = argparse.ArgumentParser()
        add.add_options(parser)
        files = [str(tmp_path / each) if "." in each else each for each in arguments]
        code = add.run(parser.parse_args([*files, "--data", str(tmp_path / "data")]))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    added("gold.jsonld")
    code, doubt = added(results("ada"))
    assert code == 1
    assert "Skipped ada.json: its question IDs are also in “gold” (benchmark 1), but with other texts." in doubt
    assert "--benchmark silver names 0 benchmarks" in added("ada.json", "--benchmark", "silver")[1]
    assert "to the benchmark mouse as run 1" in added("mouse.jsonld", "ada.json")[1]
    added("mouse.jsonld")
    code, doubt = added(results("bob"))
    assert code == 1
    assert "“mouse” (benchmark 3) and “mouse” (benchmark 2) have its questions. Choose one" in doubt
    assert "to the benchmark gold as run 2" in added("bob.json", "--benchmark", "gold")[1]
    assert "to the benchmark eve as run 3" in added(results("eve"), "--new-benchmark")[1]


def test_python_alone_leads_to_the_same_ids_and_figures(tmp_path: Path, twin: Twin) -> None:
    benchmark = Benchmark.create("mine")
    for question, answer in ANSWERS.items():
        benchmark.add_question(question, answer, template(answer))
    model = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": f"{twin.address}/v1"}
    config = VerificationConfig(
        answering_models=[ModelConfig(id="ada", **model)],
        parsing_models=[ModelConfig(id="judge", **model)],
        conditions=[Condition(name="plain"), Condition(name="hint", system_prompt=HINT)],
        replicate_count=2,
    )
    path = benchmark.save(tmp_path / "mine")
    passed = {}
    for of in (benchmark, Benchmark.load(path)):
        results = of.run_verification(config)
        assert of.get_question_ids() == list(map(fingerprint, ANSWERS))
        passed[of.trusted] = [(r.metadata.question_id, r.condition, r.template.verify_result) for r in results]
    assert passed[True] == passed[False]
    assert sum(ok for _, condition, ok in passed[True] if condition == "plain") == 6
    assert sum(ok for _, condition, ok in passed[True] if condition == "hint") == 10


def fingerprint(question: str) -> str:
    return md5(question.encode(), usedforsecurity=False).hexdigest()


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def results(path: Path) -> list[dict[str, str]]:
    """Results without what an export says about itself and its run."""
    apart = {"run_name", "job_id", "export_timestamp"}
    return [{name: value for name, value in row.items() if name not in apart} for row in rows(path)]


def figures(path: Path) -> list[object]:
    """Means and intervals of each condition."""
    with ZipFile(path) as archive:
        (name,) = [each for each in archive.namelist() if not each.endswith(".jsonl")]
        summary = json.loads(archive.read(name))
    return [result["score_details"] for result in summary["evaluation_results"]]
