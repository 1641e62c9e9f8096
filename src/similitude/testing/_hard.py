"""Checks of hard cases: a finite score in range or a clear error, never NaN."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidInput, SimilitudeError, Undefined
from ..inputs import Outputs
from ..measures import Measure
from ..transformations import Group, closure
from ._battery import comparable, draws, draws_for, log_softmax, related, reorder
from ._softmax import MODELS, ORDINARY_MODELS, far_away, malformed
from ._values import gap, in_range, score

Pair = tuple[Any, Any]


def _pair(n: int, d1: int, d2: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = related(np.random.default_rng(5), n, d1, d2)
    return x.copy(), y.copy()


def _rank_deficient() -> Pair:
    x, y = _pair(40, 4, 5)
    return x @ np.random.default_rng(6).normal(size=(4, 9)), y


def _dead_units() -> Pair:
    x, y = _pair(40, 6, 5)
    x[:, 1], x[:, 4], y[:, 0] = 0.0, 0.1, 1e3  # 0.1 has no exact mean
    return x, y


def _duplicate_rows() -> Pair:
    x, y = _pair(40, 6, 5)
    x[10:20], y[5:15] = x[:10], y[15:25]
    return x, y


def _duplicate_columns() -> Pair:
    x, y = _pair(40, 6, 5)
    return x[:, [0, 1, 2, 3, 3, 3]], y[:, [0, 0, 1, 2, 2]]


def _constant() -> Pair:
    x, y = _pair(40, 6, 5)
    return np.full_like(x, 0.1), y


def _one_row_differs() -> Pair:
    x, y = _pair(40, 6, 5)
    x[1:] = x[1]
    return x, y


POINTS: dict[str, Callable[[], Any]] = {
    "fewer rows than columns": lambda: _pair(20, 50, 30),
    "wide against narrow": lambda: _pair(30, 45, 2),
    "one column": lambda: _pair(40, 1, 1),
    "rank-deficient": _rank_deficient,
    "dead units": _dead_units,
    "duplicate rows": _duplicate_rows,
    "duplicate columns": _duplicate_columns,
    "one row": lambda: _pair(1, 3, 3),
    "two rows": lambda: _pair(2, 3, 3),
    "three rows": lambda: _pair(3, 3, 3),
    "four rows": lambda: _pair(4, 6, 8),
    "constant": _constant,
    "all rows but one equal": _one_row_differs,
    "equidistant rows": lambda: (np.eye(12), _pair(12, 6, 5)[1]),
    "many rows": lambda: _pair(150, 6, 5),
    "offset of 1e3": lambda: tuple(v + 1e3 for v in _pair(40, 6, 5)),
    "scale of 1e-4": lambda: tuple(v * 1e-4 for v in _pair(40, 6, 5)),
}
# Cases that are common in real data and must have a score.
ORDINARY = {"rank-deficient", "dead units", "duplicate rows", "duplicate columns"}
ORDINARY |= {"many rows", "offset of 1e3", "scale of 1e-4"}


def _certain_outputs(labels: Any, targets: Any = None, classes: int = 10) -> Outputs:
    """Outputs with probability 1 for `labels` and 0 for all other classes."""
    labels = np.asarray(labels)
    sure = np.where(np.eye(classes, dtype=bool)[labels], 0.0, -np.inf)
    return Outputs(sure, labels, None if targets is None else np.asarray(targets))


OUTPUTS: dict[str, Callable[[], Any]] = {
    "both always right": lambda: (_certain_outputs([0, 1, 2], [0, 1, 2]),) * 2,
    "both always wrong": lambda: (_certain_outputs([1, 2, 0], [0, 1, 2]),) * 2,
    "never the same": lambda: (
        _certain_outputs([0] * 5, [0] * 5),
        _certain_outputs([9] * 5, [0] * 5),
    ),
    "one class": lambda: (
        _certain_outputs([3] * 5, [3] * 5),
        _certain_outputs([3] * 5, [3] * 5),
    ),
    "one stimulus": lambda: (_certain_outputs([0], [0]), _certain_outputs([1], [0])),
    "no targets": lambda: (_certain_outputs([0, 1, 2]), _certain_outputs([0, 2, 2])),
    "labels only": lambda: (np.asarray([0, 1, 11]), np.asarray([0, 1, 12])),
    "labels that are not the largest": lambda: (
        Outputs(log_softmax(np.eye(3)), np.asarray([1, 2, 0]), np.asarray([0, 1, 2])),
        Outputs(log_softmax(np.eye(3)), np.asarray([0, 1, 2]), np.asarray([0, 1, 2])),
    ),
}


def check_hard_cases(measure: Measure) -> None:
    """Each case gives a finite score in range, or an error with a reason."""
    # Outputs may lack a field that the measure needs, which is InvalidInput.
    refusals = (Undefined,) if measure.domain == "points" else (Undefined, InvalidInput)
    cases = {"points": POINTS, "outputs": OUTPUTS, "softmax": MODELS}[measure.domain]
    ordinary = ORDINARY | ORDINARY_MODELS
    for name, case in cases.items():
        x, y = comparable(measure, *case())
        for a, b in ((x, y), (y, x)):
            try:
                value = score(measure, a, b)
            except refusals as error:
                assert name not in ordinary, f"{name}: {error}"
                assert len(str(error)) > 30, f"{name}: {error} does not give a reason"
                continue
            assert np.isfinite(value), f"{name}: the score is {value}"
            in_range(measure, value, name)


def check_offset_and_scale(measure: Measure) -> None:
    """Claimed invariances also hold at large offsets and extreme scales."""
    claims = measure.claims()
    if measure.domain == "outputs":
        return
    x, y = comparable(measure, *_pair(40, 6, 5))
    moves: dict[str, tuple[Group, Callable[[Any], Any]]] = {
        "an offset of 1e3": (Group.CONSTANT_SHIFT, lambda v: v + 1e3),
        "a scale of 1e-4": (Group.ISOTROPIC_SCALE, lambda v: v * 1e-4),
        "a scale of 1e-90": (Group.ISOTROPIC_SCALE, lambda v: v * 1e-90),
        "a scale of 1e90": (Group.ISOTROPIC_SCALE, lambda v: v * 1e90),
    }
    if measure.domain == "softmax":
        x, y, moves = draws("softmax")[0].x, draws("softmax")[0].y, far_away()
    expected = score(measure, x, y)
    for side, atoms in (("x", claims.invariant_x), ("y", claims.invariant_y)):
        for what, (atom, move) in moves.items():
            if atom not in closure(atoms):
                continue
            a, b = (move(x), y) if side == "x" else (x, move(y))
            moved = gap(score(measure, a, b), expected)
            assert moved <= 1e-7, f"{what} in {side} moves the score by {moved:.3g}"


def check_refusals(measure: Measure) -> None:
    """Malformed input raises InvalidInput, and the message names the problem."""
    x, y = draws_for(measure)[0].x, draws_for(measure)[0].y
    # If it is not paired, `check_pairing` requires that unequal row counts work.
    paired = measure.claims().paired
    if measure.domain == "outputs":
        if paired:
            _refused(measure, x, reorder(y, np.arange(59)), "59")
        _refused(measure, x, np.full((60, 4), 0.5), "log_softmax")
        return
    if measure.domain == "softmax":
        for a, b, clue in malformed():
            _refused(measure, a, b, clue)
        return
    bad = y.copy()
    bad[7, 3] = np.nan
    for a, b, clue in (
        (x, bad, "row 7"),
        *([(x, y[:-1], "59")] if paired else []),
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
        assert clue in str(error), f"{error} does not contain {clue!r}"
    except SimilitudeError as error:
        raise AssertionError(f"{type(error).__name__} for malformed input") from error
    else:
        raise AssertionError(
            f"malformed input was accepted; expected an error with {clue!r}"
        )
