"""Hard arrays for every measure: extreme scales, offsets, few rows, integer limits.

`failures` applies measures to them. The only allowed outcomes are a finite score, or a
`SimilitudeError` with a reason. `python tests/shared/hard_arrays.py` prints the
failures of all measures; set NUMBA_BOUNDSCHECK=1 to check the kernels as well.
"""

import itertools
import math
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from similitude import MEASURES, Outputs, SimilitudeError, SoftmaxModel
from similitude.measures import Measure

N = 24
SCALES = (1e300, 1e155, 1e-155, 1e-300, 5e-324)
OFFSETS = (1e8, 1e12, 1e15, 1e300)


def _draw(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Rows of two related representations: both use the same latent rows."""
    z = np.random.default_rng(0).normal(size=(n, 3))
    rng = np.random.default_rng([seed, d])
    return z @ rng.normal(size=(3, d)) + 0.5 * rng.normal(size=(n, d))


def _steep(x: np.ndarray, exponent: int) -> np.ndarray:
    """Column scales from 10**exponent down to 10**-exponent."""
    return x * np.logspace(exponent, -exponent, x.shape[1])


def _limits(dtype: str) -> np.ndarray:
    info = np.iinfo(dtype)
    found = np.random.default_rng(2).integers(
        info.min, info.max, (N, 5), dtype, endpoint=True
    )
    found[0], found[1] = info.min, info.max
    return found


def point_arrays() -> dict[str, np.ndarray]:
    """One hard array per name, with N rows unless the name says otherwise."""
    x = _draw(N, 5, 1)
    found = {f"scale {s:g}": x * s for s in SCALES}
    found |= {f"offset {s:g}": x + s for s in OFFSETS}
    found |= {f"float32 offset {s:g}": np.float32(x + s) for s in (1e4, 1e7, 1e30)}
    found |= {f"small spread at {s:g}": 1.0 + s * x for s in (1e-8, 1e-13, 1e-15)}
    found |= {f"column scales 1e+-{e}": _steep(x, e) for e in (8, 150, 300)}
    duplicated = x.copy()
    duplicated[N // 2 :] = x[: N // 2]
    one_outlier = x.copy()
    one_outlier[0, 0] = 1e300
    constant = x.copy()
    constant[:, 1], constant[:, 3] = 0.1, 1e300
    sparse = np.zeros((N, 5))
    sparse[0, 0] = 1e-320
    found |= {
        "plain": x,
        "zeros": np.zeros((N, 5)),
        "constant": np.full((N, 5), 0.1),
        "constant columns": constant,
        "one denormal": sparse,
        "one outlier": one_outlier,
        "alternating limits": np.where(x > 0, 1.0, -1.0) * np.finfo(float).max,
        "duplicated rows": duplicated,
        "all rows but one equal": np.where(np.arange(N)[:, None] == 0, x, x[1]),
        "rank 1": x[:, :1] * np.arange(1.0, 6.0),
        "rank 1, two values": np.where(x[:, :1] > 0, 1.0, -1.0) * np.ones(5),
        "nearly rank 1": x[:, :1] + 1e-12 * x,
        "one column": x[:, :1],
        "wide": _draw(N, 60, 1),
        "float16 limits": np.where(x > 0, 65504, -65504).astype(np.float16),
        "float32 limits": (np.sign(x) * np.finfo("f4").max).astype(np.float32),
        "float32 denormals": (x * 1e-44).astype(np.float32),
    }
    found |= {f"{t} limits": _limits(t) for t in ("int8", "int64", "uint64")}
    found["bool"] = x > 0
    return found


def point_pairs() -> Iterator[tuple[str, Any, Any]]:
    """Each hard array with an ordinary one, with itself, and with its own kind."""
    y = _draw(N, 4, 2)
    for name, x in point_arrays().items():
        yield name, x, y
        yield f"{name}, second", y, x
        yield f"{name}, both", x, x[::-1].copy()
        yield f"{name}, itself", x, x
    for n in (1, 2, 3):
        yield f"{n} rows", _draw(n, 5, 1), _draw(n, 4, 2)
        yield f"{n} rows, scale 1e300", 1e300 * _draw(n, 5, 1), _draw(n, 4, 2)
    yield "1 row, 1 column", np.ones((1, 1)), np.ones((1, 1))


def output_pairs() -> Iterator[tuple[str, Any, Any]]:
    """Outputs with probabilities 0 and 1, tiny probabilities, and few stimuli."""
    logits = 3.0 * _draw(N, 4, 1)
    targets = np.arange(N) % 4

    def outputs(values: np.ndarray) -> Outputs:
        shifted = values - values.max(axis=1, keepdims=True)
        log_probs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        return Outputs(log_probs, targets=targets[: len(values)])

    cases = {f"scale {s:g}": s * logits for s in (1.0, 1e3, 1e300, 1e-300)}
    certain = np.where(np.eye(4, dtype=bool)[targets], 0.0, -np.inf)
    cases |= {"certain": certain, "certain, other class": np.roll(certain, 1, axis=1)}
    cases |= {"one stimulus": logits[:1]}
    made = {name: outputs(values) for name, values in cases.items()}
    for (a, x), (b, y) in itertools.product(made.items(), repeat=2):
        if x.n == y.n:
            yield f"{a} and {b}", x, y


def softmax_pairs() -> Iterator[tuple[str, Any, Any]]:
    """Softmax models with extreme embeddings and unembeddings."""
    n, labels = 60, 5
    f, g = _draw(n, 2, 1), _draw(labels, 2, 2)
    models = {"plain": (f, g)}
    for s in (1e300, 1e155, 1e-155, 1e-300):
        models[f"embeddings {s:g}"] = (s * f, g)
        models[f"unembeddings {s:g}"] = (f, s * g)
        models[f"both {s:g}"] = (s * f, s * g)
        models[f"balanced {s:g}"] = (s * f, g / s)
    models["shifted"] = (f, g + 1e15)
    models["offset"] = (f + 1e15, g)
    models["steep"] = (f * [1e300, 1e-300], g * [1e-300, 1e300])
    models["zeros"] = (0 * f, g)
    models["one input"] = (f[:1], g)
    made = {name: SoftmaxModel(*parts) for name, parts in models.items()}
    for name, model in made.items():
        other = made["plain"] if model.n == n else model
        yield name, model, other
        yield f"{name}, second", other, model
        yield f"{name}, itself", model, model
    yield "opposite", made["both 1e+155"], SoftmaxModel(-1e155 * f, 1e155 * g)


PAIRS = {"points": point_pairs, "outputs": output_pairs, "softmax": softmax_pairs}


def outcome(measure: Measure, x: Any, y: Any) -> str | None:
    """A problem, or None if the outcome is allowed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            score = float(measure(x, y, rng=0))
    except SimilitudeError as error:
        text = str(error)
        return None if len(text) > 30 and "\n" not in text else f"no reason: {text}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if math.isfinite(score) else f"the score is {score}"


def failures(measures: Iterable[Measure] | None = None) -> tuple[int, list[str]]:
    """Apply measures to all hard arrays: the number of cases, and the failures."""
    tried, found = 0, []
    for measure in MEASURES.values() if measures is None else measures:
        for name, x, y in PAIRS[measure.domain]():
            tried += 1
            if (problem := outcome(measure, x, y)) is not None:
                found.append(f"{measure.label}, {name}: {problem}")
    return tried, found


if __name__ == "__main__":
    count, problems = failures()
    lines = [*problems, f"{count} cases, {len(problems)} failures"]
    sys.stdout.write("\n".join(lines) + "\n")
