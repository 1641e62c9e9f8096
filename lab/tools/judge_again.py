"""Judge committed results again: values stay, checks and lessons are the present ones.

    python lab/tools/judge_again.py

A result of an earlier version of a study keeps its values. Its verdict is "not
comparable" until the study is run again.
"""

import sys
from dataclasses import replace
from pathlib import Path

from similitude.store import write_sealed_json
from similitude_lab.study import StudyRecord, find_study, read_records
from similitude_lab.study._checks import judge_all, overall
from similitude_lab.study._controls import held_in_control

RESULTS = Path(__file__).parents[1] / "results"


def judged(record: StudyRecord) -> StudyRecord:
    """The same values with the present checks."""
    study = find_study(record.study)
    described = {
        name: getattr(study, name)
        for name in ("title", "paper", "where", "claim", "errata", "lesson")
    }
    old = record.version != study.version
    values = record.values
    known = [
        check
        for check in study.checks
        if check.quantity in values
        and (not isinstance(getattr(check, "than", 0.0), str) or check.than in values)
    ]
    checks = judge_all(
        tuple(known), values, record.scale, held_in_control(record.study)
    )
    verdict, reason = overall(checks, record.complete)
    if old:
        checks = [replace(check, verdict="not comparable") for check in checks]
        verdict = "not comparable"
        reason = (
            f"computed with version {record.version} of the study; version "
            f"{study.version} waits for training"
        )
    return replace(
        record, **described, checks=tuple(checks), verdict=verdict, reason=reason
    )


def main() -> int:
    for record in read_records(RESULTS):
        again = replace(judged(record), folder=record.folder)
        write_sealed_json(record.folder / "result.json", again.to_json())
        print(f"{record.study} ({record.scale}): {record.verdict} -> {again.verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
