"""`diff`: did this change the model?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from ..._base._progress import Progress
from ..._base._seed import Rng
from ...engine.question._join import join
from ...errors import InvalidInput
from ...representation import Representation
from ..extraction import LayerOptions, OnnxModel, Reducer
from ..models._compare_models import SAMPLE
from ._floor import FLOORS, noise_floors, rounding
from ._gate import limits_of
from ._graph import is_named, partners
from ._limits import REPEATS, SIDES, fixed_limits, measured_limits, missing_layers
from ._pairing import Pair, paired
from ._record import Change, Diff
from ._scores import scored, with_outputs
from ._sides import as_runnable, population, run, stored_side
from ._stimuli import flips, moved


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
    allow_like: Any = None,
    allow_missing: str | Sequence[str] = (),
    baselines: Mapping[str, Any] | None = None,
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
        Each is a model as for `extract`, the name of a model (``"net.py:make"``,
        ``"net.py:make=weights.pt"``, ``"FILE.onnx"``, ``"hf:FOLDER"``,
        ``"encoder:NAME"``), a store, a file or a folder, ``"STORE:model"``, a mapping
        of layers to arrays, or a list of `Representation`.
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
    allow_like
        Measured limits: ``"repeats"`` allows the change that repeats of the same model
        make; a folder or store of other seeds, or a mapping of names to models, allows
        the largest change between `before` and one of them.
    allow_missing
        Patterns of layers of either side that may have no partner. With limits, any
        other layer without a partner fails.
    baselines
        Models for more columns, such as ``{"seed": other}``: the mean score of both
        sides with the layer of this model that has the name of the layer before.
    repeats
        Whether a model runs again with other batch sizes and numbers of threads, to
        measure the noise floor.
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
    if clash := {*SIDES} & {*(baselines or {})}:
        raise InvalidInput(f"baselines: {clash.pop()!r} is a side; choose other names.")
    given = {**dict(zip(SIDES, (before, after), strict=True)), **(baselines or {})}
    if allow_like is not None and allow_like != REPEATS:
        given |= population(allow_like)
    if isinstance(layers, Mapping) and SIDES[0] in layers:
        layers = {side: layers.get(side, layers[SIDES[0]]) for side in given}
    options = LayerOptions(
        layers, reducer, batch_size, ids, mask, device, batch_axis, preprocessing
    )
    found = {side: stored_side(value, side) for side, value in given.items()}
    models = {s: as_runnable(given[s]) for s, reps in found.items() if reps is None}
    own = next((side for side in SIDES if side in models), SIDES[0])
    floors: dict[str, Mapping[str, float]] = {}
    sources = ["rounding"]
    if models and data is None:
        raise InvalidInput(f"{next(iter(models))} is a model, so diff needs data.")
    notes: list[str] = []
    by_values: dict[str, str] = {}
    allowed = [allow_missing] if isinstance(allow_missing, str) else [*allow_missing]
    graph = next((s for s in SIDES if _is_graph(models, s, options)), None)
    if graph is not None:
        side = SIDES[graph == SIDES[0]]
        like = partners(side, models[side], models[graph], data, options)
        chosen = {side: like.model_layers, graph: like.graph_layers}
        options = replace(
            options, layers={s: chosen.get(s, options.of(s)) for s in given}
        )
        by_values = dict(like.tensors)
        if graph == SIDES[0]:
            by_values = {tensor: layer for layer, tensor in by_values.items()}
        allowed += like.merged
        notes.append(like.note)
    if models:
        passed = run(models, data, options, sample, rng)
        for side in models:
            found[side] = [rep for rep in passed.reps if rep.model == side]
        if passed.rows_seen > passed.reps[0].n:
            notes.append(
                f"A random sample of {passed.reps[0].n:,} of {passed.rows_seen:,} rows "
                f"is compared."
            )
        notes += [note for side in passed.natures.values() for note in side.notes]
        noise = partial(noise_floors, data=data, options=options, first=passed)
        noise = partial(noise, sample=sample, rng=rng)
        for side in SIDES:
            random = side in models and passed.natures[side].random
            if random or (repeats and side == own and side in models):
                floors[side], text = noise(side, models[side])
                sources.append(text)
    joined = iter(join([rep for reps in found.values() for rep in reps or []]))
    sides = {side: [next(joined) for _ in reps or []] for side, reps in found.items()}
    pairs = paired(sides[SIDES[0]], sides[SIDES[1]], map or {}, by_values)
    if own in models:  # it has the running order, which a store may not have
        places = {rep.name: place for place, rep in enumerate(sides[own])}
        pairs.sort(key=lambda pair: places[getattr(pair, own).name])
    alone = _without_partner(sides, pairs)
    notes += [
        f"Without a partner, {side}: {', '.join(names)}."
        for side, names in alone.items()
    ]
    twins = {
        side: {str(rep.layer): rep for rep in reps}
        for side, reps in sides.items()
        if side not in SIDES
    }
    pairs, twins = with_outputs(pairs, outputs, twins)
    results, rows = scored(pairs, [*limits], twins, rng, progress)
    changes = [
        Change(pair, row, _floor(pair, floors), FLOORS)
        for pair, row in zip(pairs, rows, strict=True)
    ]
    verdicts = fixed_limits(changes, limits)
    if allow_like is not None:
        verdicts += measured_limits(changes, allow_like)
    if verdicts:
        verdicts += missing_layers(alone, allowed)
    return Diff(
        changes=tuple(changes),
        n=pairs[0].before.n,
        floor_source="; ".join(sources)
        if floors
        else "the rounding of the stored values; no model was run again",
        moved=moved(pairs),
        flips=flips(pairs),
        verdicts=tuple(verdicts),
        notes=tuple(notes),
        baselines=tuple(baselines or ()),
        results=results,
    )


def _floor(pair: Pair, floors: Mapping[str, Mapping[str, float]]) -> float | None:
    """The noise floor of a layer, at least the rounding of its values."""
    if pair.before.domain != "points":
        return None
    noise = [
        found.get(str(getattr(pair, side).layer), 0.0) for side, found in floors.items()
    ]
    return max([*noise, rounding(pair.before, pair.after)])


def _is_graph(models: Mapping[str, Any], side: str, options: LayerOptions) -> bool:
    """Whether a side is a graph beside another model, and its tensors are not named."""
    kinds = {s: isinstance(models.get(s), OnnxModel) for s in SIDES if s in models}
    return (
        len(kinds) == len(SIDES)
        and sum(kinds.values()) == 1
        and kinds[side]
        and not is_named(models[side], options.of(side))
    )


def _without_partner(
    sides: Mapping[str, Sequence[Representation]], pairs: Sequence[Pair]
) -> dict[str, list[str]]:
    """The layers of each side that are in no pair."""
    used = {rep.name for pair in pairs for rep in (pair.before, pair.after)}
    alone = {
        side: [str(rep.layer) for rep in sides[side] if rep.name not in used]
        for side in SIDES
    }
    return {side: names for side, names in alone.items() if names}
