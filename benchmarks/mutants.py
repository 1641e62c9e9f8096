"""Change the source in one place at a time, and count the changes no test notices.

    python benchmarks/mutants.py [--module NAME ...] [--out FILE] [--limit N] [--json]

Each mutant changes one operator, comparison, sign, condition or number of a module. The
tests of the module run on it, in a child process. A mutant that no test notices
survives: a test is missing, or the change makes no difference. `EXPLAINED` has the
reason for the latter. Results are appended to the file (by default
bench/mutants.jsonl), and a rerun continues.
"""

import ast
import copy
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.harness import command, report

ROOT = Path(__file__).resolve().parents[1]
TESTS = {  # module -> the tests that run on its mutants, the fastest first
    "similitude._linalg._center": (
        "linalg/test_linalg.py linalg/test_class_centering.py"
        " linalg/test_permutation.py measures/test_numerics.py"
        " measures/kernel_alignment/test_cka.py"
    ),
    "similitude._linalg._hsic": (
        "linalg/test_linalg.py measures/kernel_alignment/test_cka.py"
        " measures/kernel_alignment/test_distance_correlation.py"
        " measures/kernel_alignment/test_deconfounded_cka.py linalg/test_leave_out.py"
    ),
    "similitude.stats._jackknife": (
        "stats/test_neighbor_intervals.py stats/test_heavy_tails.py"
        " stats/test_near_one.py stats/test_coverage.py"
    ),
    "similitude.stats._proportion_interval": (
        "stats/test_neighbor_intervals.py engine/test_sampled_queries.py"
        " stats/test_coverage.py"
    ),
    "similitude.identifiability._llv": (
        "identifiability/test_llv.py identifiability/test_distances.py"
        " measures/softmax/test_likelihood.py"
    ),
}
SECONDS = 400  # of a mutant that never ends; it counts as killed
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.FloorDiv: ast.Div},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.And: ast.Or, ast.Or: ast.And},
}
EXPLAINED: dict[str, str] = json.loads(
    (Path(__file__).parent / "common" / "mutants_explained.json").read_text()
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Copies of the node with one change."""
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
        changed = copy.deepcopy(node)
        changed.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        yield changed
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        other = copy.deepcopy(node)
        other.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[call-overload]
        yield other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Name and source of each mutant."""
    count = sum(1 for _ in ast.walk(ast.parse(source)))
    seen: Counter[str] = Counter()
    for i in range(count):
        node = list(ast.walk(ast.parse(source)))[i]
        for changed in changes(node):
            tree = ast.parse(source)
            nodes = list(ast.walk(tree))
            target, parents = nodes[i], nodes[:i]
            for parent in parents:
                for field, value in ast.iter_fields(parent):
                    if value is target:
                        setattr(parent, field, changed)
                    elif isinstance(value, list) and target in value:
                        value[value.index(target)] = changed
            if _in_annotation(nodes, target):
                continue
            name = f"{ast.unparse(node)} -> {ast.unparse(changed)}"
            seen[name] += 1
            text = ast.unparse(ast.fix_missing_locations(tree))
            yield f"{name} ({seen[name]})" if seen[name] > 1 else name, text


def _in_annotation(nodes: list[ast.AST], target: ast.AST) -> bool:
    """Annotations are never evaluated for their value."""
    for node in nodes:
        for field in ("annotation", "returns"):
            part = getattr(node, field, None)
            if part is not None and any(inner is target for inner in ast.walk(part)):
                return True
    return False


class Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a given source."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.module:
            return None
        place = ROOT / "src" / Path(*name.split(".")).with_suffix(".py")
        return importlib.util.spec_from_loader(name, self, origin=str(place))

    def exec_module(self, module: Any) -> None:
        exec(compile(self.source, module.__spec__.origin, "exec"), module.__dict__)


def survives(module: str, source: str) -> bool:
    """Whether all tests of the module pass on this source."""
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.chdir(ROOT)
        sys.meta_path.insert(0, Planted(module, source))
        import pytest

        files = [str(ROOT / "tests" / name) for name in TESTS[module].split()]
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
        try:
            code = int(pytest.main([*options, *files]))
        except BaseException:
            code = 1
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def run(modules: list[str], out: Path, limit: int | None) -> list[dict[str, Any]]:
    import numpy  # noqa: F401  # the children share what is imported here
    import pytest  # noqa: F401
    import torch  # noqa: F401

    out.parent.mkdir(parents=True, exist_ok=True)
    done = {}
    if out.exists():
        lines = map(json.loads, out.read_text().splitlines())
        done = {(line["module"], line["mutant"]): line for line in lines}
    found = []
    for module in modules:
        path = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
        source = ast.unparse(ast.parse(path.read_text()))
        if (module, "") not in done:
            if not survives(module, source):
                sys.exit(f"{module}: its tests fail without a change.")
            done[module, ""] = {}
        for name, text in list(mutants(source))[:limit]:
            line = done.get((module, name))
            if line is None:
                line = {"module": module, "mutant": name}
                line["survived"] = survives(module, text)
                with out.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            found.append(line)
    return found


def show(found: list[dict[str, Any]]) -> None:
    for module in dict.fromkeys(line["module"] for line in found):
        lines = [line for line in found if line["module"] == module]
        left = [line["mutant"] for line in lines if line["survived"]]
        open_ = [name for name in left if f"{module}: {name}" not in EXPLAINED]
        print(
            f"{module}: {len(lines)} mutants, {len(lines) - len(left)} killed, "
            f"{len(left)} survive, {len(open_)} without an explanation"
        )
        for name in left:
            print(f"    {name}: {EXPLAINED.get(f'{module}: {name}', '?')}")


if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("--module", nargs="+", choices=TESTS, default=list(TESTS))
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "mutants.jsonl")
    parser.add_argument("--limit", type=int, help="mutants per module")
    arguments = parser.parse_args()
    found = run(arguments.module, arguments.out, arguments.limit)
    report(found, show, as_json=arguments.json)
