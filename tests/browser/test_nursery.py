"""What is left of a test run that was killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.processes import running
from tests.until import comes

RUN = """
import sys, time
from pathlib import Path
from tests.browser.conftest import wait_for
from tests.browser.nursery import start

data, port = sys.argv[1:]
application = start("karenina_gui", ["--data", data, "--port", port, "--no-browser"], Path(data + ".log"))
wait_for(int(port), application)
print(application.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "darwin", reason="has no nursery")
def test_nothing_is_left_of_a_run_that_was_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    order = [sys.executable, "-c", RUN, str(data), str(free_port())]
    with subprocess.Popen(order, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as run:
        assert run.stdout is not None
        application = run.stdout.readline().strip()
        of_this_run = {application, parent(application)}
        assert of_this_run <= set(running("tests.browser.nursery"))
        run.kill()
    assert comes(lambda: not of_this_run & set(running("tests.browser.nursery")))


def parent(process: str) -> str:
    lines = Path("/proc", process, "status").read_text().splitlines()
    return next(line for line in lines if line.startswith("PPid:")).split()[1]
