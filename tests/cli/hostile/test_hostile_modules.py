"""Python files beside the data are not imported by the command or its children."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest

# Modules that the parent, the Parquet reader and the workers import early.
NAMES = ("polars", "numpy", "joblib", "io", "cloudpickle", "pickle", "similitude")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two Parquet files, and modules that leave a trace when they are imported."""
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        columns = {f"c{i}": rng.normal(size=40) for i in range(3)}
        polars.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
    for name in NAMES:
        trace = tmp_path / f"{name}.imported"
        (tmp_path / f"{name}.py").write_text(f"open({str(trace)!r}, 'w').close()\n")
    return tmp_path


@pytest.mark.parametrize("workers", ["1", "2"])
def test_modules_beside_the_data_are_not_imported(folder: Path, workers: str) -> None:
    script = Path(sys.executable).parent / "similitude"
    command = [script, "compare", "a.parquet", "b.parquet", "-m", "cka,rsa"]
    done = subprocess.run(
        [*command, "--workers", workers, "-o", "out"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert sorted(path.name for path in folder.glob("*.imported")) == []
    assert done.returncode == 0, done.stderr
    assert "cka" in done.stdout
