"""Search of texts by a pattern in a separate process, which is killed at a timeout: a pattern can run for ever.

Started without the application's packages; uses the standard library only. Standard input: a line of JSON `{"pattern",
"ignore_case", "at_most", "files": [[path, bytes], ...]}`, then the files one after another. Output: one line of JSON
for each line that matches, `[path, number from 1, the line]`; last `{"lines": how many matched}`, which may be more
than were given, or `{"error": ...}`.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

LONGEST_LINE = 300
"""Characters of a line to return."""
_MEMORY = 1 << 30


def main() -> None:
    _limit()
    request = json.loads(sys.stdin.buffer.readline())
    try:
        pattern = re.compile(request["pattern"], re.IGNORECASE if request["ignore_case"] else re.NOFLAG)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        _tell({"error": str(error)})
        return
    count = 0
    for path, size in request["files"]:
        lines = sys.stdin.buffer.read(size).decode("utf-8", "replace").splitlines()
        for number, line in enumerate(lines, start=1):
            if match := pattern.search(line):
                count += 1
                if count <= request["at_most"]:
                    _tell([path, number, _around(line, match.start())])
    _tell({"lines": count})


def _tell(message: Any) -> None:
    print(json.dumps(message), flush=True)


def _around(line: str, start: int) -> str:
    """The line; of a long one, the part around the start of the match."""
    begin = 0 if start < LONGEST_LINE // 2 or len(line) <= LONGEST_LINE else start - LONGEST_LINE // 4
    part = line[begin : begin + LONGEST_LINE]
    return f"{'… ' if begin else ''}{part}{' …' if begin + len(part) < len(line) else ''}"


def _limit() -> None:
    """Limit memory if the system can; the caller's timeout holds everywhere."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    main()
