"""Every figure that the application shows of a run, against one independent recount (`recount.py`).

300 runs are drawn with `KARENINA_FIGURES=300`; the ordinary suite draws a few.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.analysis.costs import cost
from karenina_gui.analysis.methodology import figures
from karenina_gui.analysis.rates import summarise
from karenina_gui.analysis.run_counting import count_run
from karenina_gui.analysis.run_data import RunData, compute_chart
from karenina_gui.analysis.trait_figures import trait_figures
from karenina_gui.commands.verify import report
from karenina_gui.formats.results.export_kinds import KINDS
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.head import coverage_text
from karenina_gui.gui.charts.theme import LIGHT
from karenina_gui.gui.kit.verdicts import ENDINGS
from karenina_gui.gui.pages.runs.api import by_question, run_row
from karenina_gui.gui.pages.runs.overview import overview
from karenina_gui.gui.pages.runs.progress import line as head_line
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.result_summaries import QuestionSort, ResultFilter
from karenina_gui.schemas.run_counts import RunCounts
from karenina_gui.store.library import Library
from karenina_gui.text import quantity
from tests.examples import examples
from tests.figures.random_run import CITES, CLARITY, SCALES, TONE, RandomRun, fill, record
from tests.figures.recount import Mean, Recount, Row
from tests.figures.shown import Line, lines, outcomes, texts

RUNS = int(os.environ.get("KARENINA_FIGURES", examples(6, 15)))
RARE = (38, 40)
"""Seeds of small runs: one with arms without any verdict, one whose flakiest questions are tied."""


class Case:
    """A run that was drawn, in a library, and what it should say."""

    def __init__(self, library: Library, seed: int) -> None:
        self.library, self.drawn = library, RandomRun(seed)
        self.run = fill(library, self.drawn)
        self.counts: RunCounts = count_run(library.results.table(self.run))
        self.right = Recount(self.drawn.rows)

    @property
    def overview(self) -> str:
        spent = cost(self.library.results.spending(self.run), {})
        return str(overview(summarise(self.counts), trait_figures(self.counts, SCALES), spent))

    @cached_property
    def material(self) -> RunData:
        return RunData(self.library.results.table(self.run), SCALES)

    def chart(self, name: str, trait: str | None = None) -> tuple[Finding, list[dict[str, Any]]]:
        """What it found, and the rows of its table by column."""
        kind = next(chart for chart in CHARTS if chart.name == name)
        finding = compute_chart(self.material, kind.find, ChartRequest(trait=trait)).finding
        if finding.marks is not None:
            assert kind.figure(finding, LIGHT)["data"]
        return finding, [dict(zip(finding.table.columns, row, strict=True)) for row in finding.table.rows]

    @property
    def metrics(self) -> list[str | None]:
        """Those whose means have a meaning."""
        return [*([None] if self.right.has_verdicts else []), *(name for name in self.right.traits if name != TONE)]

    def mean(self, metric: str | None, rows: Sequence[Row]) -> Mean:
        return self.right.verdict(rows) if metric is None else self.right.trait(metric, rows)

    def lines(self, part: str) -> Iterator[Line]:
        return (line for line in lines(self.overview) if line.part.startswith(part))


@pytest.fixture(params=sorted({*range(RUNS), *RARE}), scope="module")
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, new_library: Path) -> Iterator[Case]:
    folder = tmp_path_factory.mktemp("drawn")
    (folder / new_library.name).write_bytes(new_library.read_bytes())
    with Library.open(folder) as library:
        yield Case(library, request.param)


def percent(share: Fraction) -> str:
    """As it must be written: all and none told apart from what is only near."""
    whole = int(share * 100 + Fraction(1, 2))
    if share in (0, 1):
        return str(whole)
    return ">99" if whole >= 100 else "<1" if whole <= 0 else str(whole)


def is_rate(line: Line, right: Mean) -> None:
    if right.value is None:
        assert "no verdicts" in line.text, line
        return
    assert (line.percent, line.counts[:1]) == (percent(right.value), [(right.passed, right.scored)]), line


# ---- the page of the run


def test_outcomes_are_counted(case: Case) -> None:
    titles = {ENDINGS[outcome].title: number for outcome, number in case.right.outcomes.items() if outcome}
    shown = outcomes(case.overview)
    if case.right.judged:
        assert shown == titles
    else:
        assert shown.items() <= titles.items()


def test_rates_are_means_over_questions(case: Case) -> None:
    right = case.right
    if not right.judged:
        return
    groups = {
        "Pass rate": {combined_name(*arm): right.of(arm) for arm in right.arms},
        "By condition": _by(right.rows, lambda row: [row.condition]),
        "By judge": _by(right.rows, lambda row: [row.judge]),
        "By keyword": _by(right.rows, lambda row: list(row.keywords)),
    }
    for part, group in groups.items():
        for line in case.lines(part):
            found = right.verdict(group[line.name])
            is_rate(line, found)
            assert line.before("without a verdict") == found.left_out, line


def test_scores_of_traits_are_means_over_questions_and_what_lacks_one_is_said(case: Case) -> None:
    right, seen = case.right, set()
    for line in case.lines("Traits"):
        whole = not line.head
        trait = next(name for name in (CITES, CLARITY, TONE) if name in (line.name if whole else line.head))
        seen.add(trait)
        rows = right.rows if whole else next(right.of(arm) for arm in right.arms if combined_name(*arm) == line.name)
        found = right.trait(trait, rows)
        lacking = found.left_out
        assert line.before(rf"of {lacking + found.scored} without a score") == lacking, line
        if found.value is None:
            assert "no scores" in line.text
        elif trait == CITES:
            is_rate(line, found)
        elif trait == CLARITY:
            assert line.mean == pytest.approx(float(found.value), abs=0.00501)
            assert quantity(found.scored, "result") in line.text
    assert seen >= set(right.traits)


def _by(rows: list[Row], keys: object) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        for key in keys(row):  # type: ignore[operator]
            found.setdefault(key, []).append(row)
    return found


# ---- a run in progress, and the lists


def test_head_and_tables_of_a_run_in_progress_are_of_one_moment(tmp_path: Path, new_library: Path) -> None:
    (tmp_path / new_library.name).write_bytes(new_library.read_bytes())
    with Library.open(tmp_path) as library:
        for seed in range(40, 40 + max(6, RUNS // 5)):
            drawn = RandomRun(seed)
            number = sum(bool(row.outcome) for row in drawn.rows)
            run = fill(library, drawn, number // 2)
            summary = summarise(count_run(library.results.table(run)))
            record(library, run, drawn, number // 2)  # more results come
            live = RunProgressState(len(drawn.rows), number, dict(library.runs.summary(run).outcomes))
            head = str(head_line(live.as_of(summary.outcomes)))
            assert texts(head, "running-big")[0][1] == f"{number // 2:,} of {len(drawn.rows):,}"
            told = {word: int(count) for word, count in re.findall(r">(\w[\w -]*?) (\d+)</a>", head)}
            assert {ENDINGS[of].title: n for of, n in summary.outcomes.items()}.items() <= told.items()
            assert library.results.page(run, last=summary.last).total == number // 2
            page = library.results.questions(run, QuestionSort(), 0, 1000, summary.last)
            assert len(page.rows) == number // 2


def test_the_list_of_runs_counts_results(case: Case) -> None:
    row, right = run_row(case.library.runs.summary(case.run)), case.right
    assert (row["done"], row["total"]) == (len(right.ended), len(right.rows))
    assert (row["judged"], row["errors"]) == (right.judged, right.outcomes["error"])
    assert row["passed"] == right.outcomes["passed"]


def test_cells_of_questions_count_results(case: Case) -> None:
    matrix = by_question(case.library.results.questions(case.run, QuestionSort(), 0, 1000))
    for row in matrix["rows"]:
        for column, cell in zip(matrix["columns"], row["cells"], strict=True):
            here = [
                each for each in case.right.of((column["answering"], column["condition"]))
                if each.outcome and each.question == row["id"] and each.judge == column["judge"]
            ]  # fmt: skip
            assert (cell is None) == (not here)
            if cell:
                passed = sum(each.outcome == "passed" for each in here)
                assert (cell["passed"], cell["judged"] + cell["left_out"]) == (passed, len(here))


def test_filters_count_what_they_show(case: Case) -> None:
    for outcome, number in case.right.outcomes.items():
        assert outcome
        assert case.library.results.page(case.run, ResultFilter(outcomes=(outcome,))).total == number
    for trait in case.right.traits:
        with_score = sum(trait in row.scores for row in case.right.rows)
        assert case.library.results.page(case.run, ResultFilter(trait=trait)).total == with_score


# ---- charts


def near(value: float | None, right: Fraction | None) -> bool:
    return (value is None) == (right is None) and (right is None or value == pytest.approx(float(right), abs=1e-9))


def test_means_of_charts_are_those_of_the_page(case: Case) -> None:
    for metric in case.metrics:
        finding, rows = case.chart("arms", metric)
        whole = case.mean(metric, case.right.rows)
        assert (finding.scored, finding.planned) == (whole.scored, whole.planned)
        assert coverage_text(finding).startswith(f"{whole.scored:,} of {whole.planned:,} job")
        assert sum(finding.lacking.values()) == whole.planned - whole.scored
        for row in rows:
            right = case.mean(metric, case.right.of((row["Model"], row["Condition"])))
            assert near(row["Mean"], right.value)
            assert (row["Questions"], row["Scored"], row["Planned"]) == (right.questions, right.scored, right.planned)
        for name in ("cost", "standard_deviations"):
            for row in case.chart(name, metric)[1]:
                assert near(row["Mean"], case.mean(metric, case.right.of((row["Model"], row["Condition"]))).value)
        _one_half_width(case, metric)


def _one_half_width(case: Case, metric: str | None) -> None:
    finding, rows = case.chart("convergence", metric)
    last = {(row["Model"], row["Condition"]): row for row in rows}
    for arm, row in last.items():
        assert near(row["Mean"], case.mean(metric, case.right.of(arm)).value)
        if row["Margin of error"] is not None:
            assert row["Margin of error"] == pytest.approx((row["95% CI high"] - row["95% CI low"]) / 2)
    told = re.search(r"CI (\d+)% to (\d+)%\).*: a margin of error of (\d+) percentage point", finding.sentence)
    assert finding.marks is None or "a margin of error of " in finding.sentence
    if told:
        low, high, half = map(int, told.groups())
        assert abs((high - low) / 2 - half) <= 1


def test_a_sentence_of_one_arm_says_the_rate_of_the_page(case: Case) -> None:
    if len(case.right.arms) > 1 or not case.right.judged:
        return
    (line,) = case.lines("Pass rate")
    sentence = case.chart("arms")[0].sentence
    told = re.search(r"(?:passes|pass rate of) ([\d.]+)%", sentence)
    share = case.right.verdict(case.right.rows).value
    assert (share is None) == (told is None) or ">" in sentence
    if share is not None and told is not None:
        assert float(told[1]) == pytest.approx(100 * float(share), abs=0.51), (sentence, line)


def test_differences_are_those_of_the_questions_that_both_have(case: Case) -> None:
    if not case.right.judged or len(case.right.arms) < 2:
        return
    by_label = {combined_name(*arm): arm for arm in case.right.arms}
    for row in case.chart("comparison")[1]:
        right, number = case.right.difference(by_label[row["Compared with"]], (row["Model"], row["Condition"]))
        points = row["Difference (percentage points)"]
        assert near(None if points is None else points / 100, right) and row["Shared questions"] == number


def test_good_answers_are_counted_alike_in_heatmap_and_reliability(case: Case) -> None:
    if not case.right.judged:
        return
    text = {question.question: question.id for question in case.drawn.asked}
    for name in ("heatmap", "reliability"):
        for row in case.chart(name)[1]:
            right = case.right.good((row["Model"], row["Condition"]), text[row["Question"]])
            shown = (row["Good answers"] or 0, row["Answers scored"], row["Answers planned"])
            assert shown == right or right[2] == 0, (name, row)
    finding, rows = case.chart("reliability")
    for row in rows:
        share = row["Good answers"] / row["Answers scored"] if row["Answers scored"] else None
        assert row["Share of good answers"] == share
    if finding.marks is not None:
        repeated = [row for row in rows if row["Answers scored"] > 1]
        assert finding.marks.number == sum(finding.marks.by_arm) == len(repeated)
        assert sum(finding.marks.kinds.values()) == len(repeated)


def test_the_mean_of_a_question_is_one_figure_in_all_charts(case: Case) -> None:
    text = {question.question: question.id for question in case.drawn.asked}
    for metric in case.metrics:
        for name in ("heatmap", "reliability", "replicate_strip"):
            for row in case.chart(name, metric)[1]:
                arm = case.right.of((row["Model"], row["Condition"]))
                of_question = [one for one in arm if one.question == text[row["Question"]]]
                assert near(row["Mean"], case.mean(metric, of_question).value), (name, row)


def test_no_question_is_said_to_be_the_most_where_several_are(case: Case) -> None:
    if not case.right.judged:
        return
    finding, rows = case.chart("replicate_strip")
    text = {question.question: question.id for question in case.drawn.asked}
    good = [case.right.good((row["Model"], row["Condition"]), text[row["Question"]])[:2] for row in rows]
    spreads = sorted((2 * c * (n - c) / (n * (n - 1)) for c, n in good if 0 < c < n), reverse=True)
    alone = len(spreads) == 1 or (len(spreads) > 1 and spreads[0] > spreads[1] + 1e-9)
    assert ("Most variation: " in finding.sentence) == alone or finding.marks is None


def test_the_flakiest_question_is_named_only_where_there_is_one(case: Case) -> None:
    if not case.right.judged:
        return
    counts = [[case.right.good(arm, question.id)[:2] for arm in case.right.arms] for question in case.drawn.asked]
    flips = [
        sum(known, Fraction()) / len(known)
        for cells in counts
        if (known := [Fraction(2 * c * (n - c), n * (n - 1)) for c, n in cells if n > 1])
    ]
    sentence = case.chart("heatmap")[0].sentence
    tied = re.search("Flakiest, tied: (.*)", sentence)
    if tied or "Flakiest: " in sentence:
        more = re.search(r"and ([\d,]+) more", tied[1]) if tied else None
        named = tied[1].count("“") if tied else 1
        assert named + (int(more[1].replace(",", "")) if more else 0) == flips.count(max(flips))
    else:
        assert not any(flips) or case.chart("heatmap")[0].marks is None


def test_tokens_of_an_answer_are_named_for_what_they_count(case: Case) -> None:
    metric = next(iter(case.metrics), None)
    finding, rows = case.chart("cost", metric)
    for row in rows:
        known = case.right.tokens((row["Model"], row["Condition"]), judging=True)
        assert near(row["Tokens per answer incl. judging"], known) or metric is not None
        own = case.right.tokens((row["Model"], row["Condition"]), judging=False)
        assert near(row["Tokens of the answer only"], own) or metric is not None
    if " tokens per answer" in finding.sentence:
        assert "tokens per answer including judging" in finding.sentence


def test_judges_are_compared_on_what_both_have_rated_and_their_direction_is_told(case: Case) -> None:
    if not case.right.judged:
        return
    finding, rows = case.chart("judges")
    by_name = {row["Judges"]: row for row in rows}
    for one, other in case.right.pairs_of_judges:
        right, row = case.right.same(one, other), by_name.get(f"{one} and {other}")
        assert (row is None) == (not right.total())
        if row is not None:
            assert row["Same rating"] == pytest.approx(right["same"] / right.total())
            assert (row["First higher"], row["Second higher"]) == (right["first"], right["second"])
            differ = right["first"] + right["second"]
            if differ and len(case.right.pairs_of_judges) == 1 and "alpha" in finding.sentence:
                assert f"in {max(right['first'], right['second'])} of {differ} answer" in finding.sentence


def test_scores_are_all_in_the_distribution(case: Case) -> None:
    for metric in [*case.metrics, *({TONE} & set(case.right.traits))]:
        totals: dict[tuple[str, str | None], int] = {}
        for row in case.chart("distribution", metric)[1]:
            arm = (row["Model"], row["Condition"])
            totals[arm] = totals.get(arm, 0) + row["Count"]
        for arm, number in totals.items():
            assert number == case.mean(metric, case.right.of(arm)).scored


# ---- files and the command line


def exported(case: Case, kind: str) -> bytes:
    library = case.library
    info = RunInfo.of_run(library.runs.summary(case.run), library.runs.config(case.run), None, "")
    file = io.BytesIO()
    KINDS[kind].write(library.results.each(case.run), file, run=replace(info, figures=figures({})))
    return file.getvalue()


def test_tables_of_files_have_all_results_with_their_outcomes(case: Case) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(case, "csv").decode("utf-8-sig"))))
    assert len(rows) == len(case.right.ended)
    for outcome, number in case.right.outcomes.items():
        assert sum(row["outcome"] == outcome for row in rows) == number


def test_scores_of_every_eval_ever_are_those_of_the_page(case: Case) -> None:
    if not case.right.ended:
        return
    metrics: dict[str, Callable[[Sequence[Row]], Mean]] = {
        "passed": case.right.verdict,
        **{name: lambda rows, of=name: case.right.trait(of, rows) for name in (CITES, CLARITY)},
    }
    seen = 0
    with zipfile.ZipFile(io.BytesIO(exported(case, "zip"))) as archive:
        documents = [json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")]
    for document in documents:
        model = document["model_info"]["additional_details"]["label"]
        for entry in document["evaluation_results"]:
            name = entry["evaluation_name"].rpartition("/")[2]
            condition = entry["generation_config"]["additional_details"].get("condition")
            if name in metrics:
                right = metrics[name](case.right.of((model, condition)))
                assert near(entry["score_details"]["score"], right.value)
                assert entry["score_details"]["details"]["questions_scored"] == str(right.questions)
                seen += 1
    arms = [case.right.of(arm) for arm in case.right.arms]
    wanted = sum(metrics[name](rows).value is not None for name in metrics for rows in arms)
    assert seen == wanted


def test_the_command_line_counts_results(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    results = list(case.library.results.each(case.run))
    report(results, Path("results.json"))
    said = capsys.readouterr().out
    assert f"Wrote {quantity(len(results), 'result')} to" in said
    for model in {row.answering for row in case.right.ended}:
        found = re.search(rf"^{model}(?: [^:]*)?: (\d+) of (\d+) passed", said, re.MULTILINE)
        here = [row.outcome for row in case.right.ended if row.answering == model]
        if found and case.right.compared and not case.drawn.conditions:
            assert (int(found[1]), int(found[2])) == (here.count("passed"), len(here) - here.count("error"))
