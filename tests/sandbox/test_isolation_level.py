"""The rungs of confinement: tried out, shown, and never silently lower."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import RegexSearch, Sandbox, isolation_level
from karenina_gui.schemas.template import AnswerToVerify

LIBC = "import ctypes; libc = ctypes.CDLL(None)"
FORBIDDEN = {
    "open": "open('/etc/passwd')",
    "list": "import os; os.listdir('/')",
    "fork": "import os; os.fork()",
    "signal the application": "import os; os.kill({application}, 0)",
    "signal everybody": "import os; os.kill(-1, 0)",
    "trace": f"{LIBC}; assert libc.ptrace(16, {{application}}, 0, 0) != -1",
    "signal through a pipe": f"{LIBC}; assert libc.fcntl(4, 8, {{application}}) != -1",
    "limits of others": f"{LIBC}; assert libc.prlimit({{application}}, 7, None, ctypes.create_string_buffer(16)) != -1",
}
"""Each raises where it is refused; what runs on after it raises an error that says "through"."""


@pytest.fixture(params=[1, 2])
def rung(request: pytest.FixtureRequest) -> Iterator[int]:
    with Sandbox(rung=None) as best:
        if best.level.rung > request.param:
            pytest.skip("this machine does not offer this rung")
    yield request.param


def test_the_level_is_told_in_plain_words() -> None:
    level = Sandbox().level
    assert level.confined == (level.rung < 5)
    assert "sandbox" in level.description or "trust" in level.description
    assert {"landlock", "seccomp"} <= set(level.details)


def test_each_rung_refuses(rung: int, honest: str, right: AnswerToVerify) -> None:
    with Sandbox(slots=1, rung=rung) as sandbox:
        assert sandbox.level.rung == rung
        for name, attempt in FORBIDDEN.items():
            (verdict,) = sandbox.verify(hostile(honest, attempt, os.getpid()), [right])
            assert verdict.field_verification_result is not True, name
            assert "through" not in str(verdict.error), name
        assert sandbox.verify(honest, [right])[0].field_verification_result is True


def test_the_last_rung_refuses_code_and_says_why(honest: str, right: AnswerToVerify) -> None:
    with Sandbox(rung=5) as sandbox:
        sandbox.start()
        assert not sandbox.level.confined
        assert sandbox.zygotes == []
        assert sandbox.outline(honest).fault == "refused"
        assert sandbox.validate(honest, {"value": 42}).fault == "refused"
        assert [verdict.fault for verdict in sandbox.verify(honest, [right, right])] == ["refused", "refused"]
        assert "The template wasn’t run: it needs full Python" in str(sandbox.verify(honest, [right])[0].error)
        trait = "import os\ndef t(x): return True"
        assert [outcome.fault for outcome in sandbox.trait(trait, ["a"])] == ["refused"]


def test_the_last_rung_runs_trusted_code_with_limits(honest: str, right: AnswerToVerify, tmp_path: Path) -> None:
    with Sandbox(slots=1, rung=5) as sandbox:
        assert sandbox.verify(honest, [right], trust=True)[0].field_verification_result is True
        assert sandbox.outline(honest, trust=True).valid
        (verdict,) = sandbox.verify(hostile(honest, "bytearray(8 << 30)", 0), [right], trust=True)
        assert "memory" in str(verdict.error).lower()
        (tmp_path / "file").write_text("read")
        reads = hostile(honest, f"print(open({str(tmp_path / 'file')!r}).read())", 0)
        assert sandbox.verify(reads, [right], trust=True)[0].stdout == "read\n"
        loud = hostile(honest, "__import__('sys').stdout.write('noise') and __import__('os').write(1, b'noise')", 0)
        assert sandbox.verify(loud, [right], trust=True)[0].stdout == "noise"
        assert sandbox.verify(honest, [right])[0].fault == "refused"


def test_patterns_are_searched_on_the_last_rung_too() -> None:
    with Sandbox(slots=1, rung=5) as sandbox:
        assert sandbox.regex([RegexSearch(pattern="b+")], "abb")[0].spans == [(1, 3)]


def test_trust_unlocks_nothing_where_there_is_a_lock(sandbox: Sandbox, honest: str, right: AnswerToVerify) -> None:
    (verdict,) = sandbox.verify(hostile(honest, "open('/etc/passwd')", 0), [right], trust=True)
    assert "the code cannot open files" in str(verdict.error)


@pytest.mark.parametrize("rung", [0, 3, 17])
def test_a_rung_that_does_not_exist_is_refused(rung: int) -> None:
    with pytest.raises(SandboxError, match="does not hold"):
        Sandbox(rung=rung).level


def test_a_machine_where_nothing_can_be_tried_stands_on_the_last_rung(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    monkeypatch.setattr(isolation_level, "_facts", isolation_level._facts.__wrapped__)  # as in a new process
    assert Sandbox().level.rung == 5


def test_a_process_that_does_not_come_up_is_the_machines_own_failure(
    monkeypatch: pytest.MonkeyPatch, honest: str, right: AnswerToVerify
) -> None:
    with Sandbox(slots=1) as sandbox:
        if not sandbox.level.confined:
            pytest.skip("needs a rung that confines")
        with monkeypatch.context() as broken, pytest.raises(SandboxError, match="did not start"):
            broken.setattr(sys, "executable", "/bin/false")
            sandbox.verify(honest, [right])
        assert sandbox.verify(honest, [right])[0].field_verification_result is True


def test_an_ordinary_user_is_confined_as_well(honest: str) -> None:
    """The same user as the application: nothing but the locks keeps a cell from its processes."""
    if os.geteuid() != 0:
        pytest.skip("the other tests of this file already run as an ordinary user")
    candidates = (sys.executable, shutil.which("python3.11", path="/usr/bin"))
    interpreter = next((path for path in candidates if public(path)), None)
    if interpreter is None or sys.version_info[:2] != (3, 11):
        pytest.skip("no interpreter here that an ordinary user may run")
    folders = [str(Path(__file__).parents[2]), *(path for path in sys.path if path.endswith("site-packages"))]
    script = f"""
import json, os, sys
sys.path += {folders!r}
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.template import AnswerToVerify
sources = [source.replace("APPLICATION", str(os.getpid())) for source in json.load(sys.stdin)]
report = {{}}
for rung in (None, 2, 5):
    with Sandbox(slots=1, rung=rung) as sandbox:
        verdicts = [sandbox.verify(source, [AnswerToVerify(values={{"value": 42}})])[0] for source in sources]
        report[str(rung)] = [[verdict.field_verification_result, str(verdict.error)] for verdict in verdicts]
print(json.dumps(report))
"""
    sources = [honest] + [
        hostile(honest, attempt.replace("{application}", "APPLICATION"), 0) for attempt in FORBIDDEN.values()
    ]
    found = subprocess.run(
        [interpreter, "-c", script],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        user=65534,
        group=65534,
        extra_groups=[],
        env={},
        cwd="/",
        timeout=60,
    )
    assert found.returncode == 0, found.stderr
    report = json.loads(found.stdout)
    for rung in ("None", "2"):
        assert report[rung][0] == [True, "None"]
        for (verdict, error), name in zip(report[rung][1:], FORBIDDEN, strict=True):
            assert verdict is not True and "through" not in error, (rung, name, error)
    assert all("wasn’t run" in error for _, error in report["5"])


def hostile(honest: str, attempt: str, application: int) -> str:
    attempt = attempt.replace("{application}", str(application))
    return honest.replace("return self.value", f"{attempt}; raise SystemError('through')\n        return self.value")


def public(path: str | None) -> bool:
    """Whether any user may reach and run this file."""
    if path is None:
        return False
    place = Path(path).resolve()
    return place.exists() and all(folder.stat().st_mode & 0o1 for folder in (place, *place.parents))
