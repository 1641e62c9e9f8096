"""Run the controls of studies at the scale smoke, and record what holds in them.

    python lab/tools/controls.py [name ...]  # default: controls of changed sources

In a control the claim of a study is false: labels are shuffled, networks are not
trained, pairs are mixed. The verdict on it must be neither "reproduced" nor "direction
only". An order that also holds in the control does not count in the study's verdict.
The twin is the same run without this change. About an order that fails in both, the
control shows nothing.
"""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from similitude_lab.study import (
    STUDIES,
    Study,
    StudyRecord,
    _controls,
    _run,
    find_study,
    run_study,
)
from similitude_lab.study._checks import COUNTED
from similitude_lab.study._study import PLANTED
from source_digest import source_digest

FILE = Path(_controls.__file__).with_name(_controls.FILE)
WRONG = ("reproduced", "direction only")


def twin_of(study: Study) -> Study:
    """The study whose scale smoke is the twin of the control."""
    smoke = replace(study.settings["smoke"], **study.twin_setting)
    return replace(study, settings={**study.settings, "smoke": smoke})


def run_both(name: str, out: str | Path) -> tuple[StudyRecord, StudyRecord | None]:
    """The control and its twin; planted numbers need no twin."""
    study = find_study(name)
    control = run_study(name, scale="smoke", out=out, control=True)
    if study.control == PLANTED:
        return control, None
    with mock.patch.object(_run, "find_study", return_value=twin_of(study)):
        return control, run_study(name, scale="smoke", out=out)


def control_entry(control: StudyRecord, twin: StudyRecord | None) -> dict[str, Any]:
    """The content of the file for one control."""
    judged = [check for check in control.checks if check.verdict in COUNTED]
    fails = [check.key for check in judged if check.verdict == "differs"]
    also = {c.key for c in twin.checks if c.verdict == "differs"} if twin else set()
    return {
        "control": control.control,
        "verdict": control.verdict,
        "fails": fails,
        "holds": [c.key for c in judged if c.verdict == "direction only"],
        "fails in both": [key for key in fails if key in also],
    }


def main(names: list[str]) -> int:
    known = json.loads(FILE.read_text())
    changed = [n for n in STUDIES if known.get(n, {}).get("source") != source_digest(n)]
    for name in names or changed:
        if not find_study(name).checks:
            continue  # a list of errata
        with tempfile.TemporaryDirectory() as out:
            control, twin = run_both(name, out)
        entry = control_entry(control, twin)
        known = json.loads(FILE.read_text())
        known[name] = entry | {"source": source_digest(name)}
        print(f"{name}: {control.verdict}; {control.reason}", flush=True)
        for key in entry["fails in both"]:
            print(f"  fails in the twin as well: {key}", flush=True)
        ordered = {n: known[n] for n in STUDIES if n in known}
        FILE.write_text(json.dumps(ordered, indent=1) + "\n")
    return 1 if any(entry["verdict"] in WRONG for entry in known.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
