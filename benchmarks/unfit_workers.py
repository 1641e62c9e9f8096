"""Runs on two Dask workers of which one is unfit, with what the command prints.

    python benchmarks/unfit_workers.py [--json]

In three runs, one worker does not see the store (no mount), has another version of
similitude, or has edited source code of the same version. Each run must exit with code
0, name the unfit worker with the reason, use only the other one, and give the table of
one process.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command, report
from similitude.store import open_store

DASK = str(Path(sys.executable).parent / "dask")
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
START = "from similitude_start import main; main()"
MEASURES = "cka,procrustes"
CASES = ("no mount", "another version", "edited code")


def installed(case: str, folder: Path) -> str:
    """A folder for the search path of the unfit worker."""
    folder.mkdir()
    if case == "another version":
        text = "import similitude\nsimilitude.__version__ = '0'\n"
        (folder / "sitecustomize.py").write_text(text)
    if case == "edited code":
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(
            Path(sim.__file__).parent, folder / "similitude", ignore=skipped
        )
        path = next((folder / "similitude").rglob("_procrustes.py"))
        path.write_text(path.read_text("utf-8") + "\n# edited\n", "utf-8")
    return str(folder)


def measured(case: str, folder: Path) -> dict[str, Any]:
    store, rng = open_store(folder / "reps", create=True), np.random.default_rng(0)
    for i in range(8):
        store.put(sim.Representation(f"r{i}", rng.standard_normal((200, 16))))
    file = folder / "scheduler.json"
    line = [DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    processes = [subprocess.Popen([*line, "--scheduler-file", str(file)], **QUIET)]
    try:
        while not file.exists() or not file.read_text().rstrip().endswith("}"):
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        paths = [installed(case, folder / "installed"), os.environ.get("PYTHONPATH")]
        unfit = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        # The path of the store is that of the current folder of each process.
        places = [(folder, {}), (folder, unfit)]
        if case == "no mount":
            places[1] = (folder / "installed", {})
        for cwd, environment in places:
            line = [DASK, "worker", address, "--nthreads", "1", "--no-nanny"]
            line += ["--no-dashboard", "--local-directory", str(folder / "dask")]
            processes.append(
                subprocess.Popen(line, cwd=cwd, env=os.environ | environment, **QUIET)
            )
        from distributed import Client

        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2)
        arguments = ["compare", "/proc/self/cwd/reps", "-m", MEASURES, "-o", "out"]
        arguments += ["--backend", "dask", "--scheduler", address]
        run = subprocess.run(
            [sys.executable, "-c", START, *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
        )
    finally:
        for process in processes:
            process.kill()
            process.wait()
    lines = run.stdout.splitlines()
    first = next((i for i, x in enumerate(lines) if "not used" in x), len(lines))
    writers = {int(p.stem.split("-")[-2]) for p in (folder / "out/parts").iterdir()}
    alone = sim.compare(folder / "reps", MEASURES.split(","), progress=None)
    return {
        "case": case,
        "exit code": run.returncode,
        "said": " ".join(" ".join(lines[first : first + 4]).split()),
        "only the healthy worker wrote rows": writers == {processes[1].pid},
        "equal to one process": sim.Results.load(folder / "out") == alone,
    }


def show(run: dict[str, Any]) -> None:
    lines = (f"{name}: {value}" for name, value in run.items())
    print(*lines, sep="\n    ", flush=True)


def main() -> None:
    options = command(__doc__).parse_args()
    found = []
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found.append(measured(case, Path(folder)))
        if not options.json:
            show(found[-1])
    report(found, lambda found: None, as_json=options.json)
    if not all(
        run["exit code"] == 0
        and "was not used" in run["said"]
        and run["equal to one process"]
        and run["only the healthy worker wrote rows"]
        for run in found
    ):
        sys.exit(1)


if __name__ == "__main__":
    main()
