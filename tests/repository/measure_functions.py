"""Generate `similitude/measures/_functions.py`: `make tables` runs this module.

Type checkers need a list of the functions that `similitude` gets from records.
"""

from pathlib import Path

import similitude
from similitude import measures

PATH = Path(similitude.__file__).parent / "measures/_functions.py"
HEAD = '"""Functions of measures, for type checkers; `make tables` writes it."""\n\n'


def page() -> str:
    lines = [f"from . import {n} as {n}\n" for n in sorted(measures.RECORDS)]
    return HEAD + "".join(lines)


if __name__ == "__main__":
    PATH.write_text(page())
