"""Change the source in one place at a time, and count the changes no test notices.

    python benchmarks/mutants.py [--module NAME ...] [--out FILE] [--limit N] [--json]

Each mutant changes one operator, comparison, sign, condition or number of a module, or
removes a call whose result is not used, such as a check. The tests of the module run on
it, in a child process whose functions have the new code. A mutant that no test notices
survives: a test is missing, or the change makes no difference. `EXPLAINED` has the
reason for the latter. Results are appended to the file (by default
bench/mutants.jsonl), and a rerun continues; `--again` repeats survivors.
"""

import ast
import copy
import importlib
import inspect
import json
import os
import resource
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.harness import command, report

ROOT = Path(__file__).resolve().parents[1]
TESTS = {  # module -> the tests that run on its mutants
    "similitude._linalg._center": "linalg/test_center.py linalg/test_linalg.py",
    "similitude._linalg._hsic": "linalg/test_hsic.py linalg/test_linalg.py",
    "similitude.stats._jackknife": "stats/test_jackknife.py",
    "similitude.stats._proportion_interval": "stats/test_proportion_interval.py",
    "similitude.identifiability._llv": (
        "identifiability/test_llv.py identifiability/test_distances.py"
    ),
}
SECONDS = 150  # processor seconds of a mutant that never ends; it counts as killed
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
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()  # such as a check that raises
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        larger = node.value + 1
        yield ast.Constant(larger if larger != node.value else 2 * node.value)
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


def plant(module: Any, source: str) -> None:
    """Give the functions and constants of an imported module the code of `source`."""
    fresh = dict.fromkeys(("__name__", "__package__", "__spec__"))
    fresh |= {name: getattr(module, name) for name in fresh}
    exec(compile(source, module.__file__, "exec"), fresh)
    for name, new in fresh.items():
        old = getattr(module, name, None)
        if getattr(new, "__module__", None) != module.__name__:
            if isinstance(new, int | float) and new != old:
                _replace_everywhere(name, old, new)
        elif isinstance(new, type):
            for part, value in vars(new).items():
                try:
                    _swap_code(vars(old).get(part), value)
                except ValueError:  # another closure, as in a class that is not frozen
                    setattr(old, part, value)
            for part in vars(old).keys() - vars(new).keys():
                delattr(old, part)
        else:
            _swap_code(old, new)


def _swap_code(old: Any, new: Any) -> None:
    """All importers have the same function object, so its code is replaced."""
    if isinstance(new, property):
        old, new = old.fget, new.fget
    if hasattr(old, "cache_clear"):
        old.cache_clear()
    old, new = _unwrap(old), _unwrap(new)
    if isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType):
        old.__code__, old.__defaults__ = new.__code__, new.__defaults__
        old.__kwdefaults__ = new.__kwdefaults__


def _unwrap(value: Any) -> Any:
    return inspect.unwrap(value) if callable(value) else value


def _replace_everywhere(name: str, old: Any, new: Any) -> None:
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("similitude"):
            if vars(module).get(name) is old:
                setattr(module, name, new)


class Mutants:
    """A pytest plugin: runs the collected tests once per mutant, each in a child.

    Tests that noticed earlier mutants run first, then the fastest.
    """

    def __init__(self, name: str, limit: int | None, done: set[str], out: Path) -> None:
        self.name, self.limit, self.done, self.out = name, limit, done, out
        self.noticed: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}

    def pytest_runtestloop(self, session: Any) -> bool:
        module = importlib.import_module(self.name)
        source = _source(self.name)
        failed, self.seconds = self.run(session, module, source)
        if failed:
            sys.exit(f"{self.name}: {failed} fails without a change.")
        for name, text in list(mutants(source))[: self.limit]:
            if name not in self.done:
                failed, _ = self.run(session, module, text)
                self.noticed[failed] += 1
                line = {"module": self.name, "mutant": name, "killed_by": failed}
                with self.out.open("a") as file:
                    file.write(json.dumps(line) + "\n")
        return True

    def run(
        self, session: Any, module: Any, source: str
    ) -> tuple[str, dict[str, float]]:
        """The first test that fails on this source, and the seconds of each test."""
        first, last = os.pipe()
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            answer = self.first_failure(session, module, source)
            with os.fdopen(last, "w") as pipe:
                json.dump(answer, pipe)
            os._exit(0)
        os.close(last)
        with os.fdopen(first) as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        return tuple(json.loads(text)) if text else ("the process ended", {})

    def first_failure(
        self, session: Any, module: Any, source: str
    ) -> tuple[str, dict[str, float]]:
        seconds = {}
        try:
            plant(module, source)
        except Exception:
            return "import", {}
        items = sorted(
            session.items,
            key=lambda item: (
                -self.noticed[item.nodeid],
                self.seconds.get(item.nodeid, 0),
            ),
        )
        for item, after in zip(items, [*items[1:], None], strict=True):
            start = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            seconds[item.nodeid] = time.process_time() - start
            if session.testsfailed:
                return item.nodeid, seconds
        return "", seconds


def run(
    modules: list[str], out: Path, limit: int | None, *, again: bool
) -> list[dict[str, Any]]:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.touch()
    if again:
        kept = [x for x in _lines(out) if x["killed_by"] or x["module"] not in modules]
        out.write_text("".join(json.dumps(line) + "\n" for line in kept))
    os.chdir(ROOT)
    sys.path.remove(str(ROOT / "benchmarks"))  # report.py is not tests/report
    for module in modules:
        done = {line["mutant"] for line in _lines(out) if line["module"] == module}
        files = [str(ROOT / "tests" / name) for name in TESTS[module].split()]
        options = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider"]
        child = os.fork()  # each module has its own session
        if not child:
            import pytest

            plugin = Mutants(module, limit, done, out)
            os._exit(int(pytest.main([*options, *files], [plugin])) not in (0, 5))
        if os.waitpid(child, 0)[1]:
            sys.exit(f"{module}: stopped.")
    names = {
        (module, name)
        for module in modules
        for name, _ in list(mutants(_source(module)))[:limit]
    }
    return [line for line in _lines(out) if (line["module"], line["mutant"]) in names]


def _source(module: str) -> str:
    path = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
    return ast.unparse(ast.parse(path.read_text()))


def _lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines()]


def show(found: list[dict[str, Any]]) -> None:
    for module in dict.fromkeys(line["module"] for line in found):
        lines = [line for line in found if line["module"] == module]
        left = [line["mutant"] for line in lines if not line["killed_by"]]
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
    parser.add_argument("--again", action="store_true", help="repeat survivors")
    arguments = parser.parse_args()
    found = run(arguments.module, arguments.out, arguments.limit, again=arguments.again)
    report(found, show, as_json=arguments.json)
