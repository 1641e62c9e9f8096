"""Check that two versions of the lab compute the same numbers, bit by bit.

    python lab/tools/smoke_numbers.py write before.json [name ...]
    python lab/tools/smoke_numbers.py compare before.json after.json [name ...]

Every study runs at the scale smoke. A dump has the digest of each request, all values
as hexadecimal text, all cells of all tables, the notes, the sha256 of each figure, and
the digest of the study's source, which is not compared.
Set OMP_NUM_THREADS=1 for both.
"""

import csv
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    from similitude_lab import study as studies
    from source_digest import source_digest
except ImportError:  # commits before the lab
    from similitude import studies  # type: ignore[attr-defined, no-redef]

    source_digest = str


def dump(name: str, out: Path) -> dict[str, Any]:
    """Every number of one study; floats are hexadecimal text."""
    record = studies.run_study(name, scale="smoke", out=out)
    folder = Path(record.folder)
    tables = {file: cells(folder / file) for file in record.tables}
    figures = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.png"))
    }
    return {
        "source": source_digest(name),
        "request": record.request,
        "values": {key: float(value).hex() for key, value in record.values.items()},
        "tables": tables,
        "notes": list(record.notes),
        "figures": figures,
    }


def cells(path: Path) -> list[list[str]]:
    """The cells of a CSV file; numbers as hexadecimal text."""
    with path.open(newline="", encoding="utf-8") as file:
        return [[exact(cell) for cell in row] for row in csv.reader(file)]


def exact(cell: str) -> str:
    try:
        return float(cell).hex()
    except ValueError:
        return cell


def write(path: Path, names: list[str]) -> None:
    found = {}
    with tempfile.TemporaryDirectory() as out:
        for name in names or list(studies.STUDIES):
            found[name] = dump(name, Path(out))
            print(name, flush=True)
            path.write_text(json.dumps(found, indent=0))


def leaves(value: Any, where: str) -> dict[str, str]:
    """All strings in nested dicts and lists, by their place."""
    if isinstance(value, str):
        return {where: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = {where: f"{len(value)} entries"}
    for key, inner in items:
        found |= leaves(inner, f"{where}/{key}")
    return found


def compare(before: Path, after: Path, names: list[str]) -> int:
    """Print the differences and the counts; the exit code."""
    both = [json.loads(path.read_text()) for path in (before, after)]
    for found in (one for dump in both for one in dump.values()):
        found.pop("source", None)
    chosen = ({k: d[k] for k in names or d if k in d} for d in both)
    old, new = (leaves(one, "") for one in chosen)
    different = sorted(k for k in old.keys() | new.keys() if old.get(k) != new.get(k))
    for place in different[:50]:
        print(f"{place}: {old.get(place)} -> {new.get(place)}")
    kinds = ("values", "tables", "notes", "figures", "request")
    for kind in kinds:
        known = [k for k in old if f"/{kind}" in k]
        wrong = [k for k in different if f"/{kind}" in k]
        print(f"{kind}: {len(known)} compared, {len(wrong)} different")
    return 1 if different else 0


if __name__ == "__main__":
    action, first, *rest = sys.argv[1:]
    if action == "write":
        write(Path(first), rest)
    else:
        sys.exit(compare(Path(first), Path(rest[0]), rest[1:]))
