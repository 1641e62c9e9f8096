"""Kernels: imports in several threads, and installations without a cache folder."""

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba  # noqa: F401  # imported before the test, to exclude its import time
import pytest

import similitude
from similitude._base._compile import kernel, kernels


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


def test_one_thread_imports_kernels_at_a_time(tmp_path, monkeypatch) -> None:
    """Threads that compiled different modules waited for each other forever."""
    text = """
import os, time
before = os.environ.get("IMPORTING", "0")
os.environ["IMPORTING"] = str(int(before) + 1)
time.sleep(0.5)
os.environ["IMPORTING"] = before
"""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("IMPORTING", "0")
    names = ["first_kernels", "second_kernels"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(text)
    first = threading.Thread(target=kernels, args=(names[0],))
    first.start()
    while os.environ["IMPORTING"] == "0" and first.is_alive():
        time.sleep(0.001)
    assert kernels(names[1]).before == "0"
    first.join()
    for name in names:
        monkeypatch.delitem(sys.modules, name)


COMPARE = """
import os, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import similitude
assert similitude.__file__.startswith(sys.argv[1])
for folder in (sys.argv[1], os.environ["HOME"]):
    try:
        os.mkdir(os.path.join(folder, "new"))
    except PermissionError:
        continue
    raise AssertionError(f"{folder} is writable")
x = np.random.default_rng(0).normal(size=(12, 3))
print(float(similitude.rsa(x, x[:, :2], outer="kendall_a")))
from similitude._base._compile import kernels
print(kernels("similitude.topology._kernels._distances").are_distances)
"""

# Permissions do not bind root unless it gives up the capability to override them.
WITHOUT_OVERRIDE = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
if os.getuid() == 0:
    assert ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) == 0
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def test_read_only_install_without_a_cache_folder_compiles_in_memory(tmp_path) -> None:
    """The package and the home folder are read-only, and NUMBA_CACHE_DIR is not set."""
    install, home = tmp_path / "install", tmp_path / "home"
    home.mkdir()
    shutil.copytree(
        Path(similitude.__file__).parent,
        install / "similitude",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for folder in (home, install, *(p for p in install.rglob("*") if p.is_dir())):
        folder.chmod(0o555)
    unset = {"PYTHONPATH", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_OVERRIDE, "-c", COMPARE, str(install)],
        capture_output=True,
        text=True,
        env=environment | {"HOME": str(home)},
    )
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == 2
    assert run.stderr == (
        "similitude: kernels are compiled in memory, because no cache folder is "
        "writable; set NUMBA_CACHE_DIR to compile only once\n"
    )
    assert not list(install.rglob("*.nbc"))


def test_errors_other_than_a_missing_cache_are_raised() -> None:
    with pytest.raises(TypeError, match="is not a function"):
        kernel("float64(float64)")(abs)
