"""`compare_models`: from models to scores in one call."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ... import _config, _parallel
from ..._progress import Progress, reporting
from ..._seed import Rng, as_seed, key_of
from ...errors import InvalidInput
from ...extraction import (
    LayerOptions,
    Reducer,
    StreamedBatch,
    StreamedLayer,
    fresh_twin,
    streamed_layers,
)
from ...measures import DEFAULT, Measure, Sums
from ...representation import Representation
from .._folder import Folder
from .._plan import Job, Permutations, plan
from .._prepared import failure
from .._results import Results
from .._rows import Row
from .._run import Run
from ..question._question import ask, chosen_measures
from ..question._selection import Selection
from ..statistics import Resampling
from ._sample import RowSample
from ._sums import sums_of_stream

TWIN_SEED = 1000  # of the first untrained twin
SAMPLE = 4096

#: Whether two layers are compared; they have the attributes `model` and `layer`.
Keep = Callable[[Any, Any], bool]


def compare_models(
    *models: Any,
    data: Any = None,
    measures: Mapping[str, Measure] | Iterable[Measure | str] | Measure | str = DEFAULT[
        0
    ],
    layers: str | Sequence[str] | Mapping[str, str | Sequence[str]] = "auto",
    reducer: str | Reducer | Mapping[str, str | Reducer] | None = None,
    untrained: bool = False,
    baselines: Mapping[str, Mapping[str, Any]] | None = None,
    keep: Keep | None = None,
    sample: int = SAMPLE,
    permutations: Permutations = "auto",
    rng: Rng = 0,
    out: str | Path | None = None,
    batch_size: int = 256,
    ids: Any = None,
    mask: Any = None,
    device: Any = None,
    batch_axis: int | Mapping[str, int] | None = None,
    preprocessing: Callable[[Any], Any] | None = None,
    also: Callable[[Sequence[StreamedLayer], StreamedBatch], None] | None = None,
    progress: Progress | Literal["auto"] | None = "auto",
) -> Results:
    """Compare the layers of two or more models, in one pass over the data.

    Every batch runs through all models once, and no activations are stored. Measures
    that are functions of sums over rows (cka, mean_cca, procrustes, linear_regression
    and others) use all rows, in memory that does not grow with the data. Other
    measures, null distributions and intervals use a random sample of the rows; a note
    below the table says so. If all rows are in the sample, the results are those of
    `extract` followed by `compare`.

    Parameters
    ----------
    *models
        Two or more models as for `extract`, or one mapping of names to models; then
        the data: ``compare_models(a, b, data)``.
    data
        The data as for `extract`, if they are not the last positional argument.
    measures
        As for `compare`; by default cka.
    layers, reducer
        As for `extract`. `layers` may map the names of models to patterns.
    untrained
        Add a twin with fresh weights for each model, as the baseline "untrained".
    baselines
        Other twins: ``{"seed": {"a": twin_of_a}}``.
    keep
        A function of two layers, with the attributes `model` and `layer`, that says
        whether they are compared. By default, layers of different models are.
    sample
        The number of rows in the sample.
    permutations, rng, out
        As for `compare`. The results folder is written at the end.
    batch_size, ids, mask, device, batch_axis, preprocessing
        As for `extract`.
    also
        Called with all layers and each batch of their rows, during the pass.
    progress
        As for `compare`.

    Examples
    --------
    >>> import torch, similitude as sim
    >>> from torch import nn
    >>> a = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    >>> found = sim.compare_models({"a": a, "b": a}, torch.rand(100, 8), progress=None)
    >>> found.matrix("cka")["a/0", "b/0"].round(6)
    np.float64(1.0)
    """
    named, data = _named(models, data)
    twins = _twins(named, baselines, untrained=untrained)
    chosen = chosen_measures(measures)
    options = LayerOptions(
        layers=_patterns(layers, named, twins),
        reducer=reducer,
        batch_size=batch_size,
        ids=ids,
        mask=mask,
        device=device,
        batch_axis=batch_axis,
        preprocessing=preprocessing,
    )
    seed = as_seed(rng)
    every = named | {twin.name: twin.model for twin in twins}
    keep = keep or _across_models
    with (
        reporting(progress, "samples") as report,
        streamed_layers(every, data, options) as (found, stream, total),
    ):
        limit = sample_limit(sample, found)
        kept = RowSample(limit, seed)
        stream = _watched(stream, kept, also and partial(also, found), report, total)
        pairs = _streamed_pairs(found, twins, keep)
        sums: Mapping[tuple[int, int], Sums] = {}
        streams = any(measure.offers("compare_sums") for measure in chosen)
        if streams and not (total is not None and total <= limit):
            sums = sums_of_stream(found, pairs, stream)
        for _ in stream:
            pass
    reps = representations_of(found, kept.finish(), twins)
    labels = {label: measure for measure, label in chosen.items()}
    question = ask(reps, labels, selection=Selection(), keep=keep)
    planned = plan(
        question.reps,
        list(question.measures),
        question.pairs,
        permutations=permutations,
        seed=key_of(seed),
        blocks=question.blocks,
    )
    resampling = Resampling(seed, question.reps[0].n, question.blocks)
    with reporting(progress, "pairs") as report:
        run = Run(question, planned, resampling, None, report)
        with _parallel.one_thread(), closing(run):
            run.score()
            run.complete()
    if kept.rows_seen > question.reps[0].n:
        names = {layer.name: i for i, layer in enumerate(found)}
        _use_all_rows(run, sums, names, kept.rows_seen)
    if out is not None:
        with closing(Folder(out)) as folder:
            folder.start(run.record)
            folder.append([run.known.rows[job.hash] for job in planned.jobs])
        return Results.load(out)
    return run.results()


@dataclass(frozen=True)
class _Twin:
    name: str  # of the model, unique
    of: str
    baseline: str
    model: Any


def _across_models(a: Any, b: Any) -> bool:
    return a.model != b.model


def _named(models: Sequence[Any], data: Any) -> tuple[dict[str, Any], Any]:
    """The models by name, and the data, which may be the last positional argument."""
    given = list(models)
    if data is None:
        if len(given) < 2:
            raise InvalidInput(
                "compare_models needs models and data, as in compare_models(a, b, "
                "images) or compare_models({'a': a, 'b': b}, images)."
            )
        data = given.pop()
    if len(given) == 1 and isinstance(given[0], Mapping):
        named = {str(name): model for name, model in given[0].items()}
    else:
        kinds = [type(model).__name__ for model in given]
        seen: Counter[str] = Counter()
        named = {}
        for kind, model in zip(kinds, given, strict=True):
            seen[kind] += 1
            name = f"{kind}-{seen[kind]}" if kinds.count(kind) > 1 else kind
            named[name] = model
    if not named:
        raise InvalidInput("compare_models needs at least one model.")
    return named, data


def _twins(
    named: Mapping[str, Any],
    baselines: Mapping[str, Mapping[str, Any]] | None,
    *,
    untrained: bool,
) -> list[_Twin]:
    given = {name: dict(twins) for name, twins in (baselines or {}).items()}
    if untrained:
        given["untrained"] = {
            name: fresh_twin(model, TWIN_SEED + number, name)
            for number, (name, model) in enumerate(named.items())
        }
    found = []
    for baseline, twins in given.items():
        for name, model in twins.items():
            if name not in named:
                raise InvalidInput(
                    f"baselines[{baseline!r}] names {name!r}, which is not compared; "
                    f"choose from {', '.join(named)}."
                )
            found.append(_Twin(f"{name} ({baseline})", name, baseline, model))
    return found


def _patterns(layers: Any, named: Mapping[str, Any], twins: Sequence[_Twin]) -> Any:
    """A twin has the layers of its model."""
    if not isinstance(layers, Mapping):
        return layers
    return dict(layers) | {t.name: layers[t.of] for t in twins if t.of in layers}


def sample_limit(sample: int, layers: Sequence[StreamedLayer]) -> int:
    """Rows in the sample; together they take at most a quarter of the budget."""
    if sample < 1:
        raise InvalidInput(f"sample={sample}; it must be 1 or more.")
    row = 2 * sum(layer.width * np.dtype(layer.dtype).itemsize for layer in layers)
    return max(1, min(sample, _config.current().memory_budget // (4 * row)))


def _watched(
    stream: Iterator[StreamedBatch],
    kept: RowSample,
    also: Callable[[StreamedBatch], None] | None,
    report: Progress,
    total: int | None,
) -> Iterator[StreamedBatch]:
    for batch in stream:
        kept.add(batch)
        if also is not None:
            also(batch)
        yield batch
        done = int(batch.samples[-1]) + 1
        report("models", done, total or done)


def _streamed_pairs(
    layers: Sequence[StreamedLayer], twins: Sequence[_Twin], keep: Keep
) -> list[tuple[int, int]]:
    """All pairs that the table may need: of models, of twins, and of both."""
    origin = {twin.name: twin for twin in twins}

    def main(layer: StreamedLayer) -> StreamedLayer:
        twin = origin.get(layer.model)
        return layer if twin is None else replace(layer, model=twin.of)

    def kind(layer: StreamedLayer) -> str | None:
        return origin[layer.model].baseline if layer.model in origin else None

    found = []
    for i, a in enumerate(layers):
        for j, b in enumerate(layers[i + 1 :], start=i + 1):
            kinds = {kind(a), kind(b)}
            alike = kinds == {None} or kinds == {"untrained"}
            own = len(kinds) == 2 and None in kinds and main(a) == main(b)
            if (alike and keep(main(a), main(b))) or (own and "untrained" not in kinds):
                found.append((i, j))
    return found


def representations_of(
    layers: Sequence[StreamedLayer], rows: StreamedBatch, twins: Sequence[_Twin]
) -> list[Representation]:
    origin = {twin.name: twin for twin in twins}
    found = []
    for layer, values in zip(layers, rows.rows, strict=True):
        twin = origin.get(layer.model)
        main = layer if twin is None else replace(layer, model=twin.of)
        found.append(
            Representation(
                layer.name,
                values,
                ids=rows.ids,
                blocks=rows.blocks,
                model=main.model,
                layer=layer.layer,
                baseline=None if twin is None else twin.baseline,
                twin_of=None if twin is None else main.name,
                meta={} if layer.rows is None else {"rows": layer.rows},
            )
        )
    return found


def _use_all_rows(
    run: Run, sums: Mapping[tuple[int, int], Sums], names: Mapping[str, int], n: int
) -> None:
    """Replace the scores of the sample by those of all rows, where sums give them."""
    drawn = run.question.reps[0].n
    rows, labels = run.known.rows, run.question.measures
    index = [names[_streamed_name(rep)] for rep in run.question.reps]
    streamed = {m: labels[m] for m in labels if m.offers("compare_sums")}
    for job in run.plan.jobs:
        if job.measure in streamed:
            i, j = index[job.a], index[job.b]
            found = sums[i, j] if i < j else sums[j, i].swapped()
            rows[job.hash] = _with_all_rows(rows[job.hash], job, found, drawn)
    others = [labels[m] for m in labels if m not in streamed]
    sampled = [*others, "intervals", "nulls and p"]
    note = (
        f"Scores of {', '.join(streamed.values()) or 'no measure'} are over all {n:,} "
        f"rows; {', '.join(sampled)} are from a random sample of {drawn:,} rows."
    )
    records = tuple(
        replace(record, shape=(n, record.shape[1])) if record.shape else record
        for record in run.record.representations
    )
    run.record = replace(
        run.record, notes=(*run.record.notes, note), representations=records
    )
    run.damage = (*run.damage, note)


def _streamed_name(rep: Representation) -> str:
    """The name of the layer in the stream; `compare` renames twins."""
    if rep.baseline is None:
        return rep.name
    name = f"{rep.model} ({rep.baseline})"
    return f"{name}/{rep.layer.lstrip('/')}" if rep.layer else name


def _with_all_rows(row: Row, job: Job, sums: Sums, drawn: int) -> Row:
    details = {**row.details, "sample_rows": drawn}
    try:
        score = float(job.measure.compare_sums(sums))
    except Exception as error:
        outcome = failure(error).outcome
        return replace(
            row, status=outcome.status, reason=outcome.reason, score=None, n=sums.n
        )
    if row.score is not None:
        details["sample_score"] = row.score
    return replace(
        row, status="ok", reason=None, score=score, n=sums.n, details=details
    )
