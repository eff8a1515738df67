"""Allow-list of system calls for a cell; every other call fails with "Operation not permitted".

The list leaves computing, sleeping, and reading and writing the two open pipes. There is no call to open, stat or list
a file, to make a socket, process, thread or signal, or to map memory as executable. `fcntl` is missing because
`F_SETOWN` with `F_SETSIG` can kill any process of the same user.
"""

from __future__ import annotations

import os
import struct

_X86_64 = {
    "read": 0, "write": 1, "close": 3, "lseek": 8, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "readv": 19, "writev": 20, "select": 23, "sched_yield": 24, "mremap": 25, "madvise": 28,
    "nanosleep": 35, "getpid": 39, "exit": 60, "gettimeofday": 96, "getrusage": 98, "times": 100, "sigaltstack": 131,
    "gettid": 186, "time": 201, "futex": 202, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
    "clock_nanosleep": 230, "exit_group": 231, "pselect6": 270, "set_robust_list": 273, "getrandom": 318,
    "membarrier": 324, "rseq": 334,
}  # fmt: skip
_AARCH64 = {
    "close": 57, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66, "pselect6": 72, "exit": 93,
    "exit_group": 94, "futex": 98, "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114,
    "clock_nanosleep": 115, "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134,
    "rt_sigprocmask": 135, "rt_sigreturn": 139, "times": 153, "getrusage": 165, "gettimeofday": 169, "getpid": 172,
    "gettid": 178, "brk": 214, "munmap": 215, "mremap": 216, "madvise": 233, "getrandom": 278, "membarrier": 283,
    "rseq": 293,
}  # fmt: skip
_MEMORY_CALLS = {"x86_64": (9, 10), "aarch64": (222, 226)}
"""mmap and mprotect, which are allowed if the memory is not executable."""
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_TABLES = {"x86_64": _X86_64, "aarch64": _AARCH64}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL_PROCESS = 0x7FFF0000, 0x00050001, 0x80000000
_NUMBER, _ARCH, _THIRD_ARGUMENT = 0, 4, 32
_PROT_EXEC = 4


def is_supported() -> bool:
    """True if the system call numbers of this processor are known here."""
    return os.uname().machine in _TABLES


def allow_list() -> bytes:
    """The filter as a classic BPF program for this machine. A foreign calling convention kills the process."""
    machine = os.uname().machine
    # The numbers mean other calls under another architecture (32-bit x86), so that it must be checked first.
    steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, _AUDIT_ARCH[machine]), (_RETURN, 0, 0, _KILL_PROCESS)]
    steps += [(_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":  # x32 reuses the same architecture with this bit set
        steps += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL_PROCESS)]
    for number in _TABLES[machine].values():
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for number in _MEMORY_CALLS[machine]:
        steps += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _THIRD_ARGUMENT),
            (_ANY_BIT, 0, 1, _PROT_EXEC),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, _ALLOW),
        ]
    # EPERM instead of a kill: Python turns it into a PermissionError, which the author gets to read.
    steps += [(_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


_BEYOND_COUNTING = {
    "x86_64": (29, 248, 249, 250, 298, 319, 321, 323, 425, 426, 427, 447),
    "aarch64": (194, 217, 218, 219, 241, 279, 280, 282, 425, 426, 427, 447),
}
"""System calls that agents' commands may not use.

shmget, add_key, request_key, keyctl, perf_event_open, memfd_create, bpf, userfaultfd, the three of io_uring,
memfd_secret: memory that belongs to no process and so is counted by no limit, and large attack surfaces of the kernel.
"""
# ENOSYS: programs then use another call, as they do on older kernels.
_NOT_THERE = 0x00050026


def deny_list() -> bytes:
    """The filter for agents' commands: everything is allowed except `_BEYOND_COUNTING`, which fails with ENOSYS."""
    machine = os.uname().machine
    steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, _AUDIT_ARCH[machine]), (_RETURN, 0, 0, _KILL_PROCESS)]
    steps += [(_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL_PROCESS)]
    for number in _BEYOND_COUNTING[machine]:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _NOT_THERE)]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
