"""Install the wheels in new environments: without extras, with all, and with the lab.

Without extras, the first example of the README, `doctor` and `compare` run, and each
missing package is named with the command that installs it. `--core` ends after that.
Commands, the gallery, the blocks of code of the README and other pages, and the quick
tests run in a folder without the source tree. The environment and all files are in a
temporary folder; `--folder FOLDER` keeps them, and a rerun skips the finished parts.
`--packages FOLDER` links the third-party packages of another environment (its
site-packages) instead of downloading them; similitude always comes from its wheel.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.harness import command, report

ROOT = Path(__file__).parent.parent
NET = """
import torch

def net():
    return torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU())
"""
COMMANDS = (
    "--help",
    "doctor",
    "data list",
    "store add reps a.npy b.npy",
    "store list reps",
    "store verify reps",
    "compare reps -m cka -o out",
    "show out",
    "report out -o page.html",
    "latent align a.npy b.npy -m affine",
    "latent relative a.npy b.npy -a uniform:8 -o relative.npz",
    "latent stitch a.npy b.npy --labels labels.npy --seeds 0 -t robust -a 8 -o cells",
    "extract net.py:net --data a.npy --layers 0 -o acts",
    "diff net.py:net net.py:net --data a.npy",
)
# Their tests are not quick, and import the lab or the benchmarks.
SLOW = ("attack", "contract", "documentation", "repository")
# Without extras: the extra that the last line of the output must name.
NEEDS = {
    "report": "compare x.npy y.npy -m cka --report page.html",
    "plot": "compare x.npy y.npy -m cka --plot figure.png",
    "tables": "compare table.parquet y.npy",
    "hdf5": "compare table.h5 y.npy",
    "ot": "compare x.npy y.npy -m soft_matching",
    "onnx": "extract model.onnx --data x.npy -o acts",
    "torch": "diff net.py:net net.py:net --data x.npy",
}
LAB = ("study list", "study run rtd/rings --scale smoke", "closeness --help")


class Environment:
    """A new environment; every call must succeed."""

    def __init__(self, folder: Path, packages: Path | None) -> None:
        self.folder, self.bin = folder, folder / "env" / "bin"
        self.extra = [] if packages is None else ["--no-deps"]
        if self.bin.exists():
            return
        venv.create(folder / "env", with_pip=True)
        if packages is not None:
            linked = folder / "packages"
            linked.mkdir()
            for path in packages.iterdir():
                if "similitude" not in path.name and path.suffix != ".pth":
                    (linked / path.name).symlink_to(path)
            (site,) = (folder / "env").glob("lib/python*/site-packages")
            (site / "packages.pth").write_text(f"{linked}\n")

    def run(
        self, *words: str | Path, codes: tuple[int, ...] = (0,), cwd: Path | None = None
    ) -> str:
        # Nothing of the caller's environment decides which package is imported.
        kept = {"PATH", "HOME", "OMP_NUM_THREADS", "TMPDIR"}
        clean = {k: v for k, v in os.environ.items() if k in kept or "PIP" in k}
        done = subprocess.run(
            [self.bin / words[0], *words[1:]],
            cwd=cwd or self.folder,
            env=clean | {"MPLBACKEND": "Agg", "SIMILITUDE_CACHE": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in codes:
            raise SystemExit(
                f"{' '.join(map(str, words))} exited with {done.returncode}:\n"
                f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return done.stdout + done.stderr

    def install(self, project: Path, extras: str = "") -> list[str]:
        """Build the wheel of a project and install it; the names of its files."""
        dist = self.folder / f"dist-{project.name}"
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist]
        subprocess.run(build, cwd=project, check=True, capture_output=True)
        (wheel,) = dist.glob("*.whl")
        limits = ["-c", ROOT / "constraints.txt"]
        self.run("pip", "install", "-q", *limits, *self.extra, f"{wheel}{extras}")
        return zipfile.ZipFile(wheel).namelist()


def core(folder: Path, packages: Path | None) -> dict[str, Any]:
    """Use the wheel with nothing but the required packages."""
    folder.mkdir(exist_ok=True)
    environment = Environment(folder, packages)
    before = size(folder / "env")
    environment.install(ROOT)
    (wheel,) = folder.glob("dist-*/*.whl")
    found = {
        "size of the wheel": f"{wheel.stat().st_size / 1e6:.1f} MB",
        "size of the core": f"{(size(folder / 'env') - before) / 1e6:.0f} MB",
    }
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert block is not None
    (folder / "first.py").write_text(block[1])
    found["first example"] = environment.run("python", folder / "first.py").strip()
    found["doctor"] = environment.run("similitude", "doctor").splitlines()[-1]
    compare = ("similitude", "compare", "x.npy", "y.npy", "-m", "cka,mutual_knn")
    found["compare"] = environment.run(*compare).splitlines()[0]
    (folder / "net.py").write_text(NET)
    (folder / "table.parquet").write_bytes(b"PAR1" + bytes(16) + b"PAR1")
    (folder / "table.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(16))
    (folder / "model.onnx").touch()
    for extra, words in NEEDS.items():
        text = environment.run("similitude", *words.split(), codes=(2,)).strip()
        last = text.splitlines()[-1]
        if f"needs the extra {extra}: pip install " not in last:
            raise SystemExit(f"{words} does not name the extra {extra}: {last}")
        found[extra] = last
    return found


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def prepare(folder: Path) -> None:
    """The input of the commands, and the tests and pages without the source."""
    rng = np.random.default_rng(0)
    for side in ("a", "b"):
        np.save(folder / f"{side}.npy", rng.normal(size=(40, 4)).astype("float32"))
    np.save(folder / "labels.npy", np.arange(40) % 2)
    (folder / "net.py").write_text(NET)
    suite = folder / "suite"
    for name in ("tests", "docs", "examples"):
        kept = shutil.ignore_patterns("_build", "generated", "gallery", "__pycache__")
        ignore = None if name == "examples" else kept
        shutil.copytree(ROOT / name, suite / name, ignore=ignore, dirs_exist_ok=True)
    pages = ("README.md", "CONTRIBUTING.md", "src/similitude/store/FORMAT.md")
    for name in (*pages, "Makefile", "conftest.py", "pyproject.toml"):
        (suite / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, suite / name)


def check(folder: Path, packages: Path | None, *, core_only: bool) -> dict[str, Any]:
    suite, done = folder / "suite", folder / "done.json"
    found: dict[str, Any] = json.loads(done.read_text()) if done.exists() else {}
    environment = Environment(folder, packages)

    def part(name: str, work: Callable[[], Any]) -> None:
        if name not in found:
            found[name] = work()
            done.write_text(json.dumps(found))

    def each(words: Sequence[str]) -> int:
        for line in words:
            environment.run("similitude", *line.split())
        return len(words)

    def gallery() -> int:
        scripts = sorted((suite / "examples" / "gallery").glob("plot_*.py"))
        for script in scripts:
            environment.run("python", script)
        return len(scripts)

    def pytest(*words: str) -> str:
        options = ("-p", "no:cacheprovider", "-o", "pythonpath=tests")
        command = ("python", "-m", "pytest", *options, *words)
        text = environment.run(*command, cwd=suite)
        return text.strip().splitlines()[-1]

    def origin() -> str:
        where = "import similitude; print(similitude.__file__)"
        return environment.run("python", "-c", where).strip().removeprefix(str(folder))

    def without_lab() -> str:
        return environment.run("similitude", "study", "list", codes=(2,)).strip()

    part("core", lambda: core(folder / "core", packages))
    if core_only:
        return found
    part("files", lambda: len(environment.install(ROOT, "[all,dev]")))
    prepare(folder)
    part("similitude", origin)
    part("commands", lambda: each(COMMANDS))
    part("gallery", gallery)
    pages = "README or tutorial or index or from_disk or report_these"
    blocks = "tests/documentation/test_code_blocks.py"
    part("code blocks", lambda: pytest("-n0", "-rs", blocks, "-k", pages))
    left_out = [f"--ignore=tests/{name}" for name in SLOW]
    several = ("-n", "auto", "--dist", "worksteal", "-m", "quick and not data")
    part("quick tests", lambda: pytest(*several, "tests", *left_out))
    part("without the lab", without_lab)
    part("files of the lab", lambda: len(environment.install(ROOT / "lab")))
    part("commands of the lab", lambda: each(LAB))
    return found


def show(found: dict[str, Any]) -> None:
    for name, value in found.items():
        for key, text in value.items() if isinstance(value, dict) else [(name, value)]:
            print(f"{key}: {text}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--packages", type=Path, help="site-packages to link")
    parser.add_argument("--folder", type=Path, help="keep all files here, and resume")
    parser.add_argument("--core", action="store_true", help="only without extras")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = (options.folder or Path(name)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        found = check(folder, options.packages, core_only=options.core)
        report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
