"""Benchmark scripts do not shadow libraries: Python imports from a script's folder."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_libraries_can_be_imported_from_the_benchmarks_folder() -> None:
    """Numba imports `coverage` if it exists; a benchmark once had that name."""
    code = "import numba, torch, scipy.stats, sklearn, matplotlib, polars, joblib"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = ['benchmarks']; {code}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_benchmarks_do_not_have_names_of_standard_modules() -> None:
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert len(scripts) > 10
    assert not scripts & (sys.stdlib_module_names | {"coverage", "torch", "numba"})
