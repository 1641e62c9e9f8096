"""A thread that requests kernels during their import gets the complete module."""

import sys
import threading
import time

import numba  # noqa: F401  # imported before the test, to exclude its import time

from similitude._compile import kernels


def test_kernels_waits_for_an_import_in_another_thread(tmp_path, monkeypatch) -> None:
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
