"""The fence round a reader's function: limits, a hook that refuses, and functions put in the place of some of Python's.

Imports the standard library only; used in the child process.  It stops accidents, not a determined program; see
notes/trust.md.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

__all__ = ["Asked", "put_up"]

REFUSED: Final = (  # audit events
    *("os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system", "os.startfile", "pty.spawn"),
    *("subprocess.Popen", "os.kill", "os.killpg", "signal.pthread_kill", "sys.remote_exec", "builtins.input"),
    *("socket.__new__", "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"),
    *("socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "socket.sethostname", "ftplib.connect"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.link", "os.symlink"),
    *("os.utime", "os.setxattr", "os.removexattr", "os.putenv", "shutil.rmtree", "syslog.syslog", "syslog.openlog"),
    *("ctypes.dlopen", "ctypes.dlsym", "sqlite3.connect", "mmap.__new__", "fcntl.ioctl", "fcntl.fcntl"),
    *("resource.setrlimit", "resource.prlimit"),
)
SILENT: Final = {  # what raises no audit event, and reaches out of the process or writes
    "posix": "pidfd_open mkfifo mknod setpriority sched_setaffinity sched_setparam sched_setscheduler tcsetpgrp "
    "setpgid setpgrp setsid unshare setns chroot login_tty",
    "_signal": "pidfd_send_signal",
    "_posixsubprocess": "fork_exec",
    "_posixshmem": "shm_open shm_unlink",
    "_multiprocessing": "SemLock sem_unlink",
    "termios": "tcsetattr tcflow tcflush tcsendbreak tcsetwinsize",
}
WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Asked:
    """The first thing that was refused since somebody last looked; "" where nothing was."""

    first = ""

    @classmethod
    def take(cls) -> str:
        """Return it, and forget it."""
        found, cls.first = cls.first, ""
        return found


def put_up(seconds: int, memory: int) -> None:
    """Put the fence up; it stays for as long as the process does."""
    _limit(seconds, memory)
    for module, names in SILENT.items():
        with suppress(ImportError):
            real = vars(import_module(module))
            place = "os" if module == "posix" else module.strip("_")
            _replace({id(real[n]): _refusing(f"{place}.{n}", real[n]) for n in names.split() if n in real})
    refused, copied = frozenset(REFUSED), frozenset(SILENT)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in refused:
            _refuse(event)
        if event == "import" and arguments[0] in copied:
            _refuse(f"a second copy of {arguments[0]}")
        if event == "open" and not isinstance(arguments[0], int):
            _, mode, flags = arguments
            if (isinstance(flags, int) and flags & WRITES) or (isinstance(mode, str) and set(mode) & set("wax+")):
                _refuse("writing to files")

    sys.addaudithook(hook)


def _refuse(what: str) -> None:
    Asked.first = Asked.first or what
    raise PermissionError(f"{what} is refused to a function under test")


def _refusing(name: str, real: Any) -> Callable[..., Any]:
    """Return what refuses; where a class is replaced, its whole numbers are kept, which modules read on import."""

    def refused(*_: Any, **__: Any) -> Any:
        _refuse(name)

    if isinstance(real, type):
        refused.__dict__.update({k: v for k, v in vars(real).items() if isinstance(v, int)})
    return refused


def _replace(other: dict[int, Callable[..., Any]]) -> None:
    """Put a function in the place of another wherever a module has it."""
    for module in list(sys.modules.values()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in other:
                module.__dict__[key] = other[id(value)]


def _limit(seconds: int, memory: int) -> None:
    import resource

    used = 0
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - as quick as can be
        used = int(file.read().split()[0]) * resource.getpagesize()
    for name, value in (
        ("RLIMIT_AS", used + memory),
        ("RLIMIT_CPU", seconds + 1),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_NPROC", 0),
        ("RLIMIT_CORE", 0),
    ):
        with suppress(AttributeError, ValueError, OSError):  # not every system has each
            resource.setrlimit(getattr(resource, name), (value, value))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 2)  # ends it even where the parent is gone
