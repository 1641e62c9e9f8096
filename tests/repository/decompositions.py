"""Every decomposition, inverse and rank cutoff in the code of library and lab.

A call is named by its module, function and name, without its folder. `LISTED` is the
file `decompositions.txt`, which says of each whether a score or a map divides by its
result, and which cutoff or check precedes the division.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = (ROOT / "src" / "similitude", ROOT / "lab" / "src" / "similitude_lab")
LISTED = Path(__file__).with_name("decompositions.txt")
# Of numpy, scipy, torch and the array API; then our own.
CALLS = set(
    "inv pinv solve lstsq matrix_rank cholesky cho_factor cho_solve solve_triangular "
    "eig eigh eigvals eigvalsh eigsh svd svds svdvals qr det slogdet cond null_space "
    "orth sqrtm lu_factor whiten ridge_factor ridge_basis principal_rows "
    "principal_by_gram ridge_by_gram whitened_by_gram spectra polar_factor".split()
)
SPECTRA = {"s", "singular_values", "values"}
LIMITS = {"eps", "error", "floor", "limit", "noise", "noise_level", "rtol"}
Key = tuple[str, str]


def in_code() -> Counter[Key]:
    found: Counter[Key] = Counter()
    for folder in CODE:
        for path in sorted(folder.rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            found.update(calls(tree, path.stem))
    return found


def calls(node: ast.AST, where: str) -> Iterator[Key]:
    """The place and the name of each call below `node`; "cutoff" for comparisons."""
    for child in ast.iter_child_nodes(node):
        inside = where
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inside = f"{where}.{child.name}"
        if isinstance(child, ast.Call) and (name := _name(child.func)) in CALLS:
            yield inside, str(name)
        if isinstance(child, ast.Compare) and _is_cutoff(child):
            yield inside, "cutoff"
        yield from calls(child, inside)


def _name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _is_cutoff(node: ast.Compare) -> bool:
    """Whether singular values or eigenvalues are compared with a rounding error."""
    left = node.left.value if isinstance(node.left, ast.Subscript) else node.left
    names = {_name(part) for right in node.comparators for part in ast.walk(right)}
    return _name(left) in SPECTRA and bool(LIMITS & names)


def listed() -> dict[Key, tuple[int, str]]:
    """Times and text of each line of the list."""
    found = {}
    for line in LISTED.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"(\S+) (\w+)(?: x (\d+))?: (.+)", line)
            assert match is not None, f"not a line of the list: {line}"
            found[match[1], match[2]] = int(match[3] or 1), match[4]
    return found
