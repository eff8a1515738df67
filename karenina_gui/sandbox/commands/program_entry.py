"""Entry program that starts a whole program in a box and relays its only connection to the network.

The box has an empty network namespace with one listening socket. That socket is created inside the namespace but served
here, outside, and relays to one server on this computer's loopback interface, so nothing in the box has to be trusted.

Arguments: a JSON file written by `program_box`, then the program's own arguments. Standard streams and exit code are
those of the program, and the box dies with this process. Uses the standard library only, and is started without the
application's packages.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from base64 import b64decode
from contextlib import suppress
from typing import Any

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
# The ioctl NS_GET_USERNS.
_OWNER_OF_NAMESPACE = 0xB701
_LOOPBACK = "127.0.0.1"
_DIE_WITH_PARENT = 1
_PATIENCE = 10.0
"""Seconds to wait until the network of the box is up."""
_MOST_CONNECTIONS = 64
_PIECE = 1 << 16


def main(arguments: list[str]) -> int:
    """Run the program and return its exit code. Raises `OSError` if the system refuses."""
    libc = ctypes.CDLL(None)
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    with open(arguments[0], encoding="utf-8") as file:  # noqa: PTH123  (to load pathlib takes longer than all of this)
        how = json.load(file)
    started: list[int] = []

    def end(*_: object) -> None:
        if not started:
            os._exit(128 + signal.SIGTERM)
        _kill(started)  # and `main` goes on to wait for the end of it

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    report, status = os.pipe()
    gate, opener = os.pipe()
    data = {path: _readable(b64decode(content)) for path, content in how["data"].items()}
    seccomp = [_readable(b64decode(how["seccomp"]))] if how["seccomp"] else []
    handles = (*data.values(), *seccomp, status, gate)
    process = subprocess.Popen(
        [
            *(*how["start"], *how["box"], *_data_options(data)),
            *(part for handle in seccomp for part in ("--seccomp", str(handle))),
            # --block-fd holds the program until its listener exists, since it may connect at once.
            *("--json-status-fd", str(status), "--block-fd", str(gate), "--remount-ro", "/", "--"),
            *(*how["program"], *arguments[1:]),
        ],
        pass_fds=handles,
        env=_environment(how),
        cwd="/",
        # A fork clears PDEATHSIG, so the child sets its own.
        preexec_fn=lambda: libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL),
    )
    started.append(process.pid)
    for handle in handles:
        os.close(handle)
    box = _child(_line(report))
    if box is not None:
        started.append(box)
        try:
            _open_way(box, how, opener)
        except BaseException:
            _kill(started)
            process.wait()
            raise
    code = process.wait()
    # 128 + signal number, as in a shell.
    return code if code >= 0 else 128 - code


def _data_options(data: dict[str, int]) -> list[str]:
    return [part for path, handle in data.items() for part in ("--ro-bind-data", str(handle), path)]


def _open_way(box: int, how: dict[str, Any], opener: int) -> None:
    """Serve the one port of the box, tell that it is there, and let the program begin."""
    threading.Thread(target=_serve, args=(_listener(box, how["port"]), how["port"]), daemon=True).start()
    with open(how["report"], "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(str(box))
    os.write(opener, b"!")


def _environment(how: dict[str, Any]) -> dict[str, str]:
    """Variables of this process that are not empty, and those of `how`.

    The caller empties what the program must not see.
    """
    inherited = {name: value for name, value in os.environ.items() if value and name not in how["without"]}
    return {**inherited, **how["environment"]}


def _listener(box: int, port: int) -> socket.socket:
    """Create a socket that listens in the network of the box. Raises `OSError`."""
    here, there = socket.socketpair()
    child = os.fork()  # a process that has gone into another network does not come back
    if child == 0:
        try:
            made = _made_inside(box, port)
            socket.send_fds(there, [b"ok"], [made.fileno()])
        except BaseException as fault:
            there.sendall(f"the connection to its provider could not be set up ({fault})".encode()[:500])
        os._exit(0)
    there.close()
    try:
        answer, handles, _, _ = socket.recv_fds(here, 1000, 1)
    finally:
        os.waitpid(child, 0)
        here.close()
    if answer != b"ok":
        raise OSError(answer.decode(errors="replace") or "the connection to its provider could not be set up")
    return socket.socket(fileno=handles[0])


def _made_inside(box: int, port: int) -> socket.socket:
    import fcntl  # not on every system, which may import this file all the same

    libc = ctypes.CDLL(None, use_errno=True)
    network = os.open(f"/proc/{box}/ns/net", os.O_RDONLY)
    # Entering a network takes rights in the user namespace that owns it, which an ordinary user has to join first.
    if os.geteuid() != 0:
        _check(libc.setns(fcntl.ioctl(network, _OWNER_OF_NAMESPACE), _NEW_USER))
    _check(libc.setns(network, _NEW_NET))
    listener = socket.socket()
    until = time.monotonic() + _PATIENCE
    while True:  # the network may just be coming up
        try:
            listener.bind((_LOOPBACK, port))
            break
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
    listener.listen(_MOST_CONNECTIONS)
    return listener


def _serve(listener: socket.socket, port: int) -> None:
    free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
    while True:
        inside, _ = listener.accept()
        if not free.acquire(blocking=False):
            inside.close()
            continue
        threading.Thread(target=_pass_through, args=(inside, port, free), daemon=True).start()


def _pass_through(inside: socket.socket, port: int, free: threading.BoundedSemaphore) -> None:
    try:
        with inside, socket.create_connection((_LOOPBACK, port)) as outside:
            back = threading.Thread(target=_pump, args=(outside, inside), daemon=True)
            back.start()
            _pump(inside, outside)
            back.join()
    except OSError:
        pass  # the program sees a connection that ends, as without a box
    finally:
        free.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Copy until one of them closes."""
    try:
        while piece := source.recv(_PIECE):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _kill(started: list[int]) -> None:
    """Kill the first process of the box. The kernel then kills the rest of its PID namespace, and bubblewrap ends."""
    with suppress(OSError):
        os.kill(started[-1], signal.SIGKILL)


def _readable(content: bytes) -> int:
    """Descriptor to read these bytes from, of any length."""
    handle = os.memfd_create("karenina")
    with open(os.dup(handle), "wb") as file:  # noqa: PTH123
        file.write(content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def _line(pipe: int) -> bytes:
    """Next line of bubblewrap's report; a partial one if the report ends."""
    line = b""
    while not line.endswith(b"\n"):
        # One byte at a time, since whatever follows the line must stay in the pipe.
        piece = os.read(pipe, 1)
        if not piece:
            break
        line += piece
    return line


def _child(line: bytes) -> int | None:
    """PID of the first process in the box; None if bubblewrap ended before there was one."""
    try:
        value = json.loads(line).get("child-pid")
    except ValueError:
        return None
    return value if isinstance(value, int) else None


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError) as fault:
        sys.exit(f"bwrap: {fault}")
