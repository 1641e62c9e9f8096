"""Install the wheels in a new environment: use the library alone, then the lab.

The environment and all files are in a temporary folder. `--packages FOLDER` links the
third-party packages of another environment (its site-packages) instead of downloading
them; similitude always comes from its wheel.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
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
LAB = ("study list", "study run rtd/rings --scale smoke", "closeness --help")


class Environment:
    """A new environment; every call must succeed."""

    def __init__(self, folder: Path, packages: Path | None) -> None:
        self.folder, self.bin = folder, folder / "env" / "bin"
        venv.create(folder / "env", with_pip=True)
        self.extra = [] if packages is None else ["--no-deps"]
        if packages is not None:
            linked = folder / "packages"
            linked.mkdir()
            for path in packages.iterdir():
                if "similitude" not in path.name and path.suffix != ".pth":
                    (linked / path.name).symlink_to(path)
            (site,) = (folder / "env").glob("lib/python*/site-packages")
            (site / "packages.pth").write_text(f"{linked}\n")

    def run(self, *words: str | Path, code: int = 0, cwd: Path | None = None) -> str:
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
        if done.returncode != code:
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


def check(packages: Path | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = Environment(folder, packages)
        files = environment.install(ROOT, "[all,dev]")
        where = "import similitude; print(similitude.__file__)"
        origin = environment.run("python", "-c", where).strip()
        rng = np.random.default_rng(0)
        for side in ("a", "b"):
            np.save(folder / f"{side}.npy", rng.normal(size=(40, 4)).astype("float32"))
        np.save(folder / "labels.npy", np.arange(40) % 2)
        (folder / "net.py").write_text(NET)
        for words in COMMANDS:
            environment.run("similitude", *words.split())
        gallery = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
        for script in gallery:
            environment.run("python", script)
        blocks = "tests/documentation/test_code_blocks.py"
        pytest = ("python", "-m", "pytest", "-n0", blocks, "-k", "tutorial", "-p")
        tutorial = environment.run(*pytest, "no:cacheprovider", cwd=ROOT)
        without = environment.run("similitude", "study", "list", code=2)
        environment.install(ROOT / "lab")
        for words in LAB:
            environment.run("similitude", *words.split())
        return {
            "similitude": origin.removeprefix(name),
            "files": len(files),
            "files of the lab": sum("similitude_lab" in file for file in files),
            "commands": len(COMMANDS),
            "gallery": len(gallery),
            "tutorial": tutorial.strip().splitlines()[-1],
            "without the lab": without.strip(),
            "commands of the lab": len(LAB),
        }


def show(found: dict[str, Any]) -> None:
    for name, value in found.items():
        print(f"{name}: {value}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--packages", type=Path, help="site-packages to link")
    options = parser.parse_args()
    report(check(options.packages), show, as_json=options.json)


if __name__ == "__main__":
    main()
