"""Run the scripts that measure error rates, and write the page of calibration.

    python -m benchmarks.trust.calibration --out FOLDER [--quick] [--page FILE]

p under the null is in FOLDER/p_values.jsonl (benchmarks/trust/p_values.py). Coverage of
intervals, and the error rates of diff, stimuli and migrate, are computed here by other
scripts, once: their results are kept in FOLDER. If FOLDER/migrate.jsonl exists
(benchmarks/migrate.py, which needs files of encoders), the page has its results too.
--collect runs nothing, and the page says what was not run. The exit status is 1 if
there are too many small p, or if a coverage is too low and not explained.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.harness import command
from ..common.json_lines import read_lines
from .calibration_page import TOO_MANY, page
from .coverage_page import UNEXPLAINED
from .spent import spent

SCRIPTS = Path(__file__).parents[1]
WRONG = (TOO_MANY, UNEXPLAINED)


@dataclass(frozen=True)
class Step:
    """A script that resumes, and its options for a quick and a full run."""

    script: str
    quick: tuple[str, ...]
    full: tuple[str, ...]


STEPS = {
    "coverage": Step("interval_coverage.py", ("--quick",), ("--short",)),
    "diff": Step("diff_errors.py", ("--quick",), ()),
    "stimuli": Step(
        "stimuli.py",
        ("--runs", "20", "--seeds", "8"),
        ("--runs", "200", "--seeds", "40"),
    ),
    "migrate": Step("migrate_errors.py", ("--runs", "40"), ("--runs", "300")),
}


def place(name: str, out: Path, *, quick: bool) -> Path:
    """Where the results of a quick or a full run are kept."""
    return out / f"{name}_{'quick' if quick else 'full'}.json"


def run(name: str, out: Path, *, quick: bool) -> None:
    """Run a script and keep its JSON, unless it is in the folder."""
    kept = place(name, out, quick=quick)
    if kept.exists():
        return
    part = kept.with_suffix(".part")
    part.write_text(_printed(name, out, quick=quick))
    part.rename(kept)


def _printed(name: str, out: Path, *more: str, quick: bool) -> str:
    """The JSON of a script."""
    step = STEPS[name]
    options = [*(step.quick if quick else step.full), *more]
    options += ["--folder", str(out / name)]
    print(f"{step.script} {' '.join(options)}", flush=True)
    command = [sys.executable, str(SCRIPTS / step.script), "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def collected(name: str, out: Path) -> Any:
    """The results of the full run, else of the quick run, else None.

    Finished cases of coverage and migrate, and finished parts of diff, are collected
    before all are.
    """
    for quick in (False, True):
        if (kept := place(name, out, quick=quick)).exists():
            return json.loads(kept.read_text())
        if name == "coverage" and (out / name).exists():
            found = json.loads(_printed(name, out, "--finished", quick=quick))
            if found["cases"]:
                return found
    if name == "migrate":
        cases = sorted(read_lines(out / name / "cases.jsonl"), key=lambda c: -c["runs"])
        return list({case["case"]: case for case in reversed(cases)}.values())[::-1]
    parts = sorted(read_lines(out / name / "parts.jsonl"), key=lambda p: p["runs"])
    return {part["part"]: part["found"] for part in parts} or None


def main() -> int:
    parser = command(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where results are")
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    parser.add_argument("--collect", action="store_true", help="run nothing")
    parser.add_argument("--page", type=Path, help="write the page to this file")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"p": read_lines(given.out / "p_values.jsonl")}
    for name in STEPS:
        if not given.collect:
            run(name, given.out, quick=given.quick)
        found[name] = collected(name, given.out)
    found["encoders"] = read_lines(given.out / "migrate.jsonl")
    found["seconds"] = spent(given.out)
    text = page(found)
    if given.page:
        given.page.write_text(text)
    if given.json:
        print(json.dumps(found))
    wrong = [line for line in text.splitlines() if any(w in line for w in WRONG)]
    print("\n".join(wrong) or "no unexplained error", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
