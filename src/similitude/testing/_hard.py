"""Hard cases: a finite number in range or a clear error, never NaN, never a crash."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidInput, SimilitudeError, Undefined
from ..measures import Invariance, Measure, closure
from ._battery import draws, reorder
from ._values import gap, in_range, score

Case = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def _pair(rng: np.random.Generator, n: int, d1: int, d2: int) -> tuple:
    shared = rng.normal(size=(n, 3))
    x = shared @ rng.normal(size=(3, d1)) + 0.5 * rng.normal(size=(n, d1))
    return x, shared @ rng.normal(size=(3, d2)) + 0.5 * rng.normal(size=(n, d2))


def _rank_deficient(rng: np.random.Generator) -> tuple:
    x, y = _pair(rng, 40, 4, 5)
    return x @ rng.normal(size=(4, 9)), y


def _dead_units(rng: np.random.Generator) -> tuple:
    x, y = _pair(rng, 40, 6, 5)
    x[:, 1], x[:, 4], y[:, 0] = 0.0, 0.1, 1e3  # 0.1 has no exact mean
    return x, y


def _duplicate_rows(rng: np.random.Generator) -> tuple:
    x, y = _pair(rng, 40, 6, 5)
    x[10:20], y[5:15] = x[:10], y[15:25]
    return x, y


def _duplicate_columns(rng: np.random.Generator) -> tuple:
    x, y = _pair(rng, 40, 6, 5)
    return x[:, [0, 1, 2, 3, 3, 3]], y[:, [0, 0, 1, 2, 2]]


def _constant(rng: np.random.Generator) -> tuple:
    x, y = _pair(rng, 40, 6, 5)
    return np.full_like(x, 0.1), y


def _one_row_differs(rng: np.random.Generator) -> tuple:
    x, y = _pair(rng, 40, 6, 5)
    x[1:] = x[1]
    return x, y


def _equidistant(rng: np.random.Generator) -> tuple:
    _, y = _pair(rng, 12, 6, 5)
    return np.eye(12), y


CASES: dict[str, Case] = {
    "fewer rows than columns": lambda rng: _pair(rng, 20, 50, 30),
    "wide against narrow": lambda rng: _pair(rng, 30, 45, 2),
    "narrow against wide": lambda rng: _pair(rng, 30, 2, 45),
    "one column": lambda rng: _pair(rng, 40, 1, 1),
    "rank-deficient": _rank_deficient,
    "dead units": _dead_units,
    "duplicate rows": _duplicate_rows,
    "duplicate columns": _duplicate_columns,
    "one row": lambda rng: _pair(rng, 1, 3, 3),
    "two rows": lambda rng: _pair(rng, 2, 3, 3),
    "three rows": lambda rng: _pair(rng, 3, 3, 3),
    "four rows": lambda rng: _pair(rng, 4, 6, 8),
    "constant": _constant,
    "all rows but one equal": _one_row_differs,
    "equidistant rows": _equidistant,
}


def check_hard_cases(measure: Measure) -> None:
    """Each case gives a number in range, or an error that explains itself."""
    if measure.domain != "points":
        return
    for name, case in CASES.items():
        x, y = case(np.random.default_rng(5))
        for a, b in ((x, y), (y, x)):
            try:
                value = score(measure, a, b)
            except Undefined as error:
                assert len(str(error)) > 30, f"{name}: {error} explains nothing"
                continue
            assert np.isfinite(value), f"{name}: the score is {value}"
            in_range(measure, value, name)


def check_offset_and_scale(measure: Measure) -> None:
    """A claimed invariance also holds far away: at large offsets and tiny scales."""
    if measure.domain != "points":
        return
    claims = measure.claims()
    x, y = _pair(np.random.default_rng(5), 40, 6, 5)
    expected = score(measure, x, y)
    for side, atoms in (("x", claims.invariant_x), ("y", claims.invariant_y)):
        follows = closure(atoms)
        far: dict[str, tuple[Invariance, Callable[[np.ndarray], np.ndarray]]] = {
            "an offset of 1e3": (Invariance.TRANSLATION, lambda v: v + 1e3),
            "a scale of 1e-4": (Invariance.ISOTROPIC_SCALE, lambda v: v * 1e-4),
            "a scale of 1e-90": (Invariance.ISOTROPIC_SCALE, lambda v: v * 1e-90),
            "a scale of 1e90": (Invariance.ISOTROPIC_SCALE, lambda v: v * 1e90),
        }
        for what, (atom, move) in far.items():
            if atom not in follows:
                continue
            a, b = (move(x), y) if side == "x" else (x, move(y))
            moved = gap(score(measure, a, b), expected)
            assert moved <= 1e-7, f"{what} in {side} moves the score by {moved:.3g}"


def check_refusals(measure: Measure) -> None:
    """Malformed input is refused by name, before anything is computed."""
    x, y = draws(measure.domain)[0].x, draws(measure.domain)[0].y
    if measure.domain == "outputs":
        _refused(measure, x, reorder(y, np.arange(59)), "59")
        _refused(measure, x, np.full((60, 4), 0.5), "log_softmax")
        return
    bad = y.copy()
    bad[7, 3] = np.nan
    for a, b, clue in (
        (x, bad, "row 7"),
        (x, y[:-1], "59"),
        (x[:, 0], y, "2-d"),
        (x, y[None], "2-d"),
        (x, y + 1j, "real"),
        (x[:0], y[:0], "empty"),
    ):
        _refused(measure, a, b, clue)


def _refused(measure: Measure, x: Any, y: Any, clue: str) -> None:
    try:
        measure(x, y)
    except InvalidInput as error:
        assert clue in str(error), f"{error} does not say {clue!r}"
    except SimilitudeError as error:
        raise AssertionError(f"{type(error).__name__} for bad input") from error
    else:
        raise AssertionError(f"input that should say {clue!r} was accepted")
