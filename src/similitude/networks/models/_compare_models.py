"""`compare_models`: from models to scores in one call."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..._base import _config, _parallel
from ..._base._progress import Progress, reporting
from ..._base._seed import Rng, as_seed
from ...engine._folder import Folder
from ...engine._plan import Job, Permutations
from ...engine._prepared import Outcome, failure
from ...engine._results import Results
from ...engine._rows import Row
from ...engine._run import Run
from ...engine.question._question import Question, ask
from ...engine.question._selection import Selection
from ...engine.statistics import Resampling
from ...errors import InvalidInput
from ...measures import DEFAULT, Measure, Sums
from ..extraction import (
    LayerOptions,
    Reducer,
    StreamedBatch,
    StreamedLayer,
    streamed_layers,
)
from ._members import Member, Twins, members, representations_of
from ._sample import RowSample
from ._sums import sums_of_stream

SAMPLE = 4096

#: Whether two layers are compared; they have the attributes `model` and `layer`.
Keep = Callable[[Any, Any], bool]
Also = Callable[[Sequence[StreamedLayer], StreamedBatch], None]


def compare_models(
    *models: Any,
    data: Any = None,
    measures: Mapping[str, Measure] | Iterable[Measure | str] | Measure | str = DEFAULT[
        0
    ],
    layers: str | Sequence[str] | Mapping[str, str | Sequence[str]] = "auto",
    reducer: str | Reducer | Mapping[str, str | Reducer] | None = None,
    untrained: bool = False,
    baselines: Twins | None = None,
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
    also: Also | None = None,
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
        As for `compare`; by default its first measure, cka.
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
    if data is None and len(models) > 1:
        *models, data = models  # type: ignore[assignment]
    if data is None or not models:
        raise InvalidInput(
            "compare_models needs models and data, as in compare_models(a, b, images) "
            "or compare_models({'a': a, 'b': b}, images)."
        )
    every = members(models, baselines, untrained=untrained)
    if isinstance(layers, Mapping):
        layers = {key: layers[m.name] for key, m in every.items() if m.name in layers}
    options = LayerOptions(
        layers, reducer, batch_size, ids, mask, device, batch_axis, preprocessing
    )
    seed, keep = as_seed(rng), keep or (lambda a, b: a.model != b.model)

    def question_of(found: Sequence[StreamedLayer], rows: StreamedBatch) -> Question:
        reps = representations_of(found, rows, every)
        return ask(reps, measures, selection=Selection(), keep=keep)

    given = {key: member.model for key, member in every.items()}
    with (
        reporting(progress, "samples") as report,
        streamed_layers(given, data, options) as (found, stream),
    ):
        kept = RowSample(sample_limit(sample, found), seed)
        stream = _watched(stream, kept, also and partial(also, found), report)
        # The question has all pairs, also those of twins, before there are rows.
        empty = [np.zeros((1, layer.width)) for layer in found]
        blank = StreamedBatch(np.zeros(1, int), None, np.zeros(1, int), empty)
        asked = question_of(found, blank)
        where = {_place(every[x.model], x.layer): i for i, x in enumerate(found)}
        index = [
            where[rep.baseline, str(rep.model), str(rep.layer)] for rep in asked.reps
        ]
        sums: Mapping[tuple[int, int], Sums] = {}
        if any(measure.offers("compare_sums") for measure in asked.measures):
            halves = list(asked.pairs.ordered(symmetric=True))
            halves += [(a, b) for a, b, _ in asked.pairs.extra]
            places = [(index[a], index[b]) for a, b in halves]
            pairs = {(min(pair), max(pair)) for pair in places}
            longer = _longer(stream, kept)
            if longer is not None:
                sums = sums_of_stream(found, sorted(pairs), longer)
        for _ in stream:
            pass
    question = question_of(found, kept.finish())
    planned = question.plan(permutations, seed)
    resampling = Resampling(seed, question.reps[0].n, question.blocks)
    with reporting(progress, "pairs") as report:
        run = Run(question, planned, resampling, None, report)
        with _parallel.one_thread(), closing(run):
            run.execute()
    natures = {layer.nature: None for layer in found}
    if notes := tuple(note for nature in natures for note in nature.notes):
        run.record = replace(run.record, notes=(*run.record.notes, *notes))
        run.damage = (*run.damage, *notes)
    if kept.rows_seen > question.reps[0].n:
        _use_all_rows(run, sums, index, kept.rows_seen)
    if out is None:
        return run.results()
    with closing(Folder(out)) as folder:
        folder.start(run.record)
        folder.append([run.known.rows[job.hash] for job in planned.jobs])
    return Results.load(out)


def _place(member: Member, layer: str) -> tuple[str | None, str, str]:
    return member.baseline, member.name, layer


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
) -> Iterator[StreamedBatch]:
    for batch in stream:
        kept.add(batch)
        if also is not None:
            also(batch)
        yield batch
        report("models", kept.samples_seen, kept.samples_seen)


def _longer(
    stream: Iterator[StreamedBatch], kept: RowSample
) -> Iterator[StreamedBatch] | None:
    """The stream from its start, or None if all its rows are in the sample."""
    before: list[StreamedBatch] = []
    for batch in stream:
        if kept.rows_seen > kept.limit:
            return chain(before, [batch], stream)
        before = kept.parts
    return None


def _use_all_rows(
    run: Run, sums: Mapping[tuple[int, int], Sums], index: Sequence[int], n: int
) -> None:
    """Replace the scores of the sample by those of all rows, where sums give them."""
    drawn = run.question.reps[0].n
    rows, labels = run.known.rows, run.question.measures
    streamed = {m: label for m, label in labels.items() if m.offers("compare_sums")}
    for job in run.plan.jobs:
        if job.measure in streamed:
            i, j = index[job.a], index[job.b]
            found = sums[i, j] if i < j else sums[j, i].swapped()
            rows[job.hash] = _with_all_rows(rows[job.hash], job, found, drawn)
    sampled = [label for m, label in labels.items() if m not in streamed]
    note = (
        f"Scores of {', '.join(streamed.values()) or 'no measure'} are over all {n:,} "
        f"rows; {', '.join([*sampled, 'intervals', 'nulls and p'])} are from a random "
        f"sample of {drawn:,} rows."
    )
    run.origins = tuple(
        replace(record, shape=(n, record.shape[1])) if record.shape else record
        for record in run.origins
    )
    run.record = replace(run.record, notes=(*run.record.notes, note))
    run.damage = (*run.damage, note)


def _with_all_rows(row: Row, job: Job, sums: Sums, drawn: int) -> Row:
    details = {**row.details, "sample_rows": drawn}
    if row.score is not None:
        details["sample_score"] = row.score
    try:
        score = float(job.measure.compare_sums(sums))
    except Exception as error:
        outcome = failure(error).outcome
    else:
        outcome = Outcome("ok", score)
    changes = {name: getattr(outcome, name) for name in ("status", "reason", "score")}
    return replace(row, n=sums.n, details=details, **changes)
