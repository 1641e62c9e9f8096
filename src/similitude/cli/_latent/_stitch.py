"""Zero-shot stitching of embeddings in files: the task, the table, its text."""

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import engine
from ...errors import InvalidInput
from ...representation import Representation
from ...training import Embeddings, StitchingData, StitchingTable, stitching_table
from ...training.stitching import BASELINES
from ._anchors import rows_of
from ._labels import classes
from ._typed_options import find_transform

SHOWN = {"accuracy": "accuracy %", "mae": "MAE x 100"}  # F1 is in the JSON


@dataclass(frozen=True, eq=False)
class Task:
    """Encoders with their rows, and what is to be told from them."""

    encoders: dict[str, Embeddings]
    data: StitchingData
    pool: int  # anchors that there are to draw from


def task(
    reps: Sequence[Representation],
    labels: np.ndarray,
    split: np.ndarray | None,
    *,
    test: float,
    seed: int,
    ordinal: bool,
) -> Task:
    """Rows for training, for testing, and anchors: the same in all encoders.

    Without a file that says which are which, test rows are drawn, and anchors are
    drawn among the training rows.
    """
    if len(reps) < 2:
        raise InvalidInput(
            f"stitching takes two encoders or more; there is {reps[0].name} only."
        )
    names = [rep.name for rep in reps]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(
            f"{engine.where(reps[names.index(twice[0])])} is there twice; give each "
            f"encoder once, by a name of its own."
        )
    target = classes(labels, ordinal=ordinal)
    n = reps[0].n
    if split is None:
        if not 0 < test < 1:
            raise InvalidInput(f"--test {test}: it is a share of rows, in (0, 1).")
        order = np.random.default_rng(seed).permutation(n)
        count = min(n - 1, max(1, round(test * n)))
        parts = {"test": order[:count], "train": order[count:]}
        parts["anchor"] = parts["train"]
    else:
        parts = _parts(split)
    encoders = {}
    for rep in reps:
        rows = rows_of(rep)
        encoders[rep.name] = Embeddings(
            rows[parts["train"]], rows[parts["test"]], rows[parts["anchor"]]
        )
    data = StitchingData(target[parts["train"]], target[parts["test"]], ordinal=ordinal)
    return Task(encoders, data, len(parts["anchor"]))


def _parts(values: np.ndarray) -> dict[str, np.ndarray]:
    words = [str(v).lower().rstrip("s") for v in values.tolist()]
    unknown = [w for w in words if w not in {"train", "test", "anchor"}]
    if unknown:
        raise InvalidInput(f"--split: {unknown[0]!r} is none of train, test, anchor.")
    found = {
        part: np.flatnonzero([w == part for w in words])
        for part in ("train", "test", "anchor")
    }
    for part in ("train", "test"):
        if len(found[part]) == 0:
            raise InvalidInput(f"--split: no row is for {part}.")
    if len(found["anchor"]) == 0:
        found["anchor"] = found["train"]
    return found


def run(
    job: Task,
    names: Sequence[str],
    *,
    anchors: int | None,
    seeds: str,
    path: Path | None,
) -> StitchingTable:
    found: dict[str, Any] = {}
    for name in names:
        if name not in BASELINES:  # which are always there
            found[name] = find_transform(name)
    if anchors is None:
        widths = [space.train.shape[1] for space in job.encoders.values()]
        anchors = min(job.pool, 2 * max(widths))
    return stitching_table(
        job.encoders,
        None,
        job.data,
        found,
        _numbers(seeds),
        anchors=anchors,
        path=path,
    )


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--seeds {text!r}: write numbers as 0,1,2.") from None


def text(job: Task, table: StitchingTable) -> str:
    """Means over seeds, encoder by decoder, and what each transform adds."""
    seeds = len({c.seed for c in table.cells})
    lines = [
        f"{len(job.encoders)} encoders, {len(job.data.train_labels)} training and "
        f"{len(job.data.test_labels)} test rows, {seeds} draws of anchors"
    ]
    for metric in (m for m in table.metrics if m in SHOWN):
        for transform in table.transforms:
            lines += ["", f"{transform}: {SHOWN[metric]}"]
            lines += _grid(table, transform, metric)
    lines += _differences(table)
    undefined = [c for c in table.cells if c.status != "ok"]
    if undefined:
        note = f"-: {len(undefined)} cells are undefined. {undefined[0].reason}"
        lines += ["", textwrap.fill(note, 80)]
    return "\n".join(lines)


def _grid(table: StitchingTable, transform: str, metric: Any) -> list[str]:
    encoders = list(dict.fromkeys(c.encoder for c in table.cells))
    decoders = list(dict.fromkeys(c.decoder for c in table.cells))
    means = {
        (s.encoder, s.decoder): s.mean
        for s in table.summary(metric)
        if s.transform == transform
    }
    left = min(18, max(map(len, [*encoders, "encoder"])))
    room = max(6, min(14, (80 - left) // len(decoders) - 1))
    fit = max(1, (80 - left) // (room + 1))
    lines = []
    for start in range(0, len(decoders), fit):
        shown = decoders[start : start + fit]
        lines.append(
            f"{'encoder':{left}}" + "".join(f" {_cut(d, room):>{room}}" for d in shown)
        )
        for encoder in encoders:
            cells = [means.get((encoder, d)) for d in shown]
            numbers = "".join(
                f" {'-' if v is None else format(v, '.2f'):>{room}}" for v in cells
            )
            lines.append(f"{_cut(encoder, left):{left}}{numbers}")
    return lines


def _cut(name: str, room: int) -> str:
    """Names that are too long lose their middles: what differs is at the ends."""
    if len(name) <= room:
        return name
    tail = room // 2
    return f"{name[: room - tail - 1]}~{name[-tail:]}"


def _differences(table: StitchingTable) -> list[str]:
    """Paired differences to absolute rows where encoder and decoder are not one's."""
    width = min(24, max(len("transform"), *map(len, table.transforms)))
    lines = [
        "Stitched cells: accuracy minus that of absolute rows, same test rows, 95 %",
        f"{'encoder -> decoder':30} {'transform':{width}} {'mean':>7} {'low':>7} "
        f"{'high':>7}",
    ]
    found = table.differences("absolute", over="samples")
    for d in sorted(found, key=lambda d: (d.encoder, d.decoder)):
        (cell, *_) = table.where(encoder=d.encoder, decoder=d.decoder)
        if cell.stitched:
            pair = _cut(f"{d.encoder} -> {d.decoder}", 30)
            numbers = "".join(f" {_signed(v)}" for v in (d.mean, d.low, d.high))
            lines.append(f"{pair:30} {_cut(d.transform, width):{width}}{numbers}")
    return ["", *lines] if len(lines) > 2 else []


def _signed(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:>+7.2f}"


def document(table: StitchingTable) -> dict[str, Any]:
    found = table.to_dict()
    return {
        "schema": 1,
        "rows": found["cells"],
        "summary": [asdict(s) for m in table.metrics for s in table.summary(m)],
        "differences": [
            asdict(d)
            for over in ("seeds", "samples")
            for d in table.differences("absolute", over=over)
        ],
    }
