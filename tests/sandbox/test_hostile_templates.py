"""Hostile templates: each harms nothing, says clearly what happened, and leaves the other templates alone.

The `attack` fixture checks the neighbours before and after every test of this file.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from karenina_gui.sandbox import RegexSearch, Sandbox
from karenina_gui.schemas.template import TemplateVerdict

Attack = Callable[[str], TemplateVerdict]

STOPPED = "The template was stopped after 0.5 s. Look for an endless loop or a pattern such as (a+)+."


def test_an_endless_loop_is_stopped(attack: Attack) -> None:
    verdict = attack("while True: pass")
    assert (verdict.fault, verdict.error) == ("timeout", STOPPED)
    assert verdict.field_verification_result is None


def test_a_sleeper_is_stopped(attack: Attack) -> None:
    assert attack("import time; time.sleep(3600)").fault == "timeout"


def test_a_loop_that_catches_everything_is_stopped(attack: Attack) -> None:
    verdict = attack("""
        while True:
            try:
                while True: pass
            except BaseException:
                pass
    """)
    assert verdict.fault == "timeout"


def test_ignoring_signals_does_not_help_a_loop(attack: Attack) -> None:
    verdict = attack("""
        import signal
        for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        while True: pass
    """)
    assert verdict.fault == "timeout"


def test_a_catastrophic_pattern_is_stopped(attack: Attack) -> None:
    verdict = attack('import re; return bool(re.match(r"(a+)+$", "a" * 60 + "!"))')
    assert (verdict.fault, verdict.error) == ("timeout", STOPPED)


def test_a_number_too_large_to_compute_is_stopped(attack: Attack) -> None:
    assert attack("return 7 ** 7 ** 12 > 0").fault in ("timeout", "memory", "error")


def test_a_memory_bomb_hits_the_limit(attack: Attack) -> None:
    verdict = attack("hoard = bytearray(8 << 30); return True")
    assert verdict.fault in ("error", "memory")
    assert "memory" in str(verdict.error).lower()


def test_a_slow_memory_bomb_hits_the_limit(attack: Attack) -> None:
    verdict = attack("""
        hoard = []
        while True:
            hoard.append(bytes(8 << 20))
    """)
    assert verdict.fault in ("error", "memory")
    assert "memory" in str(verdict.error).lower()


def test_a_fork_bomb_makes_no_process(attack: Attack) -> None:
    verdict = attack("""
        import os
        while True:
            os.fork()
    """)
    assert_refused(verdict)


def test_threads_cannot_be_started(attack: Attack) -> None:
    verdict = attack("""
        import sys
        thread = sys.modules.get("_thread") or __import__("_thread")
        while True:
            thread.start_new_thread(lambda: None, ())
    """)
    assert verdict.fault == "error"
    assert verdict.field_verification_result is not True


def test_a_command_is_not_run(attack: Attack, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    tmp_path.chmod(0o777)
    verdict = attack(f'import os; return os.system("touch {witness}") == 0')
    assert verdict.field_verification_result is not True
    assert not witness.exists()


def test_a_program_is_not_executed(attack: Attack) -> None:
    assert_refused(attack('import os; os.execv("/bin/true", ["true"])'))


def test_the_environment_is_empty(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "do-not-tell")
    verdict = attack('import os; print(dict(os.environ), os.getenv("EXAMPLE_API_KEY")); return True')
    assert verdict.stdout.strip() in ("{} None", "")
    assert "do-not-tell" not in verdict.model_dump_json()


@pytest.mark.parametrize("whose", ["self", "parent"])
def test_the_environment_is_not_read_from_the_process_list(attack: Attack, whose: str) -> None:
    number = "self" if whose == "self" else str(os.getpid())
    assert_refused(attack(f'print(open("/proc/{number}/environ").read()); return True'))


def test_the_home_folder_is_not_read(attack: Attack, tmp_path: Path) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("do-not-tell")
    for folder in (secret, tmp_path, tmp_path.parent):
        folder.chmod(0o755)
    verdict = attack(f'print(open("{secret}").read()); return True')
    assert_refused(verdict)
    assert "do-not-tell" not in verdict.model_dump_json()


def test_folders_are_not_listed(attack: Attack) -> None:
    verdict = attack('import os; print(os.listdir("/")); return True')
    assert_refused(verdict)
    assert verdict.error == "PermissionError: the code cannot open files, use the network, or start programs"


def test_files_are_not_written(attack: Attack, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert_refused(attack(f'open("{tmp_path}/new", "w")'))
    assert list(tmp_path.iterdir()) == []


def test_links_are_not_made(attack: Attack, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert_refused(attack(f'import os; os.symlink("/etc/passwd", "{tmp_path}/link")'))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("family", ["AF_INET, SOCK_STREAM", "AF_INET, SOCK_DGRAM", "AF_UNIX, SOCK_STREAM"])
def test_sockets_are_not_opened(attack: Attack, family: str) -> None:
    verdict = attack(f"""
        import _socket
        AF_INET, AF_UNIX, SOCK_STREAM, SOCK_DGRAM = 2, 1, 1, 2
        return _socket.socket({family}).fileno() > 0
    """)
    assert verdict.fault == "error"
    assert verdict.field_verification_result is not True


def test_a_listener_on_loopback_hears_nothing(attack: Attack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        port = listener.getsockname()[1]
        attack(f'import socket; socket.create_connection(("127.0.0.1", {port}))')
        with pytest.raises(TimeoutError):
            listener.accept()


def test_leaving_the_interpreter_is_an_ordinary_error(attack: Attack) -> None:
    verdict = attack("import sys; sys.exit(0)")
    assert verdict.fault == "error"
    assert "SystemExit" in str(verdict.error)


def test_leaving_without_goodbye_is_told(attack: Attack) -> None:
    verdict = attack("import os; os._exit(0)")
    assert verdict.fault == "crashed"
    assert "ended its own process" in str(verdict.error)


def test_a_gigabyte_of_output_is_cut(attack: Attack) -> None:
    verdict = attack("""
        for _ in range(1024):
            print("x" * (1 << 20))
        return True
    """)
    assert len(verdict.stdout) <= 8192
    assert verdict.field_verification_result is True or verdict.fault == "timeout"


def test_a_huge_result_is_not_taken(attack: Attack) -> None:
    verdict = attack('self.correct = {"value": "x" * (64 << 20)}; return True')
    assert len(verdict.model_dump_json()) < 2 << 20


def test_a_walk_over_the_class_tree_reaches_nothing(attack: Attack, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    verdict = attack(f"""
        seen = 0
        for cls in ().__class__.__bases__[0].__subclasses__():
            module = __import__("sys").modules.get(cls.__module__)
            system = getattr(getattr(module, "os", None), "system", None) or getattr(module, "system", None)
            if system is not None:
                seen += 1
                system("touch {tmp_path}/witness")
        return seen >= 0
    """)
    assert verdict.error is None
    assert list(tmp_path.iterdir()) == []


def test_poison_does_not_reach_a_later_template(attack: Attack) -> None:
    poison = """
        import sys
        engine = sys.modules["karenina_gui.sandbox.inside.verdicts"]
        judge = engine.verify
        forgery = {"field_verification_result": True, "error": None}
        engine.verify = lambda *request: judge(*request).model_copy(update=forgery)
        return False
    """
    assert attack(poison).field_verification_result is False
    assert attack(poison).field_verification_result is True, (
        "it poisons its own cell, where the test would be idle if not"
    )


def test_poisoned_builtins_and_libraries_do_not_reach_a_later_template(attack: Attack) -> None:
    attack("""
        import builtins, json, pydantic
        BaseAnswer.verify = lambda self: True
        pydantic.BaseModel.model_validate = classmethod(lambda cls, *a, **k: None)
        builtins.isinstance = lambda *a: True
        json.dumps = lambda *a, **k: '{"items": [{"field_verification_result": true}]}'
        return True
    """)


def test_no_process_can_be_signalled(attack: Attack, strict: Sandbox) -> None:
    processes = [os.getpid(), *strict.zygotes, -1, 0]
    verdict = attack(f"""
        import os
        refused = 0
        for number in {processes}:
            try:
                os.kill(number, 0)
            except PermissionError:
                refused += 1
        return refused == {len(processes)}
    """)
    assert verdict.field_verification_result is True


def test_a_cell_holds_its_own_two_pipes_and_nothing_else(attack: Attack) -> None:
    verdict = attack("""
        import errno, os
        held = []
        for number in range(4096):
            try:
                os.lseek(number, 0, 1)
            except OSError as error:
                if error.errno != errno.EBADF:
                    held.append(number)
            else:
                held.append(number)
        print(held)
        return held == [3, 4]
    """)
    assert verdict.field_verification_result is True, verdict.stdout


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(f"ptrace(16, {os.getpid()}, 0, 0)", id="trace another process"),
        pytest.param(f"syscall(302, {os.getpid()}, 7, 0, 0)", id="read another's limits"),
        pytest.param("unshare(0x10000000)", id="user namespace"),
        pytest.param("syscall(425, 8, 0)", id="io_uring"),
        pytest.param("memfd_create(b'x', 0)", id="file in memory"),
        pytest.param("prctl(22, 0, 0, 0, 0)", id="change the filter"),
        pytest.param("setsid()", id="leave the session"),
        pytest.param("fork()", id="fork through libc"),
    ],
)
def test_calls_through_libc_are_refused(attack: Attack, call: str) -> None:
    verdict = attack(f"import ctypes; return ctypes.CDLL(None).{call} == -1")
    assert verdict.field_verification_result is True, verdict.error


def test_a_crash_in_c_is_told(attack: Attack) -> None:
    verdict = attack("import ctypes; ctypes.string_at(0); return True")
    assert verdict.field_verification_result is None
    assert verdict.fault in ("crashed", "error")


def test_endless_recursion_is_an_error_or_stopped(attack: Attack) -> None:
    verdict = attack("""
        import sys
        sys.setrecursionlimit(10 ** 8)
        def deeper(): return deeper()
        return deeper()
    """)
    assert verdict.fault in ("error", "crashed", "memory", "timeout")
    assert verdict.error


def test_a_catastrophic_trait_pattern_does_not_take_the_others_along(strict: Sandbox) -> None:
    text = "a" * 40 + "!"
    searches = [RegexSearch(pattern=pattern) for pattern in ("a{3}", "(a+)+$", "(", "!$")]
    found = strict.regex(searches, text)
    assert [outcome.found for outcome in found] == [True, None, None, True]
    assert "stopped after 0.5 s" in str(found[1].error)
    assert found[2].error and found[2].fault is None
    assert found[3].spans == [(40, 41)]


def assert_refused(verdict: TemplateVerdict) -> None:
    assert verdict.field_verification_result is not True
    assert verdict.fault == "error"
    told = ("the code cannot open files", "not permitted", "not available")
    assert any(words in str(verdict.error) for words in told)
