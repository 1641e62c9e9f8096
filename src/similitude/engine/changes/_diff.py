"""`diff`: did this change the model?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy

from ... import stats
from ..._progress import Progress
from ..._seed import Rng
from ...errors import InvalidInput
from ...extraction import LayerOptions, Reducer
from ...inputs import Outputs
from ...measures import COORDINATES, DIFF, DIFF_OUTPUTS, MEASURES, Measure
from ...representation import Representation
from .._compare import compare
from .._rows import Row
from ..models._compare_models import SAMPLE
from ..question._join import join
from ._floor import FLOORS, noise_floors, rounding
from ._gate import Verdict, limits_of, verdict
from ._pairing import Pair, paired
from ._record import Change, Diff, Moved
from ._sides import as_runnable, run, stored_side

SIDES = ("before", "after")
SHOWN = 5  # stimuli that moved most


def diff(
    before: Any,
    after: Any,
    data: Any = None,
    *,
    layers: str | Sequence[str] | Mapping[str, str | Sequence[str]] = "auto",
    reducer: str | Reducer | Mapping[str, str | Reducer] | None = None,
    map: Mapping[str, str] | None = None,
    outputs: str | None = None,
    allow: str | Mapping[str, float] | None = None,
    repeats: bool = True,
    sample: int = SAMPLE,
    rng: Rng = 0,
    batch_size: int = 256,
    ids: Any = None,
    mask: Any = None,
    device: Any = None,
    batch_axis: int | Mapping[str, int] | None = None,
    preprocessing: Callable[[Any], Any] | None = None,
    progress: Progress | Literal["auto"] | None = "auto",
) -> Diff:
    """Compare a model before and after a change, layer by layer.

    Quantized, exported, ported, fine-tuned, pruned or upgraded: where does it first
    differ, which stimuli moved, and is the change within the allowed limits?

    Parameters
    ----------
    before, after
        Each is a model as for `extract`, the path of an ONNX file, a store, a file or a
        folder, ``"STORE:model"``, a mapping of layers to arrays, or a list of
        `Representation`.
    data
        The data as for `extract`, if a side is a model.
    layers, reducer
        As for `extract`. ``{"before": ..., "after": ...}`` chooses layers of each side.
    map
        Layers that correspond, from before to after. All other layers are matched by
        name, and the rest by the best calibrated match.
    outputs
        The layer before that holds the logits of a classifier; predictions are then
        compared too.
    allow
        Limits, as ``{"cka": 0.99, "disagreement": 0.01}`` or the same as text: see
        `Diff.verdicts`. Their measures are added to the table.
    repeats
        Whether a model runs again with other batch sizes, to measure the noise floor.
    sample
        The number of rows in the random sample of the data that is compared.
    rng, progress
        As for `compare`.
    batch_size, ids, mask, device, batch_axis, preprocessing
        As for `extract`.

    Examples
    --------
    >>> import torch, similitude as sim
    >>> from torch import nn
    >>> _ = torch.manual_seed(0)
    >>> a = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    >>> b = nn.Sequential(a[0], nn.ReLU(), nn.Linear(16, 3))
    >>> sim.diff(a, b, torch.rand(100, 8), layers=["0", "1", "2"]).first
    '2'
    """
    limits = limits_of(allow)
    options = LayerOptions(
        layers=layers,
        reducer=reducer,
        batch_size=batch_size,
        ids=ids,
        mask=mask,
        device=device,
        batch_axis=batch_axis,
        preprocessing=preprocessing,
    )
    given = dict(zip(SIDES, (before, after), strict=True))
    found = {side: stored_side(value, side) for side, value in given.items()}
    models = {s: as_runnable(given[s]) for s, reps in found.items() if reps is None}
    floors: dict[str, float] = {}
    notes = []
    source = "the rounding of the stored values; no model was run again"
    if models:
        if data is None:
            raise InvalidInput(f"{next(iter(models))} is a model, so diff needs data.")
        passed = run(models, data, options, sample, rng)
        for side in models:
            found[side] = [rep for rep in passed.reps if rep.model == side]
        if passed.rows_seen > passed.reps[0].n:
            notes.append(
                f"A random sample of {passed.reps[0].n:,} of {passed.rows_seen:,} rows "
                f"is compared."
            )
        if repeats:
            side = next(iter(models))
            floors, source = noise_floors(
                side, models[side], data, options,
                first=passed, sample=sample, rng=rng,
            )  # fmt: skip
    sides = [found[side] or [] for side in SIDES]
    joined = join([*sides[0], *sides[1]])
    sides = [joined[: len(sides[0])], joined[len(sides[0]) :]]
    pairs = paired(sides[0], sides[1], map or {})
    if outputs is not None:
        pairs.append(_logits(pairs, outputs))
    notes += _unmatched(sides, pairs)
    own = "after" if "before" not in models else "before"  # the side that ran again
    changes = [
        Change(pair, rows, _floor(pair, own, floors), FLOORS)
        for pair, rows in _scores(pairs, [*limits], rng, progress)
    ]
    verdicts: list[Verdict] = []
    for measure, limit in limits.items():
        scored = [
            (c, c.rows[measure.label]) for c in changes if measure.label in c.rows
        ]
        if not scored:
            raise InvalidInput(
                f"allow: {measure.label} has no score; it is for {measure.domain}, and "
                f"there are none. For classifiers, name the layer of logits by outputs."
            )
        verdicts += [verdict(c.pair.label, row, measure, limit) for c, row in scored]
    return Diff(
        changes=tuple(changes),
        n=joined[0].n,
        floor_source=source,
        moved=_moved(pairs),
        flips=_flips(pairs),
        verdicts=tuple(verdicts),
        notes=tuple(notes),
    )


def _scores(
    pairs: Sequence[Pair], extra: Sequence[Measure], rng: Rng, progress: Any
) -> list[tuple[Pair, dict[str, Row]]]:
    """The rows of each pair by the label of the measure."""
    domains = {pair.before.domain for pair in pairs}
    known = [MEASURES[name] for name in (*DIFF, *DIFF_OUTPUTS)]
    chosen = dict.fromkeys([*COORDINATES, *known, *extra])
    wanted = {(pair.before.name, pair.after.name) for pair in pairs}
    reps = {rep.name: rep for pair in pairs for rep in (pair.before, pair.after)}
    found = compare(
        list(reps.values()),
        [measure for measure in chosen if measure.domain in domains],
        keep=lambda a, b: not wanted.isdisjoint({(a.name, b.name), (b.name, a.name)}),
        permutations=0,
        rng=rng,
        progress=progress,
    )
    rows: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found.rows:
        for names in {(row.a, row.b), (row.b, row.a)}:
            if row.a.startswith(SIDES[0]):  # asymmetric measures: from before to after
                rows.setdefault(names, {})[row.label] = row
    return [(pair, rows[pair.before.name, pair.after.name]) for pair in pairs]


def _floor(pair: Pair, side: str, floors: Mapping[str, float]) -> float | None:
    """The noise floor of a layer, at least the rounding of its values."""
    if pair.before.domain != "points":
        return None
    own = pair.after if side == "after" else pair.before
    return max(floors.get(str(own.layer), 0.0), rounding(pair.before, pair.after))


def _logits(pairs: Sequence[Pair], layer: str) -> Pair:
    """The predictions of both sides, from a layer of logits."""
    pair = next((p for p in pairs if p.before.layer == layer), None)
    if pair is None:
        names = ", ".join(str(p.before.layer) for p in pairs)
        raise InvalidInput(f"outputs: {layer!r} is not a compared layer: {names}.")
    if pair.before.d != pair.after.d:
        raise InvalidInput(f"outputs: the sides of {layer!r} differ in their classes.")

    def outputs(rep: Representation) -> Representation:
        values = scipy.special.log_softmax(rep.load().astype(np.float64), axis=1)
        name = f"{rep.layer} (outputs)"
        return replace(
            rep, name=f"{rep.model}/{name}", layer=name, values=Outputs(values)
        )

    return Pair(outputs(pair.before), outputs(pair.after), pair.how)


def _unmatched(
    sides: Sequence[Sequence[Representation]], pairs: Sequence[Pair]
) -> list[str]:
    used = {rep.name for pair in pairs for rep in (pair.before, pair.after)}
    notes = []
    for side, reps in zip(SIDES, sides, strict=True):
        if alone := [str(rep.layer) for rep in reps if rep.name not in used]:
            notes.append(f"Without a partner, {side}: {', '.join(alone)}.")
    return notes


def _moved(pairs: Sequence[Pair]) -> Moved | None:
    """The stimuli that moved most in the last layer with the same coordinates."""
    alike = [
        p for p in pairs if p.before.domain == "points" and p.before.d == p.after.d
    ]
    measure = COORDINATES[0]
    if not alike:
        return None
    pair = alike[-1]
    scores = stats.per_stimulus(pair.before.load(), pair.after.load(), measure)
    if not scores.any():
        return None
    order = np.argsort(-scores, kind="stable")[:SHOWN]
    ids = pair.before.ids
    names = [str(row if ids is None else ids[row]) for row in order]
    return Moved(
        pair.label,
        measure.label,
        tuple(
            (name, float(scores[row])) for name, row in zip(names, order, strict=True)
        ),
    )


def _flips(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """The ids of the stimuli whose predicted class changed."""
    for pair in pairs:
        if pair.before.domain == "outputs":
            changed = stats.per_stimulus(
                pair.before.load(), pair.after.load(), DIFF_OUTPUTS[0]
            )
            rows = np.flatnonzero(changed)
            ids = pair.before.ids
            return tuple(str(row if ids is None else ids[row]) for row in rows)
    return None
