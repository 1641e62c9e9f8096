"""Benchmark scripts do not shadow libraries: Python imports from a script's folder."""

import json
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


def test_coverage_of_intervals_resumes_after_a_stop(tmp_path: Path) -> None:
    """A line that was cut off is run again; finished cases are not."""
    script = ROOT / "benchmarks" / "interval_coverage.py"
    command = [sys.executable, script, "--runs", "2", "--only", "cka 0.5, d 3 + 3"]
    command += ["--folder", tmp_path, "--json"]
    first = subprocess.run(command, capture_output=True, text=True, check=True)
    (case,) = json.loads(first.stdout)["cases"]
    assert (case["runs"], case["withheld"]) == (2, 0)
    file = tmp_path / "cases.jsonl"
    changed = file.read_text().replace('"runs": 2', '"runs": 2, "kept": true')
    file.write_text(changed + changed.strip()[:40])
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["cases"] == [case | {"kept": True}]
