"""Record that the source code of studies changed, and their numbers did not.

    python lab/tools/smoke_numbers.py write before.json         # before the change
    python lab/tools/study_sources.py same-numbers before.json [after.json]  # after it
    python lab/tools/study_sources.py new-version NAME ...      # with a new version

`same-numbers` runs each study whose source changed at the scale smoke, and compares all
its values and tables with the dump, bit by bit. A study in `after.json` with the
present source is not run again. The record is
lab/tests/study/sources.json; lab/tests/study/test_sources.py compares it with the code.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from similitude_lab.study import STUDIES, find_study
from smoke_numbers import dump
from source_digest import source_digest

RECORD = Path(__file__).parents[1] / "tests" / "study" / "sources.json"


def entry(name: str) -> dict[str, Any]:
    return {"version": find_study(name).version, "source": source_digest(name)}


def same_numbers(
    before: dict[str, Any], after: dict[str, Any], record: dict[str, Any]
) -> list[str]:
    """Record changed studies with equal numbers; the names of the others."""
    refused = []
    for name in STUDIES:
        found, old = entry(name), record.get(name)
        if found == old:
            continue
        if old is not None and found["version"] != old["version"]:
            refused.append(f"{name}: its version changed; use new-version.")
            continue
        numbers = after.get(name, {"source": None})
        if numbers["source"] != found["source"]:
            with tempfile.TemporaryDirectory() as out:
                numbers = dump(name, Path(out))
        if all(numbers[kind] == before[name][kind] for kind in ("values", "tables")):
            record[name] = found
            print(f"{name}: same numbers")
        else:
            refused.append(f"{name}: its numbers changed; raise Study.version.")
    return refused


def main() -> int:
    action, *rest = sys.argv[1:]
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    refused: list[str] = []
    if action == "same-numbers":
        dumps = [json.loads(Path(path).read_text()) for path in rest]
        refused = same_numbers(dumps[0], dumps[1] if dumps[1:] else {}, record)
    elif action == "new-version":
        for name in rest:
            if record.get(name, {"version": 0})["version"] >= entry(name)["version"]:
                refused.append(f"{name}: raise Study.version first.")
            else:
                record[name] = entry(name)
    else:
        refused = [f"{action!r} is not an action; see the top of this file."]
    ordered = {name: record[name] for name in STUDIES if name in record}
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n")
    print(*refused, sep="\n")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
