"""Processor seconds of each part of `make trust`, summed over its kept lines."""

from pathlib import Path

from ..common.json_lines import read_lines

PARTS = {
    "p under the null": "p_values.jsonl",
    "conformance": "conformance.jsonl",
    "coverage of intervals": "coverage/cases.jsonl",
    "errors of `diff`": "diff/parts.jsonl",
    "errors of `stimuli`": "stimuli/runs.jsonl",
    "errors of `migrate`": "migrate/cases.jsonl",
}


def spent(folder: Path) -> dict[str, float | None]:
    """The seconds of each part; None if it was not run, or a line has no seconds."""
    found = {}
    for part, name in PARTS.items():
        each = [line.get("seconds") for line in read_lines(folder / name)]
        found[part] = sum(each) if each and None not in each else None
    return found
