"""Mypy sees the public names of the lazily imported package and their signatures."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import similitude

pytestmark = pytest.mark.types

SCRIPT = """
import numpy as np
import similitude as sim

x, y = np.ones((2, 9, 3))
found = sim.compare({"x": x, "y": y})
reveal_type(sim.cka)
reveal_type(sim.cka(x, y))
reveal_type(sim.compare)
reveal_type(sim.plots.plot_matrix)
reveal_type(found.matrix)
reveal_type(sim.plots.plot_layers(found, models=("a", "b")))
reveal_type(found.table)
reveal_type(found.plot)
reveal_type(sim.measures.CKA(kernel=sim.measures.RBF()))
reveal_type(sim.__version__)
score = sim.cka(x, y)
numbers = -score, abs(score), 1 / score, 1 - score**2, np.sqrt(score), np.mean([score])
sim.ckaa(x, y)
sim.cka(x, y, estimator="none")
found.tabel()
"""


def test_mypy_sees_signatures_and_reports_mistakes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    source = str(Path(similitude.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", script.name],
        cwd=tmp_path,
        env={"MYPYPATH": source, "PYTHONPATH": source, "COLUMNS": "1000"},
        capture_output=True,
        text=True,
    )
    types = re.findall(r'Revealed type is "(.*)"', done.stdout)
    parts = (
        "def (Any, Any, *, kernel: "
        "similitude.measures.kernel_alignment._kernels.Kernel | str =",
        "similitude._base._array.Score",
        "-> similitude.engine._results.Results",
        "def (results: similitude.engine._results.Results, measure: str | None =, *, "
        "value: str =, order: Literal['given'] | Literal['cluster'] | "
        "typing.Sequence[str] =, vmin: float | None =,",
        "def (measure: str, value: str =) -> "
        "similitude.engine.tables._labelled.LabelledMatrix",
        "matplotlib.axes._axes.Axes",
        "def (width: int | None =, *, header: bool =, long: bool =) -> str",
        "def (measure: str | None =, **options: Any) -> ",
        "CKA",
        "str",
    )
    assert len(types) == len(parts), done.stdout + done.stderr
    for shown, part in zip(types, parts, strict=True):
        assert part in shown
    assert types[3].endswith("-> matplotlib.axes._axes.Axes")
    mistakes = re.findall(r"error: .*?\[([\w-]+)\]", done.stdout)
    assert mistakes == ["attr-defined", "arg-type", "attr-defined"], done.stdout
