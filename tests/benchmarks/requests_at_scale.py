"""How fast a large run is served: `python tests/benchmarks/requests_at_scale.py DATA_FOLDER [RUN]`.

Asks the application for pages of results, sorted, filtered, and searched, for the matrix of questions, and for exports
of which it reads the first 50,000 rows; prints the memory of the server. The folder is one of `large_library.py`.
"""

from __future__ import annotations

import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.served import application, machine, memory  # noqa: E402

QUERIES = {
    "first page": "",
    "sort by question": "sort=question",
    "sort by seconds": "sort=seconds&descending=1",
    "filter: outcome": "outcomes=wrong",
    "filter: model": "answering=opus",
    "filter: keyword": "keyword=keyword+6",
    "search": "text=kinase",
    "search without a match": "text=zzzz",
}
ROWS = 50_000
PART = 1 << 16


def main(folder: Path, run: int) -> None:
    print(machine())
    with application(folder) as (address, process):
        results = f"{address}/api/runs/{run}"
        for title, query in QUERIES.items():
            first, again = (seconds(f"{results}/results?start=0&end=100&{query}") for _ in range(2))
            print(f"{title}: {first:.2f} s; again {again:.2f} s")
        first, again = (seconds(f"{results}/matrix?start=0&end=100") for _ in range(2))
        print(f"matrix: {first:.2f} s; again {again:.2f} s")
        for kind in ("csv", "json"):
            print(f"export as {kind.upper()}: {export(f'{results}/export.{kind}')}")
        print(f"server: {memory(process):.0f} MB")


def seconds(address: str) -> float:
    begun = time.perf_counter()
    with urllib.request.urlopen(address, timeout=600) as reply:
        reply.read()
    return time.perf_counter() - begun


def export(address: str) -> str:
    begun, rows = time.perf_counter(), 0
    with urllib.request.urlopen(address, timeout=600) as reply:
        reply.read(1)
        first = started = time.perf_counter()
        while rows < ROWS and (part := reply.read(PART)):
            rows += part.count(b"\n")
    return f"first byte {first - begun:.2f} s, {rows / (time.perf_counter() - started):,.0f} rows a second"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
