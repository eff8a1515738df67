"""How long figures of a large run take: `python tests/benchmarks/columns_at_scale.py DATA_FOLDER [RUN]`.

Counts the run and computes each chart in the process of charts, with and without its file of columns, as a page does.
The folder is one of `large_library.py`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.analysis.chart_process import ChartError, ChartWorker  # noqa: E402
from karenina_gui.analysis.charts.chart_request import ChartRequest  # noqa: E402
from karenina_gui.analysis.run_data import compute_chart  # noqa: E402
from karenina_gui.gui.charts.charts import CHARTS  # noqa: E402
from karenina_gui.gui.charts.run_loading import counts_of, load_run  # noqa: E402
from karenina_gui.store.column_file import FOLDER  # noqa: E402
from karenina_gui.store.library import FILE_NAME  # noqa: E402


def main(folder: Path, run: int) -> None:
    load = partial(load_run, folder / FILE_NAME, run, {})
    rmtree(folder / FOLDER, ignore_errors=True)
    print(f"library: {(folder / FILE_NAME).stat().st_size / 1e9:.2f} GB")
    for title in ("without a file of columns", "with a file of columns"):
        worker = ChartWorker()
        worker.warm_up()
        time.sleep(3)
        print(title)
        print(f"  counts: {seconds(worker, counts_of, load):.2f} s; again {seconds(worker, counts_of, load):.2f} s")
        print(f"  process: {resident(worker):.0f} MB")
        worker.close()
    worker = ChartWorker()
    print(f"counts in a new process: {seconds(worker, counts_of, load):.2f} s")
    for chart in CHARTS:
        question = partial(compute_chart, find=chart.find, request=ChartRequest())
        first, second = seconds(worker, question, load), seconds(worker, question, load)
        print(f"  {chart.title}: {first:.2f} s; again {second:.2f} s; process {resident(worker):.0f} MB")
    worker.close()


def seconds(worker: ChartWorker, question: Callable[[Any], Any], load: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    answer = worker.ask(question, "one", load)
    if isinstance(answer, ChartError):
        print(f"  {answer.message}")
    return time.perf_counter() - begun


def resident(worker: ChartWorker) -> float:
    lines = Path(f"/proc/{worker.pid}/status").read_text().splitlines()
    return max(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
