"""Check that two versions of the library compute the same values, bit by bit.

    python benchmarks/value_snapshot.py write before.json
    python benchmarks/value_snapshot.py compare before.json after.json [renames.json]

A snapshot has scores, null distributions, moments, details, rows of `compare` and the
JSON of the command line. Floats are hexadecimal text. An error is stored by its class,
since its wording may change. `renames.json` maps old option names and values to new:
{"measure": {"old": ["new", {"true": "squared"}]}}. Options that became options of a
value are listed with it: {"cka": {"kernel": {"rbf": ["fraction", "sigma"]}}}.
`value_snapshot.renames.json` is for snapshots of 0.1.0. Set OMP_NUM_THREADS=1 for both.
"""

import contextlib
import itertools
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command
from similitude import MEASURES, InvalidInput
from similitude.testing import _battery, _hard

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


def hexed(value: Any) -> Any:
    """Floats as hexadecimal text, arrays as lists of such text."""
    if isinstance(value, dict):
        return {str(k): hexed(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [hexed(v) for v in value]
    if isinstance(value, np.ndarray):
        return hexed(value.tolist())
    if isinstance(value, bool | str | int | None):
        return value
    return float(value).hex()


def guarded(function: Any) -> Any:
    """The result of the function, or the class of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return hexed(function())
    except Exception as error:
        return type(error).__name__


def variants() -> list[Any]:
    """Every measure with every claim-distinct and every named choice of options."""
    from contract.variants import VARIANTS

    return with_named(VARIANTS)


def with_named(listed: list[Any]) -> list[Any]:
    named = [v for m in MEASURES.values() for v in m.variants()]
    return list(dict.fromkeys([*listed, *named]))


def cases(domain: str) -> Iterator[tuple[str, Any, Any]]:
    for draw in (*_battery.draws(domain), *_battery.other_shapes(domain)):
        yield draw.name, draw.x, draw.y
    hard = {"points": _hard.POINTS, "outputs": _hard.OUTPUTS, "softmax": _hard.MODELS}
    for name, make in hard[domain].items():
        with contextlib.suppress(InvalidInput):
            yield name, *make()


def measure_values(measure: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, x, y in cases(measure.domain):
        found[f"{name} xy"] = guarded(lambda x=x, y=y: measure(x, y, rng=7))
        found[f"{name} yx"] = guarded(lambda x=x, y=y: measure(y, x, rng=7))
    draw = _battery.draws(measure.domain)[0]
    seed = np.random.SeedSequence(7)
    p, q, r = (measure.prepare(v, seed) for v in (draw.x, draw.y, draw.z))
    n = _battery.row_count(draw.x)
    orders = np.stack([np.random.default_rng(i).permutation(n) for i in range(5)])
    found["details"] = guarded(lambda: measure.details(p, q))
    found["all pairs"] = guarded(lambda: np.asarray(measure.compare_all([p, q, r])))
    for method, call in {
        "null": lambda: np.asarray(measure.null(p, q, orders)),
        "null_moments": lambda: measure.null_moments(p, q),
        "leave_out": lambda: measure.leave_out([p, q, r], [n // 4] * 4),
    }.items():
        offered = measure.offers("permute" if method == "null" else method)
        found[method] = guarded(call) if offered else "not offered"
    return found


ROW = ["score", "null_mean", "null_sd", "null_q95", "p", "q", "calibrated", "low"]
ROW += ["high", "permutations", "p_method", "status", "n", "advice", "baselines"]


def row_values(**options: Any) -> dict[str, Any]:
    reps = options.pop("reps")
    rows = sim.compare(reps, rng=3, **options).rows
    return {
        f"{row.label} {row.a} {row.b}": hexed({k: getattr(row, k) for k in ROW})
        for row in rows
    }


def engine_values() -> dict[str, Any]:
    found = {}
    for domain in ("points", "outputs", "softmax"):
        draw = _battery.draws(domain)[1]
        measures = [m for m in MEASURES.values() if m.domain == domain]
        reps = {"x": draw.x, "y": draw.y, "z": draw.z}
        for count in ("auto", 9):
            found[f"{domain} {count}"] = row_values(
                reps=reps, measures=measures, permutations=count
            )
    rng = np.random.default_rng(11)
    x, y, z = (np.array(v) for v in _battery.related(rng, 240, 5, 7, 6))
    blocks = np.repeat(np.arange(60), 4)
    chosen = ["cka", "linear_regression", "procrustes", "mean_cca", "rsa", "mutual_knn"]
    with_blocks = {
        k: sim.Representation(k, v, blocks=blocks)
        for k, v in {"x": x, "y": y, "z": z}.items()
    }
    found["blocks"] = row_values(reps=with_blocks, measures=chosen)
    twins = {"untrained": {k: rng.normal(size=(240, 4)) for k in "xyz"}}
    twins["seed"] = {"x": x + 0.1 * rng.normal(size=x.shape)}
    reps = {"x": x, "y": y, "z": z}
    found["baselines"] = row_values(reps=reps, measures=chosen, baselines=twins)
    found["inputs"] = row_values(reps=reps, measures=["cka"], inputs=x[:, :2])
    layers = {"m": {"l1": x, "l2": y}, "o": {"l1": z, "l2": x + y[:, :5]}}
    found["layers"] = row_values(reps=layers)
    many = {f"r{i}": x @ rng.normal(size=(5, 6)) for i in range(12)}
    found["many"] = row_values(reps=many, measures=["cka", "linear_regression", "rsa"])
    angular = [sim.measures.CKA(form="angular"), sim.measures.CKA(estimator="biased")]
    found["angular"] = row_values(reps=reps, measures=angular)
    return found


def command_values() -> dict[str, Any]:
    """The JSON of a fixed comparison, of the measures and of stitching."""
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(5)
        x, y, z = _battery.related(rng, 150, 6, 5, 7)
        for name, values in {"a": x, "b": y, "c": z}.items():
            np.save(Path(folder, f"{name}.npy"), values)
        np.save(Path(folder, "u.npy"), rng.normal(size=(150, 4)))
        script = "from similitude_start import main; main()"
        start = [sys.executable, "-c", script]
        given = ["a.npy", "b.npy", "c.npy"]
        calls = {
            "compare": ["compare", *given, "--baseline", "untrained=u.npy", "--json"],
            "rows": ["compare", *given, "--rows", "0:90", "-m", "cka,rsa", "--json"],
            "measures": ["measures", "--json"],
        }
        found = {}
        for name, arguments in calls.items():
            out = ["-o", f"out-{name}"] if arguments[0] == "compare" else []
            run = subprocess.run(
                [*start, *arguments, *out],
                cwd=folder,
                capture_output=True,
                text=True,
                check=True,
            )
            found[name] = strip(hexed(json.loads(run.stdout)))
        return found


def strip(document: Any) -> Any:
    """The document without fields that differ from run to run."""
    if isinstance(document, dict):
        return {k: strip(v) for k, v in document.items() if k not in {"seconds", "job"}}
    return [strip(v) for v in document] if isinstance(document, list) else document


def write(path: str) -> None:
    found: dict[str, Any] = {}
    for measure in variants():
        key = json.dumps([measure.name, measure.options], sort_keys=True)
        found[key] = measure_values(measure)
    document = {
        "measures": found,
        "engine": engine_values(),
        "command": command_values(),
    }
    Path(path).write_text(json.dumps(document, indent=1))
    count = sum(1 for v in itertools.chain(*map(dict.values, found.values())) if v)
    print(f"{len(found)} variants, {count} entries, {len(document['engine'])} tables")


def renamed(key: str, renames: dict[str, Any]) -> str:
    name, options = json.loads(key)
    changes = renames.get(name, {})
    kinds = {k: v for k, v in changes.items() if isinstance(v, dict)}
    moved = {o for kind in kinds.values() for own in kind.values() for o in own}
    result = {}
    for option, value in options.items():
        if option in moved:
            continue
        if option in kinds:
            own = {k: options[k] for k in kinds[option][value]}
            own = {k: v for k, v in own.items() if v is not None}
            if "sigma" in own:
                own.pop("fraction")
            inner = ", ".join(f"{k}={v!r}" for k, v in own.items())
            result[option] = f"{value}({inner})" if inner else value
            continue
        new, values = changes.get(option, [option, {}])
        text = value if isinstance(value, str) else json.dumps(value)
        result[new] = values.get(text, value)
    return json.dumps([name, result], sort_keys=True)


def compare(before: str, after: str, renames: str | None = None) -> None:
    old, new = (json.loads(Path(p).read_text()) for p in (before, after))
    changes = {} if renames is None else json.loads(Path(renames).read_text())
    wrong, same, gained = [], 0, []
    for key, values in old["measures"].items():
        new_values = new["measures"].get(renamed(key, changes))
        if new_values is None:
            wrong.append(f"missing: {renamed(key, changes)}")
            continue
        for name, value in values.items():
            if new_values.get(name) == value:
                same += 1
            elif value == "not offered" or (name == "details" and value == {}):
                gained.append(f"{key}: {name}")
            else:
                wrong.append(f"{key}: {name}: {value} -> {new_values.get(name)}")
    for table, rows in old["engine"].items():
        for key, row in rows.items():
            other = new["engine"][table].get(key)
            if other is None:
                wrong.append(f"missing: {table}: {key}")
                continue
            for name, value in row.items():
                if other.get(name) == value:
                    same += 1
                elif value is None and name != "score":
                    gained.append(f"{table}: {key}: {name}")
                else:
                    wrong.append(f"{table}: {key}: {name}: {value} -> {other}")
    print(f"{same} entries are the same, {len(gained)} gained, {len(wrong)} differ")
    for line in [*sorted({g[:110] for g in gained})[:40], *wrong[:60]]:
        print(line[:400])
    for name, document in old["command"].items():
        _differences(name, document, new["command"][name])
    sys.exit(1 if wrong else 0)


def _differences(where: str, old: Any, new: Any) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            if key not in new or key not in old:
                side = "old only" if key in old else "new only"
                value = str(old.get(key, new.get(key)))[:80]
                print(f"json {where}.{key}: {side}: {value}")
            else:
                _differences(f"{where}.{key}", old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            _differences(f"{where}[{i}]", a, b)
    elif old != new:
        print(f"json {where}: {str(old)[:80]} -> {str(new)[:80]}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("task", choices=["write", "compare"])
    parser.add_argument("files", nargs="+", help="one file to write, or two to compare")
    options = parser.parse_args()
    {"write": write, "compare": compare}[options.task](*options.files)


if __name__ == "__main__":
    main()
