"""Rights that a Linux process can give up for good: files, network, signals, privileges, memory, system calls.

Each function only tightens; the code that runs afterwards can undo nothing. No root and no library beyond libc is
needed. Every function raises `OSError` if the kernel refuses, so that no code runs half confined.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress

with suppress(ModuleNotFoundError):  # where nothing is locked; loaded now, since a locked process opens no file
    import resource

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

_SET_PDEATHSIG, _SET_DUMPABLE, _SET_SECCOMP, _CAPBSET_DROP, _SET_NO_NEW_PRIVS, _CAP_AMBIENT = 1, 4, 22, 24, 38, 47
_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # Landlock; the same numbers on every architecture
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""Number of file rights that each Landlock version knows (16 from version 5 on)."""
_NOBODY = 65534


def landlock_version() -> int:
    """Version of the kernel's Landlock interface; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def close_files() -> int:
    """Deny all files (an empty allow-list), and TCP and signals to outsiders if the kernel can (versions 4 and 6).

    Returns the Landlock version in force. Open files stay open. Applied again by a child, it also protects the parent
    from the child's signals.
    """
    version = landlock_version()
    # The caller has asked for Landlock: to go on without it would leave files open.
    if version < 1:
        raise OSError("Landlock is not available")
    files = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    # Landlock covers neither UDP nor Unix sockets nor io_uring; seccomp does.
    tcp, outsiders = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    rules = struct.pack("QQQ", files, tcp, outsiders)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _libc.syscall(_CREATE_RULESET, ctypes.c_char_p(rules), ctypes.c_size_t(len(rules)), ctypes.c_uint32(0))
    _check(ruleset if ruleset < 0 else 0, "landlock_create_ruleset")
    forbid_new_privileges()
    _check(_libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "landlock_restrict_self")
    os.close(ruleset)
    return version


def filter_system_calls(program: bytes) -> None:
    """Install a seccomp filter (see `seccomp.allow_list`)."""
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(instructions))
    buffer = ctypes.create_string_buffer(header, len(header))
    # The kernel accepts a filter without root only if no program can gain privileges any more.
    forbid_new_privileges()
    _prctl(_SET_SECCOMP, 2, ctypes.addressof(buffer))


def drop_root() -> None:
    """Become `nobody` if this is root. In a container that maps no such user, `drop_capabilities` still applies."""
    if os.geteuid() != 0:
        return
    with suppress(OSError):
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def drop_capabilities() -> None:
    """Empty every capability set."""
    # /proc, which knows the last capability, is out of reach by now: count up until the kernel refuses.
    for capability in range(64):
        try:
            _prctl(_CAPBSET_DROP, capability)
        except OSError:
            break  # the last one is passed, or there was no right to drop any
    with suppress(OSError):  # a kernel without ambient capabilities
        _prctl(_CAP_AMBIENT, 4)
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    capset = {"x86_64": 126, "aarch64": 91}.get(os.uname().machine)
    if capset is not None:
        _check(_libc.syscall(capset, ctypes.c_char_p(header), ctypes.c_char_p(nothing)), "capset")


def forbid_new_privileges() -> None:
    """Forbid programs started from here to gain rights through their file (setuid, file capabilities)."""
    _prctl(_SET_NO_NEW_PRIVS, 1)


def hide_memory() -> None:
    """Keep other processes of the same user from tracing this one or reading its memory; no core file."""
    _prctl(_SET_DUMPABLE, 0)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends."""
    _prctl(_SET_PDEATHSIG, 9)
    # The parent may have ended before the request above took effect; then no signal would ever come.
    if os.getppid() != parent:
        os._exit(0)


def limit_resources(memory_mb: int, cpu_s: int) -> None:
    """Limit memory and processor time; no file grows, no core, no further process, no further open file."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, 0)
    # Does not bind root, hence `drop_root` before.
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_CPU, cpu_s)
    _limit(resource.RLIMIT_AS, memory_mb << 20)


def _limit(which: int, bound: int) -> None:
    _, hard = resource.getrlimit(which)
    # An unprivileged process can lower a hard limit but never raise it.
    bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
    resource.setrlimit(which, (bound, bound))


def _prctl(*arguments: int) -> None:
    padded = (*arguments, 0, 0, 0, 0)[:5]
    _check(_libc.prctl(*(ctypes.c_ulong(argument) for argument in padded)), f"prctl{arguments}")


def _check(result: int, call: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{call} was refused")
