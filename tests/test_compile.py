"""Modules of kernels are handed out whole, also to a thread that asks meanwhile."""

import sys
import threading
import time

import numba  # noqa: F401  # its import is not what is waited for

from similitude._compile import kernels


def test_a_module_that_is_being_compiled_is_waited_for(tmp_path, monkeypatch) -> None:
    slow = "import time\ntime.sleep(0.3)\nanswer = 42\n"
    (tmp_path / "slow_kernels.py").write_text(slow)
    monkeypatch.syspath_prepend(tmp_path)
    first = threading.Thread(target=kernels, args=("slow_kernels",))
    first.start()
    while "slow_kernels" not in sys.modules:
        time.sleep(0.001)
    assert kernels("slow_kernels").answer == 42
    first.join()
    monkeypatch.delitem(sys.modules, "slow_kernels")
