"""Measure which branches of six packages their tests take, in all processes.

    python benchmarks/branches.py [--package NAME ...] [--out FOLDER] [--page FILE]

The tests of each package run file by file under coverage.py, which also measures the
processes that they start. Compiled kernels are left out: coverage cannot see them, and
their tests compare them with a reference in Python. Data of finished files are kept in
the folder (by default bench/branches), and a rerun continues. `--page` writes the table
into a page of the documentation; rows of packages that are not measured stay there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from common.harness import command, report

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "similitude"
PACKAGES = ("measures", "topology", "identifiability", "align", "store", "engine")
LEAST = 92  # percent of the branches
OTHERS = {  # test files outside of tests/PACKAGE
    "measures": (
        "tests/linalg/test_hsic.py",
        "tests/engine/test_sampled_queries.py",  # query_rows=
        "tests/cli/test_measures_cite_doctor.py",  # names, aliases and citations
        "tests/stats/test_few_rows.py",  # scores of reweighted rows
        "tests/contract/test_contract.py",  # every measure and variant
    ),
}
SETTINGS = """
[run]
branch = true
parallel = true
patch = subprocess, _exit
sigterm = true
source = {source}
omit = */_kernels/*, */*_kernels.py
data_file = {data}
disable_warnings = module-not-measured, no-data-collected, module-not-imported

[report]
exclude_also =
    if TYPE_CHECKING:
    raise NotImplementedError
    @(abc\\.)?abstractmethod
    class .*Protocol\\b.*:
    def .*: \\.\\.\\.$
"""
MARKS = ("<!-- branches -->", "<!-- end of branches -->")


def files(package: str) -> list[str]:
    found = sorted((ROOT / "tests" / package).rglob("test_*.py"))
    names = [str(path.relative_to(ROOT)) for path in found]
    return [*names, *OTHERS.get(package, ())]


def run(package: str, out: Path) -> None:
    """Run the test files that have no data yet, as many at once as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = list(
            filter(None, pool.map(partial(_run, package, out), files(package)))
        )
    if failed:
        sys.exit("\n".join(failed))


def _run(package: str, out: Path, name: str) -> str | None:
    """Run a test file; the end of what it prints if it fails."""
    key = name.removeprefix("tests/").replace("/", ".").removesuffix(".py")
    folder = out / package / key
    if (folder / "done").exists():
        return None
    shutil.rmtree(folder, ignore_errors=True)  # data of a stopped run
    folder.mkdir(parents=True)
    settings = folder / "settings"
    settings.write_text(SETTINGS.format(data=folder / "data", source=SOURCE))
    options = ["-n", "0", "-q", "-p", "no:cacheprovider", "--no-header"]
    # On a full disk, coverage.py cannot write either.
    options += ["-k", "not test_full_disk"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "coverage", "run", f"--rcfile={settings}"),
            *("-m", "pytest", *options, "-m", "not data and not site", name),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 5):
        return f"{name}: {done.stdout[-2000:]}{done.stderr[-1000:]}"
    (folder / "done").write_text(done.stdout[-200:])
    return None


def measured(package: str, out: Path) -> dict[str, Any]:
    """Lines and branches of the package, and its files with most missing branches."""
    settings, data = out / package / "settings", out / package / "all"
    settings.write_text(
        SETTINGS.format(data=data, source=SOURCE).replace("parallel = true", "")
    )
    base = [sys.executable, "-m", "coverage"]
    parts = [str(path) for path in (out / package).rglob("data.*")]
    rc = f"--rcfile={settings}"
    quiet = {"capture_output": True, "check": True, "cwd": ROOT}
    subprocess.run([*base, "combine", "--keep", "-q", rc, *parts], **quiet)
    table = out / f"{package}.json"
    inside = f"--include=*/similitude/{package}/*"
    subprocess.run([*base, "json", "-q", rc, inside, "-o", str(table)], **quiet)
    found = json.loads(table.read_text())
    missing = {
        name: (one["summary"]["missing_branches"], one["missing_branches"])
        for name, one in found["files"].items()
        if one["summary"]["missing_branches"]
    }
    total = found["totals"]
    return {
        "package": package,
        "test files": len(files(package)),
        "lines": total["num_statements"],
        "lines run": 100 * total["covered_lines"] / total["num_statements"],
        "branches": total["num_branches"],
        "branches taken": 100 * total["covered_branches"] / total["num_branches"],
        "missing": dict(sorted(missing.items(), key=lambda item: -item[1][0])),
    }


HEAD = """\
| package | lines | lines run | branches | branches taken |
|---|---|---|---|---|
"""


def row(one: dict[str, Any]) -> str:
    return (
        f"| `{one['package']}` | {one['lines']:,} | {one['lines run']:.1f} % | "
        f"{one['branches']:,} | {one['branches taken']:.1f} % |\n"
    )


def paged(text: str, found: list[dict[str, Any]]) -> str:
    """A page whose table has the new rows; rows of other packages stay."""
    first, last = MARKS
    old = re.search(f"{first}.*?{last}", text, re.S)
    assert old is not None, f"the page has no marks {MARKS}"
    rows = {name: f"{line}\n" for line, name in re.findall(r"(\| `(\w+)` .*)", old[0])}
    rows |= {one["package"]: row(one) for one in found}
    table = HEAD + "".join(rows[name] for name in PACKAGES if name in rows)
    return text.replace(old[0], f"{first}\n\n{table}\n{last}")


def show(found: list[dict[str, Any]]) -> None:
    print(HEAD + "".join(map(row, found)))
    for one in found:
        if one["branches taken"] < LEAST:
            print(f"{one['package']} is below {LEAST} %:")
            for name, (count, where) in list(one["missing"].items())[:20]:
                lines = ", ".join(f"{a}-{b}" for a, b in where[:12])
                print(f"  {count:3}  {name.split('similitude/', 1)[1]}: {lines}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--package", nargs="+", choices=PACKAGES, default=PACKAGES)
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "branches")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    options = parser.parse_args()
    for package in options.package:
        run(package, options.out.resolve())
    found = [measured(package, options.out.resolve()) for package in options.package]
    if options.page is not None:
        options.page.write_text(paged(options.page.read_text(), found))
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
