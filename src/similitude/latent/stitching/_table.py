"""Stitching table: every encoder, decoder, transform and seed."""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal

from ... import __version__
from ..._base._progress import Progress, reporting
from ...engine import Folder, RepresentationRecord, RunRecord
from ...errors import InvalidInput, check_known
from ..align import anchors as _anchors
from ..align.relative import Relative
from ._cells import Cell, TableFacts, cells_in
from ._decoder_run import DecoderRun, KeptRows
from ._heads import Decoder
from ._results import StitchingTable, table_of
from ._spaces import Embeddings, StitchingData, data_of, spaces_of
from ._transforms import MapFit, read_transforms


def stitching_table(
    encoders: Mapping[str, Any],
    decoders: Mapping[str, Decoder] | None,
    data: StitchingData | Mapping[str, StitchingData],
    transforms: Sequence[str | Relative] | Mapping[str, Relative | MapFit],
    seeds: Sequence[int],
    *,
    anchors: int | None = None,
    allow_duplicates: bool = False,
    pairs: Collection[tuple[str, str]] | None = None,
    baselines: Mapping[str, str] | None = None,
    out: str | Path | None = None,
    progress: Progress | Literal["auto"] | None = "auto",
) -> StitchingTable:
    """Stitch every encoder to every decoder, zero-shot.

    A decoder is trained on the training rows of its home encoder, absolute or
    transformed. It is then tested on the test rows of every encoder. The table always
    has two baselines. ``"absolute"`` passes rows on unchanged. ``"procrustes"`` is the
    best rotation with scale and shift between the anchors, which is hard to beat if
    both spaces are available.

    Parameters
    ----------
    encoders
        Name -> a torch module, any function of inputs, precomputed `Embeddings`, or
        `PerSeed` of these.
    decoders
        Name -> `Decoder`; None gives every encoder a decoder of the same name, with a
        `LogisticHead`.
    data
        The task, or a mapping from encoder name to task (domains).
    transforms
        Relative transforms and names of transforms and maps; or a mapping from names
        of your choice to transforms and functions that fit maps.
    seeds
        Each seed is one repetition: it draws the anchors (if `anchors` is given),
        seeds the heads, and selects the member of `PerSeed` encoders.
    anchors
        Number of anchors to draw uniformly from those of the data, the same in all
        spaces.
    allow_duplicates
        Whether two anchors may be equal. By default, relative rows are then undefined.
    pairs
        Encoders and homes of decoders to combine, as `stitched_pairs` lists them. By
        default all.
    baselines
        Encoder -> the kind of baseline, such as "untrained", for encoders that are
        twins. Their cells are in `StitchingTable.baselines`.
    out
        A folder that stores each finished cell, as `compare` stores rows. Cells with
        the same rows, labels, head, transform and seed are not computed again: repeat
        the call to resume an interrupted run. Functions (map fits and decoders) are
        identified by their code, their options and their closures, but not by the
        values of global names.
    progress
        "auto": a bar in terminals and notebooks. None: nothing. Or a function of the
        stage, the number of finished cells, and the number of cells.

    Examples
    --------
    Two encoders that differ by a permutation, signs and scales of units, and a shift:

    >>> import numpy as np
    >>> from similitude.latent.align.relative import Robust
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(300) % 3
    >>> x = rng.normal(size=(300, 6)) + 4 * np.eye(6)[labels]
    >>> y = 9 * x[:, ::-1] * [1, -2, 3, -1, 2, 5] + 7
    >>> def rows(z):
    ...     return Embeddings(train=z[:100], test=z[100:200], anchors=z[200:])
    >>> data = StitchingData(labels[:100], labels[100:200])
    >>> both = {"x": rows(x), "y": rows(y)}
    >>> means = stitching_table(both, None, data, [Robust()], [0]).overall()
    >>> means["robust"]["stitched"] > 95 > means["absolute"]["stitched"]
    True
    """
    named = read_transforms(transforms, allow_duplicates=allow_duplicates)
    decoders = _decoders(encoders, decoders)
    if len(set(seeds)) != len(seeds) or not seeds:
        raise InvalidInput(f"seeds={list(seeds)}; give one or more distinct seeds.")
    spaces = _spaces(encoders, data, seeds, anchors)
    kept = KeptRows()
    runs = [
        DecoderRun(spaces[seed], data, name, decoder, seed, kept=kept)
        for seed in seeds
        for name, decoder in decoders.items()
    ]
    jobs = {
        run.job(encoder, transform): (run, encoder, transform)
        for run in runs
        for transform in named
        for encoder in encoders
        if pairs is None or (encoder, run.decoder.home) in pairs
    }
    targets = {name: data_of(data, name).test_labels for name in encoders}
    facts = TableFacts(
        targets,
        {transform.name: transform.explanation for transform in named},
        len(next(iter(spaces[seeds[0]].values())).anchors),
        dict(baselines or {}),
    )
    cells: list[Cell] = []
    with (
        reporting(progress, "cells") as report,
        _cell_folder(out, spaces, list(jobs), facts) as (done, folder),
    ):
        report("stitching", 0, len(jobs))
        for run, group in itertools.groupby(jobs.items(), lambda item: item[1][0]):
            with run.one_thread(in_cell=False):
                for job, (_, encoder, transform) in group:
                    cell = done.get(job)
                    if cell is None or not cell.complete or not facts.fit(cell):
                        cell = run.cell(encoder, transform, job)
                        if folder is not None:
                            folder.append([cell])
                    cells.append(cell)
                    report("stitching", len(cells), len(jobs))
            run.heads.clear()  # keep the heads of one decoder at a time
    notes = () if folder is None else folder.notes()
    return table_of(cells, facts, notes)


@contextmanager
def _cell_folder(
    out: str | Path | None,
    spaces: Mapping[int, Mapping[str, Embeddings]],
    jobs: list[str],
    facts: TableFacts,
) -> Iterator[tuple[dict[str, Cell], Folder | None]]:
    """Open the folder; yield its cells and the folder, to append new cells."""
    if out is None:
        yield {}, None
        return
    folder = cells_in(out)
    inputs = tuple(
        RepresentationRecord(name, space.sha256, seed=seed)
        for seed, by_name in spaces.items()
        for name, space in by_name.items()
    )
    folder.start(RunRecord(__version__, tuple(jobs), inputs, meta=facts.to_dict()))
    with closing(folder):
        yield folder.rows(), folder


def _decoders(
    encoders: Mapping[str, Any], decoders: Mapping[str, Decoder] | None
) -> Mapping[str, Decoder]:
    if not encoders:
        raise InvalidInput("encoders is empty; give a mapping with at least one.")
    if decoders is None:
        return {name: Decoder(name) for name in encoders}
    for name, decoder in decoders.items():
        if not isinstance(decoder, Decoder):
            raise InvalidInput(
                f"decoders: {name!r} is {type(decoder).__name__}; give Decoder(home, "
                f"head=...) or Decoder(home, live=module)."
            )
        problem = f"decoders: the home {decoder.home!r} of {name!r} is not an encoder"
        check_known(decoder.home, encoders, problem)
    return decoders


def _check_parallel(spaces: dict[str, Embeddings]) -> None:
    counts = {name: len(space.anchors) for name, space in spaces.items()}
    if len(set(counts.values())) > 1:
        raise InvalidInput(
            f"the encoders have {counts} anchors; give equally many, where row i means "
            f"the same in all. See align.anchors.parallel."
        )


def _spaces(
    encoders: Mapping[str, Any],
    data: StitchingData | Mapping[str, StitchingData],
    seeds: Sequence[int],
    anchors: int | None,
) -> dict[int, dict[str, Embeddings]]:
    """Embed the data by all encoders for every seed, and draw each seed's anchors."""
    found = {}
    cache: dict[tuple[int, int], Embeddings] = {}
    for seed in seeds:
        spaces = spaces_of(encoders, data, seed, cache)
        _check_parallel(spaces)
        pool = len(next(iter(spaces.values())).anchors)
        if anchors is not None and anchors != pool:  # other orders change nothing
            chosen = _anchors.uniform(pool, anchors, rng=seed)
            spaces = {k: s.with_anchors(chosen) for k, s in spaces.items()}
        found[seed] = spaces
    return found
