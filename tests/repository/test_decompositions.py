"""The list of decompositions is that of the code, and cutoffs have one unit."""

import ast
import re

from repository.decompositions import CODE, calls, in_code, listed

CUTOFFS = ("rank", "storage", "certified", "ridge", "checked", "by the next cutoff")


def test_the_list_has_every_decomposition_and_cutoff_of_the_code() -> None:
    expected = {key: times for key, (times, _) in listed().items()}
    found = dict(in_code())
    missing = sorted(set(found.items()) - set(expected.items()))
    gone = sorted(set(expected.items()) - set(found.items()))
    assert not missing, f"add to decompositions.txt: {missing}"
    assert not gone, f"remove from decompositions.txt: {gone}"


def test_each_line_says_whether_the_code_divides_and_by_which_cutoff() -> None:
    for (place, name), (_, text) in listed().items():
        if text.startswith("divides, "):
            assert text.removeprefix("divides, ").startswith(CUTOFFS), place
        elif name != "cutoff":
            assert re.match("does not divide|divides only|not linear", text), place


def test_pseudo_inverses_are_those_of_the_library() -> None:
    """numpy's own `pinv`, `lstsq` and `matrix_rank` have other cutoffs."""
    used = {key for key in in_code() if key[1] in ("pinv", "lstsq", "matrix_rank")}
    assert {place for place, _ in used} >= {"_svd.pinv"}
    for folder in CODE:
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Attribute) and node.attr in (
                    "pinv",
                    "lstsq",
                    "matrix_rank",
                ):
                    own = ast.unparse(node) == "_linalg.pinv"
                    assert own or path.name == "_svd.py", f"{path}: {node.lineno}"


def test_planted_calls_are_found() -> None:
    text = """
class A:
    def f(self, m):
        s = np.linalg.svdvals(m)
        return pinv(m), np.sum(s > 1e-9 * _array.eps(m)), s > 0
"""
    found = [name for _, name in calls(ast.parse(text), "_new")]
    assert found == ["svdvals", "pinv", "cutoff"]
