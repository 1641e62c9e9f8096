"""The page docs/encoders.md: the examples with real encoders, and their output.

`make encoders` runs the examples and writes the page. They need the data sets and the
weights in the cache, and some minutes; `make data-tests` compares the page with the
current output.
"""

import importlib.metadata
import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from similitude.networks.data import find_dataset, find_encoder

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "encoders.md"
WIDTH = 80
INTRODUCTION = (
    "Two examples compare pretrained encoders, with the commands of "
    "[extraction](extraction.md). The weights come from Python packages; the packages "
    "are not installed, and their code is not run. `make encoders` writes this page, "
    "and `make data-tests` checks it."
)


@dataclass(frozen=True)
class Scene:
    """An example, and the names in the cache and packages that it needs."""

    title: str
    script: str
    datasets: tuple[str, ...]
    encoders: tuple[str, ...]
    packages: tuple[str, ...]

    def missing(self) -> str:
        """The reason why the example cannot run here; empty if it can."""
        entries = [
            *map(find_dataset, self.datasets),
            *map(find_encoder, self.encoders),
        ]
        absent = [entry.name for entry in entries if not entry.present]
        if absent:
            names = " ".join(absent)
            return f"not in the cache: run `similitude data fetch {names}`"
        for package in self.packages:
            try:
                importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                return f"the package {package} is not installed"
        return ""

    def versions(self) -> str:
        """The versions of packages, and the release of data that change over time."""
        names = ("numpy", "scikit-learn", *self.packages)
        found = [f"{name} {importlib.metadata.version(name)}" for name in names]
        releases = [
            find_dataset(name).files().manifest.release for name in self.datasets
        ]
        return ", ".join(
            [f"Python {platform.python_version()}", *found, *filter(None, releases)]
        )


SCENES = (
    Scene(
        "Two encoders of images",
        "examples/encoders/images.py",
        ("cifar10",),
        ("mobilenet_v2", "thin_resnet50"),
        ("torch", "onnxruntime", "pillow"),
    ),
    Scene(
        "A sentence encoder and word counts",
        "examples/encoders/texts.py",
        ("debian_descriptions",),
        ("minilm",),
        ("torch", "transformers"),
    ),
)


def output(scene: Scene, folder: Path) -> str:
    """What the example prints; representations in the folder are used again."""
    examples = folder / "examples"  # so that paths in commands do not depend on it
    if not examples.is_symlink():
        examples.symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, scene.script],
        cwd=folder,
        env=os.environ | {"COLUMNS": str(WIDTH), "SIMILITUDE_PROGRESS": "off"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.rstrip("\n")


def section(scene: Scene, folder: Path) -> str:
    """The part of the page about one example."""
    fetched = " ".join([*scene.datasets, *scene.encoders])
    lines = output(scene, folder).splitlines()
    shown = "\n".join(f"    {line}".rstrip() for line in lines)
    return (
        f"## {scene.title}\n\n    similitude data fetch {fetched}\n"
        f"    python {scene.script}\n\n"
        + textwrap.fill(f"With {scene.versions()}.", 108)
        + f"\n\n{shown}\n"
    )


def printed(scene: Scene) -> str:
    """The output on the page: all indented lines after the versions."""
    text = PAGE.read_text().split(f"## {scene.title}\n")[1].split("\n## ")[0]
    block = re.search(r"^With (?:.*\n)+?\n((?:    .*\n|\n)+)", text, re.M)
    assert block, scene.title
    return textwrap.dedent(block[1]).strip("\n")


def write(folder: Path) -> None:
    """Write the page; sections of examples that cannot run here are kept."""
    old = PAGE.read_text() if PAGE.exists() else ""
    mark = "<!-- blocks of this page are not run: `make data-tests` runs them -->"
    introduction = textwrap.fill(INTRODUCTION, 108)
    parts = [f"# Real encoders\n\n{mark}\n\n{introduction}\n"]
    for scene in SCENES:
        reason = scene.missing()
        kept = re.search(rf"^## {scene.title}\n.*?(?=^## |\Z)", old, re.M | re.S)
        if reason and kept:
            sys.stderr.write(f"{scene.title}: kept, because {reason}\n")
            parts.append(kept[0].rstrip("\n") + "\n")
        elif reason:
            raise SystemExit(f"{scene.title}: {reason}")
        else:
            parts.append(section(scene, folder))
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    if len(sys.argv) > 1:  # a folder with representations of an earlier run
        write(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            write(Path(name))
