"""Count the lines of code of the library and of the lab, without blanks and comments.

Docstrings do not count either. `--files N` lists the N longest files, and `--folders`
the folders.
"""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path
from typing import Any

from common.harness import command, report

ROOT = Path(__file__).parent.parent
PACKAGES = {"library": "src", "lab": "lab/src"}
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


def count() -> dict[str, dict[str, int]]:
    """Lines of code by package and file."""
    return {
        name: {
            str(path.relative_to(ROOT / folder)): lines_of_code(path.read_text())
            for path in sorted((ROOT / folder).rglob("*.py"))
        }
        for name, folder in PACKAGES.items()
    }


def show(found: dict[str, dict[str, int]], files: int, *, folders: bool) -> None:
    for name, counts in found.items():
        print(f"{name}: {sum(counts.values()):,} lines of code, {len(counts)} files")
        longest = sorted(counts.items(), key=lambda item: -item[1])[:files]
        for path, lines in longest:
            print(f"  {lines:6,}  {path}")
        if folders:
            sums: Counter[str] = Counter()
            for path, lines in counts.items():
                sums["/".join(Path(path).parts[1:-1][:2])] += lines
            for folder, lines in sums.most_common():
                print(f"  {lines:6,}  {folder or '.'}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--files", type=int, default=3, metavar="N", help="longest")
    parser.add_argument("--folders", action="store_true", help="list the folders")
    options = parser.parse_args()

    def shown(found: Any) -> None:
        show(found, options.files, folders=options.folders)

    report(count(), shown, as_json=options.json)


if __name__ == "__main__":
    main()
