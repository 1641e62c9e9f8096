"""`similitude latent align`: fit maps, score them on held-out rows, save them."""

import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..._base._printable import wrapped
from ...errors import InvalidInput, Undefined
from ...representation import Representation, where
from ..align import MAPS, AffineMap, DirectionMap, Map, cross_validate
from ..stitching._transforms import first_line
from ._anchors import choose, rows_of
from ._typed_options import find_map


@dataclass(frozen=True)
class Scored:
    """A map and its scores; `held_out`, `r2` and `cosine` use held-out rows."""

    name: str
    status: str  # "ok" or "undefined"
    reason: str = ""
    rows: int = 0  # number of rows used for the fit
    residual: float | None = None
    held_out: float | None = None
    r2: float | None = None
    cosine: float | None = None
    map: Map | None = None


def two(
    reps: list[Representation], source: str | None, target: str | None
) -> list[Representation]:
    """The source and the target: by name, or because there are only two."""
    names = [rep.name for rep in reps]
    if source is None and target is None and len(reps) == 2:
        return reps
    if source is None or target is None:
        raise InvalidInput(
            f"a map needs one source and one target; got {len(reps)} representations: "
            f"{', '.join(names)}. Name two of them: --from A --to B."
        )
    found = []
    for name in (source, target):
        if names.count(name) != 1:
            none = name not in names
            count = "no representation is" if none else "several representations are"
            raise InvalidInput(
                f"{count} called {name!r}; the representations are {', '.join(names)}."
            )
        found.append(reps[names.index(name)])
    return found


def fit_all(
    reps: Sequence[Representation],
    names: Sequence[str],
    *,
    spec: str | None,
    folds: int,
    seed: int,
    labels: np.ndarray | None,
) -> list[Scored]:
    """Fit and score the named maps, or all maps."""
    x, y = (rows_of(rep) for rep in reps)
    anchors = None
    if spec is not None:
        anchors = choose(reps[:1], spec, seed=seed, labels=labels)[0]
    found = []
    for name in names or MAPS:
        fit = find_map(name)
        try:
            found.append(_scored(name, fit, x, y, anchors, folds, seed))
        except Undefined as error:
            if names:
                raise
            found.append(Scored(name, "undefined", str(error)))
    if all(s.status != "ok" for s in found):
        raise Undefined(f"no map can be fitted; {found[0].name}: {found[0].reason}")
    return found


def _scored(  # noqa: PLR0917
    name: str,
    fit: Callable[[Any, Any], Map],
    x: np.ndarray,
    y: np.ndarray,
    anchors: np.ndarray | None,
    folds: int,
    seed: int,
) -> Scored:
    if anchors is None:
        cv = cross_validate(fit, x, y, folds=folds, rng=seed)
        f = fit(x, y)
        held_out = float(np.mean(cv.test))
        numbers = (float(f.residual(x, y)), held_out, cv.r2, cv.cosine)
        return Scored(name, "ok", "", len(x), *numbers, f)
    others = np.setdiff1d(np.arange(len(x)), anchors)
    if len(others) == 0:
        raise InvalidInput(
            "--anchors uses all rows, so no held-out rows remain; use fewer anchors."
        )
    f = fit(x[anchors], y[anchors])
    guess, truth = f.apply(x[others]).astype(float), y[others].astype(float)
    spread = ((truth - y[anchors].mean(axis=0)) ** 2).sum()
    if spread == 0:
        raise Undefined("the rows that are not anchors do not vary in the target.")
    r2 = float(1 - ((guess - truth) ** 2).sum() / spread)
    inner = (guess * truth).sum(axis=1)
    size = np.linalg.norm(guess, axis=1) * np.linalg.norm(truth, axis=1)
    cosine = float(np.mean(inner / np.where(size > 0, size, 1.0)))
    residual = float(f.residual(x[anchors], y[anchors]))
    held_out = float(np.sqrt(1 - r2))
    return Scored(name, "ok", "", len(anchors), residual, held_out, r2, cosine, f)


def save(scored: Scored, out: Path) -> None:
    """Save a map to a new folder, in one step. An existing folder is an error."""
    assert isinstance(
        scored.map, AffineMap | DirectionMap
    )  # the types that fits return
    if out.exists():
        raise InvalidInput(f"--out {out} exists; give another folder, or delete it.")
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.with_name(f".{out.name}-{secrets.token_hex(4)}")
    try:
        scored.map.save(beside)
        beside.rename(out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def text(reps: Sequence[Representation], found: Sequence[Scored]) -> str:
    a, b = reps
    width = max(16, *(len(s.name) for s in found))
    lines = [
        f"{where(a)} ({a.n} x {a.d}) -> {where(b)} ({b.n} x {b.d})",
        "",
        f"{'map':{width}} {'fitted to':>10} {'residual':>9} {'held out':>9} "
        f"{'R2':>8} {'cosine':>8}",
    ]
    notes = []
    for s in found:
        if s.status != "ok":
            lines.append(f"{s.name:{width}} {'undefined':>10}")
            notes.append(f"{s.name}: {s.reason}")
            continue
        lines.append(
            f"{s.name:{width}} {s.rows:>10} {s.residual:>9.4f} {s.held_out:>9.4f} "
            f"{s.r2:>8.4f} {s.cosine:>8.4f}"
        )
    legend = [
        "fitted to: number of rows of the fit.",
        "residual: |f(x) - y| / |y - mean| on these rows; 0 is perfect, 1 is as good "
        "as the mean of y.",
        "held out: the same on rows that the fit has not seen: choose the map by it.",
        "R2: share of the variance of y that f(x) explains, on held-out rows; below "
        "0, the mean of y is better.",
        "cosine: mean cosine of f(x) and y over held-out rows.",
        *(f"{s.name}: {first_line(find_map(s.name).func.__doc__)}." for s in found),
    ]
    return "\n".join([*lines, "", *map(wrapped, [*legend, *notes])])


def document(reps: Sequence[Representation], found: Sequence[Scored]) -> dict[str, Any]:
    names = [f.name for f in fields(Scored) if f.name != "map"]
    rows = [
        {"from": reps[0].name, "to": reps[1].name, **{k: getattr(s, k) for k in names}}
        for s in found
    ]
    return {"schema": 1, "rows": rows}
