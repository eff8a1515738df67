"""Accidents around the application: killed, frozen, a full disk, a locked library, a cable that is cut."""

from __future__ import annotations

import contextlib
import signal
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from karenina_gui.store.library import FILE_NAME
from tests.browser import nursery
from tests.browser.conftest import wait_for
from tests.browser.nursery import Child
from tests.ports import free_port


@dataclass
class Server:
    """The application on a data folder of its own; `kill` ends it as a power cut would."""

    data: Path
    port: int = 0
    _process: Child | subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.port = self.port or free_port()
        arguments = ["--data", str(self.data), "--port", str(self.port), "--no-browser"]
        log = self.data / "server.log"
        self._process = nursery.start("tests.browser.small_disk", arguments, log, KARENINA_DISK=str(self.data))
        wait_for(self.port, self._process)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(20)

    def end(self) -> int:
        """End the application as a service manager does; returns its exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(20)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Rows of the library, read from its file."""
        with closing(sqlite3.connect(self.data / FILE_NAME)) as file:
            return file.execute(query).fetchall()

    def log(self) -> str:
        return (self.data / "server.log").read_text()

    @contextmanager
    def full(self) -> Iterator[None]:
        """The disk has no room."""
        marker = self.data / "full"
        marker.touch()
        yield
        marker.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Another program is in the middle of a write."""
        with closing(sqlite3.connect(self.data / FILE_NAME, isolation_level=None, timeout=20)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """The process gets no time."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        yield
        self._process.send_signal(signal.SIGCONT)


class Cable:
    """Carries connections to a port, until it is cut: then they hang, and new ones are refused."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: set[socket.socket] = set()
        self._whole = threading.Event()
        self._whole.set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def cut(self) -> Iterator[None]:
        self._whole.clear()
        for each in list(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        yield
        self._whole.set()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._whole.is_set():
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                near.close()
                continue
            for source, sink in ((near, far), (far, near)):
                self._open.add(source)
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if not self._whole.is_set():
                    break  # on its way when the cable was cut: lost
                sink.sendall(data)
        for each in (source, sink):
            self._open.discard(each)
            each.close()
