"""Every encoder with every decoder, by every transform, for every seed."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ... import __version__
from ...align import anchors as _anchors
from ...align.relative import Relative
from ...engine import Progress
from ...errors import InvalidInput
from ._bench import Bench
from ._cells import Cell, cells_in
from ._heads import Decoder
from ._results import StitchingTable
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
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> StitchingTable:
    """Zero-shot stitching of every encoder to every decoder.

    A decoder is trained on the training rows of its home encoder, as they are or as a
    transform gives them, and then reads the test rows of every encoder. Two baselines
    are always there: ``"absolute"``, which hands rows over as they are, and
    ``"procrustes"``, the best rotation with scale and shift between the anchors, which
    is hard to beat where both spaces are at hand.

    Parameters
    ----------
    encoders
        Name -> a torch module, any function of inputs, `Embeddings` that were
        computed before, or `PerSeed` of these.
    decoders
        Name -> `Decoder`; None gives every encoder a decoder of its own name, with a
        `LogisticHead`.
    data
        The task, or one for each encoder (domains), by its name.
    transforms
        Relative transforms and names of transforms and maps; or a mapping of names of
        your own to transforms and functions that fit maps.
    seeds
        Each is a repetition: it draws the anchors (if `anchors` is given), seeds the
        heads, and chooses among `PerSeed` encoders.
    anchors
        How many to draw from those of the data, uniformly, the same in all spaces.
    out
        A folder that keeps every cell as soon as it is there, as that of `compare`
        keeps rows. Cells of the same rows, labels, head, transform and seed are not
        computed again, so that a run that was stopped goes on when it is repeated.
        Functions (that fit maps, or are decoders) are known by their code, their
        options and what they enclose; not by what they find in global names.
    progress
        Called with the stage, the number of cells done, and their number.

    Examples
    --------
    Two encoders that differ by a permutation, signs and scales of units, and a shift:

    >>> import numpy as np
    >>> from similitude.align.relative import Robust
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
    named = read_transforms(transforms)
    decoders = _decoders(encoders, decoders)
    if len(set(seeds)) != len(seeds) or not seeds:
        raise InvalidInput(f"seeds={list(seeds)}; give one or more, each once.")
    spaces = _spaces(encoders, data, seeds, anchors)
    benches = [
        Bench(spaces[seed], data, name, decoder, seed)
        for seed in seeds
        for name, decoder in decoders.items()
    ]
    jobs = {
        bench.job(encoder, transform): (bench, encoder, transform)
        for bench in benches
        for transform in named
        for encoder in encoders
    }
    cells: list[Cell] = []
    with _keeping(out, spaces, list(jobs)) as (done, keep):
        for bench, group in itertools.groupby(jobs.items(), lambda item: item[1][0]):
            for job, (_, encoder, transform) in group:
                cell = done.get(job)
                if cell is None:
                    cell = bench.cell(encoder, transform, job)
                    keep([cell])
                cells.append(cell)
                if progress is not None:
                    progress("stitching", len(cells), len(jobs))
            bench.heads.clear()  # those of one decoder at a time
    targets = {name: data_of(data, name).test_labels for name in encoders}
    return StitchingTable(tuple(cells), targets)


@contextmanager
def _keeping(
    out: str | Path | None,
    spaces: Mapping[int, Mapping[str, Embeddings]],
    jobs: list[str],
) -> Iterator[tuple[dict[str, Cell], Callable[[list[Cell]], None]]]:
    """Cells that are there already, and what keeps new ones."""
    if out is None:
        yield {}, lambda cells: None
        return
    folder = cells_in(out)
    known = [
        {"name": name, "seed": seed, "sha256": space.sha256}
        for seed, by_name in spaces.items()
        for name, space in by_name.items()
    ]
    folder.start({"version": __version__, "representations": known, "jobs": jobs})
    with closing(folder):
        yield folder.rows(), folder.append


def _decoders(
    encoders: Mapping[str, Any], decoders: Mapping[str, Decoder] | None
) -> Mapping[str, Decoder]:
    if not encoders:
        raise InvalidInput("encoders is empty; give one or more, by name.")
    if decoders is None:
        return {name: Decoder(name) for name in encoders}
    for name, decoder in decoders.items():
        if not isinstance(decoder, Decoder):
            raise InvalidInput(
                f"decoders: {name!r} is {type(decoder).__name__}; give Decoder(home, "
                f"head=...) or Decoder(home, live=module)."
            )
        if decoder.home not in encoders:
            raise InvalidInput(
                f"decoders: {name!r} has its home in {decoder.home!r}, which is no "
                f"encoder; they are {', '.join(encoders)}."
            )
    return decoders


def _check_parallel(spaces: dict[str, Embeddings]) -> None:
    counts = {name: len(space.anchors) for name, space in spaces.items()}
    if len(set(counts.values())) > 1:
        raise InvalidInput(
            f"the encoders have {counts} anchors; row i must mean the same in all, so "
            f"there are equally many. See align.anchors.parallel."
        )


def _spaces(
    encoders: Mapping[str, Any],
    data: StitchingData | Mapping[str, StitchingData],
    seeds: Sequence[int],
    anchors: int | None,
) -> dict[int, dict[str, Embeddings]]:
    """The rows of all encoders for every seed, with the anchors that it draws."""
    found = {}
    cache: dict[tuple[int, int], Embeddings] = {}
    for seed in seeds:
        spaces = spaces_of(encoders, data, seed, cache)
        _check_parallel(spaces)
        if anchors is not None:
            pool = len(next(iter(spaces.values())).anchors)
            chosen = _anchors.uniform(pool, anchors, rng=seed)
            spaces = {k: s.with_anchors(chosen) for k, s in spaces.items()}
        found[seed] = spaces
    return found
