"""What statistics and charts of 10,000 jobs take, as multiples of reading the rows.

    python tests/benchmarks/statistics_speed.py [ROUNDS]

All are measured in one process in turns, so that the ratios hold even on a busy machine. At the end the moment
estimators of variance in turns with the mixed model of statsmodels, on a smaller run, with what both found.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import statsmodels.formula.api as smf  # noqa: E402
from pandas import DataFrame  # noqa: E402

from karenina_gui.analysis.charts.chart_request import ChartRequest  # noqa: E402
from karenina_gui.analysis.metrics import VERDICT  # noqa: E402
from karenina_gui.analysis.run_data import RunData, compute_chart  # noqa: E402
from karenina_gui.analysis.scores import Scores  # noqa: E402
from karenina_gui.analysis.statistics.agreement import krippendorff_alpha  # noqa: E402
from karenina_gui.analysis.statistics.means import arm_mean  # noqa: E402
from karenina_gui.analysis.statistics.paired import PairedDesign, paired_difference  # noqa: E402
from karenina_gui.analysis.statistics.pass_at_k import curve  # noqa: E402
from karenina_gui.analysis.statistics.power import plan  # noqa: E402
from karenina_gui.analysis.statistics.variance_components import moment_estimates, variance_components  # noqa: E402
from karenina_gui.gui.charts.charts import CHARTS  # noqa: E402
from karenina_gui.store.library import Library  # noqa: E402
from tests.simulated_run import SCALES, Simulation, fill  # noqa: E402

ROUNDS = 7
TEN_THOUSAND = Simulation(250, 2, 2, 5, 2, 1, failures=0.02)
SMALL = Simulation(40, 1, 2, 3, 1, 2)
"""As large as the mixed model takes in seconds."""
READ = "reading the rows"


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder)) as library:
        run = fill(library, TEN_THOUSAND)[1]
        ways = {READ: partial(library.results.table, run)} | statistics() | charts()
        medians = measured(ways, rounds)
    print(f"{len(TEN_THOUSAND.jobs):,} jobs, median of {rounds}")
    for way, taken in medians.items():
        print(f"{way:<44} {1000 * taken:9.2f} ms   {taken / medians[READ]:7.3f} x {READ}")
    models(rounds)
    return 0


def statistics() -> dict[str, Callable[[], object]]:
    """Each from scores that have computed nothing yet."""
    table = TEN_THOUSAND.table()

    def scores() -> Scores:
        return Scores.of(table, VERDICT)

    made = scores()
    cells, arms = made.cells, range(len(made.arms))
    ratings = np.full((len(made.judgments), len(made)), np.nan)
    _, unit = np.unique(np.stack([made.question, made.arm, made.replicate]), axis=1, return_inverse=True)
    ratings[made.judgment, unit.ravel()] = made.value
    ratings = ratings[:, : unit.max() + 1]
    passed = np.nan_to_num(cells.mean[:, 0] * cells.scored[:, 0]).round().astype(np.int64)
    first, second = cells.mean[:, 0], cells.mean[:, 1]
    return {
        "scores as arrays": scores,
        "scores, answers and cells": lambda: scores().cells,
        "means of all models and conditions": lambda: [arm_mean(made, arm) for arm in arms],
        "a paired difference": lambda: paired_difference(first, second, PairedDesign(binary=True, single=False)),
        "a plan": lambda: plan(made, 0, 1, 0.05),
        "parts of the variance": lambda: variance_components(made),
        "pass^k with its band": lambda: curve(cells.scored[:, 0], passed, "all"),
        "agreement of judges": lambda: krippendorff_alpha(ratings, "nominal"),
    }


def charts() -> dict[str, Callable[[], object]]:
    material = RunData(TEN_THOUSAND.table(), SCALES, {})
    asked = ChartRequest()
    return {f"chart: {chart.title}": partial(compute_chart, material, chart.find, asked) for chart in CHARTS}


def models(rounds: int) -> None:
    scores = Scores.of(SMALL.table(), VERDICT)
    fits = {"moments": partial(moment_estimates, scores), "mixed model": partial(mixed, scores)}
    medians = measured(fits, max(1, rounds // 3))
    print(f"\nParts of the variance of {len(scores):,} jobs")
    for way, taken in medians.items():
        print(f"{way:<44} {1000 * taken:9.2f} ms   {taken / medians['moments']:7.0f} x moments")
    split = moment_estimates(scores)
    for way, parts in (
        ("moments", [split.question, split.interaction, split.answer, split.judge]),
        ("mixed model", mixed(scores)),
    ):
        print(f"{way}: " + ", ".join(f"{part:.4f}" for part in parts if part is not None))


def mixed(scores: Scores) -> list[float]:
    """Question, question × arm, answer, judge by restricted maximum likelihood."""
    columns = {"q": scores.question, "a": scores.arm, "r": scores.replicate, "y": scores.value}
    frame = DataFrame(columns).dropna()
    frame["qa"] = frame.q * len(scores.arms) + frame.a
    frame["qar"] = frame.qa * (frame.r.max() + 1) + frame.r
    nested = {"1": "0 + C(qa)", "2": "0 + C(qar)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = smf.mixedlm("y ~ C(a)", frame, groups="q", re_formula="1", vc_formula=nested).fit()
    return [float(fit.cov_re.iloc[0, 0]), *map(float, fit.vcomp), float(fit.scale)]


def measured(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds for one, the median; the first round fills what libraries keep."""
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way, run in ways.items():
            started = time.perf_counter()
            run()
            taken[way].append(time.perf_counter() - started)
    return {way: median(times[1:]) for way, times in taken.items()}


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or [str(ROUNDS)])[0])))
