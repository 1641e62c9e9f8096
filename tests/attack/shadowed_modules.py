"""Python files of the current folder with the names of all modules: none is run."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

from attack import kills
from attack.sound_files import sound_files
from similitude.cli._commands import COMMANDS

SECONDS, ENVIRONMENT = 200, {"OMP_NUM_THREADS": "1"}
SCRIPT = str(Path(sys.executable).parent / "similitude")
BOTH = "x.npy other.npy"
MEASURED = "-m cka,rsa --permutations 3 -o new"
USES = {  # command -> arguments, in the folder of sound files
    "compare": f"{BOTH} {MEASURED} --workers 2",
    "compare --report": f"{BOTH} {MEASURED} --report new.html",
    "diff": "x.npy other.npy",
    "migrate": "many.npy many.npy -k 3",
    "show": "out --latex",
    "report": "out -o new.html",
    "advise": BOTH,
    "measures": "cka",
    "cite": "cka",
    "doctor": "",
    "data": "list",
    "layers": "net.py:make",
    "extract": "net.py:make --data inputs.npy -o new",
    "store": "verify store",
    "latent": "align x.npy other.npy -m affine",
    "latent stitch": f"{BOTH} --labels labels.npy -t cosine --seeds 0 -a 3 -o new",
    "study": "list",
    "study run": "measures/null --scale smoke --out new",
    "closeness": "figure synthetic_data --num-classes 4",
}


def cases(full: bool) -> list[str]:
    starts = [f"{how} | {name}" for how in ("script", "module") for name in USES]
    return starts if full else ["script | show", "module | advise"]


def check(case: str, folder: Path) -> None:
    how, name = case.split(" | ")
    missing = set(COMMANDS) - {one.split()[0] for one in USES}
    assert not missing, f"no arguments for {missing}"
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(sound_files(folder), work)
    (work / "net.py").write_text(kills.NETWORK)
    np.save(work / "inputs.npy", np.ones((12, 6), "f4"))
    np.save(work / "many.npy", np.random.default_rng(0).normal(size=(100, 4)))
    line = f"import os\nos.makedirs({str(work / 'executed')!r}, exist_ok=True)\n"
    # `python -m` imports some modules of Python itself before any line of ours.
    for module in _modules(ours_only=how == "module"):
        (work / f"{module}.py").write_text(line)
    start = [SCRIPT] if how == "script" else [sys.executable, "-m", "similitude"]
    words = [word for word in name.split() if not word.startswith("--")]
    command = [*start, *words, *USES[name].split()]
    # The tests are not among the modules that a user can import.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    with subprocess.Popen(
        command,
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _, err = process.communicate()
    assert not (work / "executed").exists(), "code was executed"
    assert "Traceback" not in err, err
    assert "this is a bug" not in err, err
    assert process.returncode in {0, 1, 4, 130}, err


@cache
def _modules(*, ours_only: bool) -> list[str]:
    """All modules that Python or an installed package could import."""
    installed = set(importlib.metadata.packages_distributions())
    own = set() if ours_only else set(sys.stdlib_module_names)
    names = (installed | own) - {"similitude", "similitude_start", "similitude_lab"}
    return sorted(name for name in names if name.isidentifier() and name != "net")
