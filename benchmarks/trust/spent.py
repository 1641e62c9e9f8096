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


def spent(folder: Path) -> dict[str, tuple[float, int, int]]:
    """Of each part: its seconds, the lines that have seconds, and all lines."""
    found = {}
    for part, name in PARTS.items():
        lines = read_lines(folder / name)
        each = [line["seconds"] for line in lines if "seconds" in line]
        found[part] = (sum(each), len(each), len(lines))
    return found
