"""The transcripts in docs/transcripts.md: commands, their files, and their output.

`make transcripts` writes the page, and a test compares it with the current output. To
add a transcript, add a `Scene` to `SCENES`: a title, an explanation, a command, and a
function that writes the files of the command into a folder.
"""

import contextlib
import io
import os
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

from similitude.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "transcripts.md"
WIDTHS = (80, 120)


@dataclass(frozen=True)
class Scene:
    """A command, and the files that it reads."""

    title: str
    text: str
    command: str
    write_files: Callable[[Path], None]


def rows(seed: int, d: int, noise: float, n: int = 200) -> np.ndarray:
    """Random linear maps of eight variables that all representations share."""
    shared = np.random.default_rng(0).normal(size=(n, 8))
    rng = np.random.default_rng(seed)
    return shared @ rng.normal(size=(8, d)) + noise * rng.normal(size=(n, d))


def two_files(folder: Path) -> None:
    np.save(folder / "resnet.npy", rows(1, 64, 2.0).astype("f4"))
    np.save(folder / "vit.npy", rows(2, 48, 2.0).astype("f4"))


def shuffled(folder: Path) -> None:
    two_files(folder)
    order = np.random.default_rng(3).permutation(200)
    np.save(folder / "vit.npy", np.load(folder / "vit.npy")[order])


def transposed(folder: Path) -> None:
    two_files(folder)
    np.save(folder / "vit.npy", np.load(folder / "vit.npy").T)


def two_seeds(folder: Path) -> None:
    for kind, noise in (("trained", 1.0), ("untrained", 3.0)):
        (folder / kind).mkdir()
        for seed in range(2):
            layers = {
                f"layer{i}": rows(1000 * int(noise) + 10 * seed + i, 8 * i, noise * i)
                for i in (1, 2, 3)
            }
            np.savez(folder / kind / f"seed{seed}.npz", **layers)


def thirty(folder: Path) -> None:
    (folder / "encoders").mkdir()
    for i in range(30):
        values = rows(i, 10 + i % 5, 0.5 + 0.1 * i, n=40)
        np.save(folder / "encoders" / f"encoder{i:02}.npy", values)


SCENES = (
    Scene(
        "Two files",
        "The header shows what is compared. Then each measure has a line of numbers, "
        "and the meaning of its score.",
        "similitude compare resnet.npy vit.npy",
        two_files,
    ),
    Scene(
        "Rows in another order",
        "The rows of one file are shuffled. All scores are at their null, and a "
        "warning says so.",
        "similitude compare resnet.npy vit.npy",
        shuffled,
    ),
    Scene(
        "A transposed file",
        "One file has stimuli in its columns.",
        "similitude compare resnet.npy vit.npy",
        transposed,
    ),
    Scene(
        "Two seeds with three layers, and their untrained twins",
        "Each file is a model, and each of its arrays is a layer. A measure has one "
        "grid of layers of the first model against layers of the second, with the null "
        "and the untrained twins next to it. The sentence below a grid names the layer "
        "that differs most.",
        "similitude compare trained/ --baseline untrained=untrained/",
        two_seeds,
    ),
    Scene(
        "Thirty representations and six measures",
        "435 pairs do not fit a terminal. The table shows quartiles, and the most and "
        "the least similar pairs. `--long` prints all pairs.",
        "similitude compare encoders/",
        thirty,
    ),
)


def transcripts(scene: Scene) -> Iterator[tuple[int, str]]:
    """The output of the command at each width; an error if it fails."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        scene.write_files(Path(name))
        for width in WIDTHS:  # later widths reuse the results of the first
            out, err = io.StringIO(), io.StringIO()
            settings = {"COLUMNS": str(width), "SIMILITUDE_PROGRESS": "off"}
            with (
                mock.patch.dict(os.environ, settings),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                contextlib.suppress(SystemExit),
            ):
                main(shlex.split(scene.command)[1:])
            yield width, (out.getvalue() or err.getvalue()).rstrip("\n")


def page() -> str:
    parts = [
        "# Transcripts\n\n<!-- blocks of this page are not run: tests/repository/"
        "test_transcripts.py compares them -->\n\n"
        "Output of `similitude compare` in terminals of 80 and 120 "
        "columns. A test runs each command and\ncompares its output with this page; "
        "`make transcripts` writes the page. The data are random.\n"
    ]
    for scene in SCENES:
        parts.append(f"## {scene.title}\n\n{textwrap.fill(scene.text, 108)}\n")
        for width, text in transcripts(scene):
            lines = [f"$ {scene.command}", *text.splitlines()]
            shown = "\n".join(f"    {line}".rstrip() for line in lines)
            parts.append(f"{width} columns:\n\n{shown}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.exit(0)
