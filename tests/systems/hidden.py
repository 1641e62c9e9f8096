"""Hide from the package what Linux has and another system does not.

`make systems` runs the quick tests with HIDDEN_SYSTEM=macos and HIDDEN_SYSTEM=windows,
which conftest.py reads. Only modules of the package are affected: the tests, pytest,
numpy and the standard library work as before. It is a simulation: file systems,
terminals and libraries are those of Linux.

- Imports of modules that the system does not have fail.
- `os`, `signal`, `resource` and `sys` are stand-ins without the functions and constants
  of other systems, and with the names of this one.
- Files of /proc and /sys do not exist. On Windows folders cannot be opened, and an open
  file is neither replaced nor removed.
"""

import builtins
import os
import sys
import types
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = ("similitude", "similitude_lab", "similitude_start")
_FORK = "fork forkpty register_at_fork killpg getpgid setsid wait3 wait4 nice"
_USERS = "getuid geteuid getgid getegid chown lchown fchown setuid"
_UNIX_OS = (
    f"{_FORK} {_USERS} sysconf pathconf pread pwrite preadv pwritev sendfile statvfs "
    "fstatvfs uname getloadavg mkfifo mknod sync O_DIRECTORY O_NOFOLLOW O_CLOEXEC "
    "O_NONBLOCK fchdir confstr openpty ttyname ctermid posix_spawn fdatasync lockf"
)
_LINUX_OS = (
    "sched_getaffinity sched_setaffinity posix_fallocate posix_fadvise memfd_create "
    "copy_file_range pidfd_open getrandom O_TMPFILE O_DIRECT eventfd splice"
)
_UNIX_SIGNALS = (
    "SIGKILL SIGHUP SIGQUIT SIGPIPE SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGSTOP SIGCONT "
    "SIGWINCH SIGXCPU pthread_sigmask pthread_kill sigwait sigtimedwait sigpending "
    "alarm setitimer siginterrupt SIG_BLOCK SIG_SETMASK SIG_UNBLOCK"
)


@dataclass(frozen=True)
class System:
    """What one system does not have, and how it calls itself."""

    modules: frozenset[str]
    names: dict[str, frozenset[str]]  # of modules
    values: dict[str, dict[str, Any]]  # of modules
    locks_files: bool


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _no_limit(*arguments: object) -> None:
    raise ValueError("current limit exceeds maximum limit")  # as macOS says


SYSTEMS = {
    "macos": System(
        frozenset(),
        {"os": _set(_LINUX_OS), "signal": _set("sigtimedwait")},
        {"sys": {"platform": "darwin"}, "resource": {"setrlimit": _no_limit}},
        locks_files=False,
    ),
    "windows": System(
        _set("resource fcntl pwd grp termios tty pty posix readline syslog"),
        {"os": _set(f"{_UNIX_OS} {_LINUX_OS}"), "signal": _set(_UNIX_SIGNALS)},
        {"os": {"name": "nt"}, "sys": {"platform": "win32"}},
        locks_files=True,
    ),
}


class StandIn(types.ModuleType):
    """A module without some of its names, and with other values of some."""

    def __init__(
        self, module: types.ModuleType, hidden: frozenset[str], values: dict[str, Any]
    ) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(values, _module=module, _hidden=hidden)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_hidden"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self.__dict__["_module"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_module"], name, value)


def hide(name: str) -> None:
    """Hide for the rest of this process; before the package is imported."""
    imported = [m for m in sys.modules if m.partition(".")[0] in PACKAGES]
    assert not imported, f"imported too early: {imported}"
    system = SYSTEMS[name]
    stand_ins = {
        module: StandIn(
            __import__(module),
            system.names.get(module, frozenset()),
            system.values.get(module, {}),
        )
        for module in {*system.names, *system.values}
    }
    original = builtins.__import__

    def imports(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and _is_ours((globals or {}).get("__name__")):
            if name.partition(".")[0] in system.modules:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in stand_ins:
                return stand_ins[name]
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = imports
    sys.addaudithook(_Hook(locks_files=system.locks_files))


_INSIDE = ContextVar("inside the hook", default=False)
# They open folders on Linux only.
_OPEN_FOLDERS = ("shutil.py", "tempfile.py")


class _Hook:
    """Refuses what the system would refuse, if the package asks."""

    def __init__(self, *, locks_files: bool) -> None:
        self.locks_files = locks_files

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.rename", "os.remove") or _INSIDE.get():
            return
        token = _INSIDE.set(True)  # this hook opens files too
        try:
            if event == "open":
                self._open(arguments[0])
            elif self.locks_files:
                self._change(arguments[:2] if event == "os.rename" else arguments[:1])
        finally:
            _INSIDE.reset(token)

    def _open(self, path: Any) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        text = os.fsdecode(path)
        if text.startswith(("/proc/", "/sys/")) and _is_asked_by_us():
            raise FileNotFoundError(2, "No such file or directory", text)
        if self.locks_files and os.path.isdir(text) and _is_asked_by_us():
            raise PermissionError(13, "Permission denied", text)

    def _change(self, paths: tuple[Any, ...]) -> None:
        if not _is_asked_by_us():
            return
        for path in paths:
            text = os.path.realpath(os.fsdecode(path))
            if any(f"{file}/".startswith(f"{text}/") for file in _open_files()):
                raise PermissionError(13, "the file is used by a process", text)


def _open_files() -> Iterator[str]:
    """Files that are open or mapped into the memory."""
    for entry in Path("/proc/self/fd").iterdir():
        try:
            yield os.readlink(entry)
        except OSError:  # the listing itself
            continue
    for line in Path("/proc/self/maps").read_text().splitlines():
        yield line.partition("/")[1] + line.partition("/")[2]


def _is_ours(name: object) -> bool:
    return isinstance(name, str) and name.partition(".")[0] in PACKAGES


def _is_asked_by_us() -> bool:
    """Whether the nearest caller outside of the standard library is the package."""
    frame = sys._getframe(2)
    standard = os.path.dirname(os.__file__)
    while frame is not None:
        name, file = frame.f_globals.get("__name__"), frame.f_code.co_filename
        if _is_ours(name):
            return True
        inside = file.startswith(standard) and "site-packages" not in file
        if not (inside or file == __file__ or file.startswith("<frozen")):
            return False
        if file.endswith(_OPEN_FOLDERS):
            return False
        frame = frame.f_back
    return False
