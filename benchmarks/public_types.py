"""Check the types of all public names with pyright and mypy, both strict.

    python benchmarks/public_types.py [--pyright COMMAND]

A user's script names every public function and class of the package. Strict checkers
report each name whose type is not known.
"""

import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import similitude
from common.harness import command, report

SOURCE = Path(similitude.__file__).parents[1]


def public() -> list[str]:
    """`name` and `module.name` of all public names below `similitude`."""
    names = list(similitude.__all__)
    for module in dir(similitude):
        found = getattr(similitude, module)
        if module.startswith("_") or not isinstance(found, types.ModuleType):
            continue
        listed = getattr(found, "__all__", [n for n in dir(found) if n[0] != "_"])
        names += [
            f"{module}.{name}"
            for name in listed
            if not isinstance(getattr(found, name), types.ModuleType)
        ]
    return names


def check(pyright: str) -> dict[str, Any]:
    names = public()
    lines = ["import similitude as sim", *(f"reveal_type(sim.{n})" for n in names)]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text("\n".join(["# pyright: strict", *lines]) + "\n")
        settings = f'{{"extraPaths": ["{SOURCE}"], "include": ["script.py"]}}'
        (Path(folder) / "pyrightconfig.json").write_text(settings)
        texts = [
            subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout
            for words in (
                [pyright, "--pythonpath", sys.executable],
                [sys.executable, "-m", "mypy", "--strict", script.name],
            )
        ]
    return {
        "names": len(names),
        "seen by pyright": texts[0].count("- information: Type of"),
        "errors of pyright": re.findall(r"[:-] error: (.*)", texts[0]),
        "seen by mypy": texts[1].count("Revealed type is"),
        "errors of mypy": re.findall(r"[:-] error: (.*)", texts[1]),
    }


def show(found: dict[str, Any]) -> None:
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("--pyright", default="pyright", help="its command")
    options = parser.parse_args()
    report(check(options.pyright), show, as_json=options.json)
