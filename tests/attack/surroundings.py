"""A hostile machine: little memory, no home, a clock that goes back, many files."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from attack import kills
from attack.command import WRONG, Said, start
from attack.forked import Forked, forked
from attack.seeds import Silent, generator

SECONDS, ENVIRONMENT = 300, {"OMP_NUM_THREADS": "1"}
LIMITED = """
import faulthandler, resource, sys
import similitude.cli, similitude.measures, similitude.engine, scipy.linalg
from similitude_start import main
if sys.argv.pop(1) == "exhausted":  # both copies of OpenBLAS have their buffers
    import numpy, scipy.special
    for module in (numpy.linalg, scipy.linalg):
        module.svd(numpy.ones((300, 300)) @ numpy.ones((300, 300)))
faulthandler.enable()
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
limit = used + int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
main()
"""
EARLIER = """
import time
now, shift = time.time, 86400 * 400
time.time = lambda: now() - shift
time.time_ns = lambda: int(time.time() * 1e9)
from similitude_start import main
main()
"""
OPENBLAS = (
    "OpenBLAS error: Memory allocation still failed after 10 retries, giving up.\n"
)
MANY = 10_000


def cases(full: bool) -> list[str]:
    if not full:
        return ["no home 0", "clock 0"]
    counts = {"memory": 16, "no home": 2, "clock": 4, "truncated": 60, "files": 1}
    return [f"{name} {i}" for name, count in counts.items() for i in range(count)]


def check(case: str, folder: Path) -> None:
    name, index = case.rsplit(" ", 1)
    shutil.rmtree(folder / "out", ignore_errors=True)
    ATTACKS[name](folder, int(index))


def memory(folder: Path, index: int) -> None:
    """Any limit of the address space: no row is wrong, and a rerun completes."""
    room = 2 ** generator("memory", index).uniform(0, 8)
    _limited(folder, "memory", room)


def exhausted(folder: Path, index: int) -> None:
    """As `memory`, but a smaller limit, that numpy and our code meet in their work.

    It is tried on request only: numpy itself can crash (docs/security.md).
    """
    _limited(folder, "exhausted", 1 + 0.2 * index)


def _limited(folder: Path, name: str, mib: float) -> None:
    expected, *_ = kills.uninterrupted("compare", folder)
    out = folder / "out"
    command = kills.command("compare", folder, out)
    said = _python(LIMITED, name, str(int(mib * 2**20)), *command)
    # Without memory for its buffers, OpenBLAS itself ends the process.
    if not (name == "memory" and said == (1, said.out, OPENBLAS)):
        assert said.code in {0, 2, 3}, said
        assert not any(wrong in said.err + said.out for wrong in WRONG), said
    if said.code == 2:
        assert said.err.startswith("error: "), said
        assert said.err.count("\n") == 1, said
    assert forked(*command).code == 0
    _same(kills.content("compare", out), expected)


def no_home(folder: Path, index: int) -> None:
    """Without HOME, or with one that cannot be written."""
    expected, *_ = kills.uninterrupted("compare", folder)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("XDG")}
    environment.pop("HOME", None)
    if index:
        environment["HOME"] = "/proc/none"
    said = start(*kills.command("compare", folder, folder / "out"), env=environment)
    assert said.code == 0, said
    _same(kills.content("compare", folder / "out"), expected)


def clock(folder: Path, index: int) -> None:
    """A run is continued, or its store is read, more than a year earlier."""
    name = ("compare", "stitch", "store", "extract")[index]
    expected, *_ = kills.uninterrupted(name, folder)
    out = folder / "out"
    assert forked(*kills.command(name, folder, out)).code == 0
    said = _python(EARLIER, *kills.command(name, folder, out))
    assert said.code == 0, said
    _same(kills.content(name, out), expected)


def truncated(folder: Path, index: int) -> None:
    """A file becomes shorter while it is read: refused, or the score of the whole."""
    rng = generator("truncated", index)
    suffix = (".npy", ".safetensors", ".npz", "store")[index % 4]
    x = np.random.default_rng(0).normal(size=(200_000, 16))
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    np.save(work / "other.npy", x[:, ::-1])
    file = work / f"x{suffix}"
    if suffix == ".safetensors":
        from safetensors.numpy import save_file

        save_file({"h": x}, file)
    elif suffix == "store":
        np.save(work / "x.npy", x)
        assert forked("store", "add", file, work / "x.npy").code == 0
    else:
        (np.save if suffix == ".npy" else np.savez)(file, x)
    shard = max(file.rglob("rows-*.npy"), default=None) if file.is_dir() else file
    assert shard is not None
    size = shard.stat().st_size
    options = ("-m", "cka", "--permutations", "0", "--json")
    command = ("compare", file, work / "other.npy", *options)
    last = 0.0
    with Forked(*command) as whole:  # its modules, and the time that it takes
        while whole.running():
            last = max(last, whole.processor_seconds())
            time.sleep(0.001)
    moment = rng.uniform(0, last)
    with Forked(*command) as process:
        while process.running() and process.processor_seconds() < moment:
            time.sleep(0.001)
        os.truncate(shard, int(rng.integers(size)))
        said = process.wait()
    if said.code == 0:
        # The score of the whole files; cka of rows in another column order is 1.
        if '"score": 1.0' not in said.out and '"score": 0.99999' not in said.out:
            raise Silent(said.out[:300])
        return
    assert said.code in {2, 3}, said
    assert "Traceback" not in said.err, said


def files(folder: Path, index: int) -> None:
    """Ten thousand files: added, listed, and compared with one of them."""
    work = folder / "many"
    work.mkdir()
    x = np.random.default_rng(0).normal(size=(MANY, 6, 2)).astype("f4")
    for i in range(MANY):
        np.save(work / f"r{i}.npy", x[i])
    options = ("-m", "cka", "--permutations", "0", "--reference", "r0", "--json")
    said = start("compare", work, *options)
    assert said.code == 0, said.err[:2000]
    assert said.out.count('"score"') >= MANY - 1


def _python(code: str, *arguments: object) -> Said:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def _same(found: object, expected: object) -> None:
    if found != expected:
        raise Silent("the results differ")


ATTACKS: dict[str, Callable[[Path, int], None]] = {
    "memory": memory,
    "exhausted": exhausted,
    "no home": no_home,
    "clock": clock,
    "truncated": truncated,
    "files": files,
}
