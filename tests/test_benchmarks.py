"""Benchmarks are scripts: what stands beside one can be imported in place of others."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_no_script_stands_in_for_a_library() -> None:
    """Numba imports `coverage` if it finds one, and so found a benchmark of ours."""
    code = "import numba, torch, scipy.stats, sklearn, matplotlib, polars, joblib"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = ['benchmarks']; {code}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_names_are_not_those_of_python() -> None:
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert len(scripts) > 10
    assert not scripts & (sys.stdlib_module_names | {"coverage", "torch", "numba"})
