"""Run the controls of studies at the scale smoke, and record what holds in them.

    python lab/tools/controls.py [name ...]  # default: controls of changed sources

In a control the claim of a study is false: labels are shuffled, networks are not
trained, pairs are mixed. The verdict on it must be neither "reproduced" nor "direction
only". An order that also holds in the control does not count in the study's verdict.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from similitude_lab.study import STUDIES, StudyRecord, _controls, find_study, run_study
from similitude_lab.study._checks import COUNTED
from source_digest import source_digest

FILE = Path(_controls.__file__).with_name(_controls.FILE)
WRONG = ("reproduced", "direction only")


def control_entry(record: StudyRecord) -> dict[str, Any]:
    """The content of the file for one control."""
    judged = [check for check in record.checks if check.verdict in COUNTED]
    return {
        "control": record.control,
        "verdict": record.verdict,
        "fails": [c.key for c in judged if c.verdict == "differs"],
        "holds": [c.key for c in judged if c.verdict == "direction only"],
    }


def main(names: list[str]) -> int:
    known = json.loads(FILE.read_text())
    changed = [n for n in STUDIES if known.get(n, {}).get("source") != source_digest(n)]
    for name in names or changed:
        if not find_study(name).checks:
            continue  # a list of errata
        with tempfile.TemporaryDirectory() as out:
            record = run_study(name, scale="smoke", out=out, control=True)
        known[name] = control_entry(record) | {"source": source_digest(name)}
        print(f"{name}: {record.verdict}; {record.reason}", flush=True)
        ordered = {n: known[n] for n in STUDIES if n in known}
        FILE.write_text(json.dumps(ordered, indent=1) + "\n")
    return 1 if any(entry["verdict"] in WRONG for entry in known.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
