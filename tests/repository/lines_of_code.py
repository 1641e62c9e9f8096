"""Lines of code per room: without blanks, comments and docstrings.

python tests/repository/lines_of_code.py
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTER = {"networks", "latent", "compat"}  # all other rooms of the library are the core
_NOT_CODE = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT),
    *(tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER),
)
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lines_of_code(source: str) -> int:
    """Lines with code: those of tokens, without comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NOT_CODE:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node) is not None:
            text = node.body[0]
            lines -= {*range(text.lineno, (text.end_lineno or text.lineno) + 1)}
    return len(lines)


def files(root: Path = ROOT) -> dict[str, int]:
    """Lines of each file of library and lab."""
    return {
        str(path.relative_to(root)): lines_of_code(path.read_text())
        for folder in ("src", "lab/src", "lab/tools")
        for path in sorted((root / folder).rglob("*.py"))
    }


def rooms(counted: dict[str, int]) -> Counter[str]:
    """Lines of each room, of the core, the library and the lab."""
    found: Counter[str] = Counter()
    for name, lines in counted.items():
        parts = Path(name).parts
        if parts[0] == "lab":
            found["lab"] += lines
            continue
        room = parts[2] if len(parts) > 3 else "the root"
        found[room] += lines
        found["library"] += lines
        if room not in OUTER:
            found["core"] += lines
    return found


if __name__ == "__main__":
    for name, count in rooms(files()).most_common():
        sys.stdout.write(f"{count:7,}  {name}\n")
