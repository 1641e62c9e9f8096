"""Generate `similitude/_measure_functions.py`: `make tables` runs this module.

Type checkers need a list of names, and `similitude` shows functions but no records.
"""

import types
from pathlib import Path

import similitude
from similitude import measures

PATH = Path(similitude.__file__).parent / "_measure_functions.py"
HEAD = '"""Functions of all measures, for `similitude`; `make tables` writes it."""\n\n'


def page() -> str:
    others = {"cite", "find_measure", "measures_of_inputs", "summary"}
    names = sorted(
        name
        for name, value in vars(measures).items()
        if isinstance(value, types.FunctionType) and name[0] != "_"
    )
    lines = [f"from .measures import {n} as {n}\n" for n in names if n not in others]
    return HEAD + "".join(lines)


if __name__ == "__main__":
    PATH.write_text(page())
