"""A stand-in for a Dask client, whose only worker is this process."""

import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

WORKER = SimpleNamespace(memory_manager=SimpleNamespace(memory_limit=None))


class Task:
    """A task that has ended."""

    def __init__(self, status: str, value: Any) -> None:
        self.status, self.value = status, value

    def add_done_callback(self, call: Callable[[Any], None]) -> None:
        call(self)

    def result(self, timeout: float) -> Any:
        return self.value

    def exception(self) -> Any:
        return self.value


class Here:
    """Computes each task at once, and records the pickled arguments.

    `faults` are the ends of the first tasks instead: errors, or "cancelled".
    """

    def __init__(self, *faults: Any) -> None:
        self.faults, self.sent, self.asked = list(faults), list[bytes](), 0

    def nthreads(self) -> dict[str, int]:
        return {"here": 1}

    def scheduler_info(self) -> dict[str, Any]:
        return {"workers": {"here": {"last_seen": self.asked}}}

    def run(self, function: Any, paths: list[str], **_: Any) -> dict[str, Any]:
        self.asked += 1
        return {"here": function(paths, WORKER)}

    def submit(self, function: Any, *arguments: Any, **options: Any) -> Any:
        if function is bytes:
            return arguments[0]
        if self.faults:
            fault = self.faults.pop(0)
            return Task("cancelled" if fault == "cancelled" else "error", fault)
        self.sent.append(pickle.dumps(arguments[1:]))
        return Task("finished", self.call(function, *arguments))

    def call(self, function: Any, *arguments: Any) -> Any:
        return function(*arguments)

    def cancel(self, tasks: Any) -> None:
        pass
