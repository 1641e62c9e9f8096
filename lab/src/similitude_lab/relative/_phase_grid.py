"""Phase diagram: accuracy of each transform after a known change of coordinates."""

import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.latent import stitching as training
from similitude.latent.align.relative import Relative
from similitude.plugins import as_seed, check_at_least, check_positive
from similitude.transformations import find_group, sample_element

from ..study import Frame, table_of

__all__ = ["phase_diagram"]

#: Changes of coordinates: name -> groups to multiply; "warp" is not a group.
CHANGES: Mapping[str, tuple[str, ...]] = types.MappingProxyType(
    {
        "permutation": ("permutation",),
        "permutation x diagonal + shift": ("permutation", "diagonal", "translation"),
        "rotation + scale": ("rotation", "isotropic_scale"),
        "rotation + shift": ("rotation", "translation"),
        "affine": ("linear", "translation"),
        "permutation + warp": ("permutation", "warp"),
    }
)

HOME = "home"
WARP = 0.5  # factor of the tanh of a standardized unit, which is added to it


def phase_diagram(
    transforms: Sequence[str | Relative] = (
        "cosine",
        "centered_cosine",
        "robust",
        "whitened_cosine",
    ),
    changes: Mapping[str, tuple[str, ...]] = CHANGES,
    *,
    dimensions: Sequence[int] = (4, 8, 16, 32, 64),
    anchors: Sequence[int] = (4, 8, 16, 32, 64, 128),
    seeds: Sequence[int] = (0, 1),
    classes: int = 5,
    samples: int = 300,
    spread: float = 4.0,
    head: training.Head = training.LogisticHead(ridge=1e-3, iterations=200),  # noqa: B008
) -> dict[str, np.ndarray]:
    r"""Measure how much of a decoder's accuracy remains after a change of coordinates.

    Rows are a planted mixture: classes of unit variance around random means at
    distances of about 6. Like units of networks, the coordinates have different scales
    (log-uniform in [1 / spread, spread]) and are away from the origin. A decoder is
    trained on these rows. It is then tested on the same test samples after a random
    change of coordinates, through each transform. The anchors change in the same way.

    Parameters
    ----------
    transforms
        As for `stitching_table`, which also adds the baselines "absolute" and
        "procrustes".
    changes
        Name -> the groups whose random elements are multiplied: permutation, sign,
        isotropic_scale, column_scale, diagonal, rotation, linear, translation,
        row_scale, ...; and warp, which is nonlinear and comes first:
        :math:`u + \tanh(u) / 2` of the standardized coordinate.
    dimensions, anchors
        The grid: d and k.
    seeds
        Seeds of the mixture, the change and the anchors.
    samples
        Number of training samples, and of test samples.
    spread
        1 gives coordinates of equal scale, where standardizing them only changes their
        mean.

    Returns
    -------
    dict of columns, one entry for each transform, change, d, k and seed
        ``transform``, ``change``, ``d``, ``k``, ``seed``; ``stitched``, ``own`` (the
        decoder on its own encoder) and ``ceiling`` (the same without a transform), in
        percent; ``kept``: (stitched - chance) / (ceiling - chance), 1 if no accuracy
        is lost, about 0 if all is lost. NaN if a transform is undefined for so few
        anchors.

    Examples
    --------
    >>> grid = {"dimensions": [8], "anchors": [32], "seeds": [0]}
    >>> found = phase_diagram(["robust"], {"p": ("permutation", "diagonal")}, **grid)
    >>> found["transform"]
    array(['absolute', 'procrustes', 'robust'], dtype='<U10')
    >>> bool(found["kept"][2] > 0.95 > 0.8 > found["kept"][:2].max())
    True
    """
    _check(changes, dimensions, anchors, seeds)
    check_at_least("classes", classes, 2)
    check_at_least("samples", samples, 2 * classes)
    check_positive("spread", spread)
    labels = np.arange(2 * samples) % classes
    data = training.StitchingData(labels[:samples], labels[samples:])
    decoders = {HOME: training.Decoder(HOME, head)}
    rows: list[dict[str, Any]] = []
    for d, seed in itertools.product(dimensions, seeds):
        most = max(anchors)
        spaces = _spaces(d, seed, changes, labels, n_anchors=most, spread=spread)
        for k in anchors:
            chosen = {n: s.with_anchors(np.arange(k)) for n, s in spaces.items()}
            table = training.stitching_table(chosen, decoders, data, transforms, [seed])
            own = {c.transform: c.accuracy for c in table.where(encoder=HOME)}
            rows += [
                {
                    "transform": cell.transform,
                    "change": cell.encoder,
                    "d": d,
                    "k": k,
                    "seed": cell.seed,
                    "stitched": cell.accuracy,
                    "own": own[cell.transform],
                    "ceiling": own["absolute"] or 0.0,
                }
                for cell in table.cells
                if cell.encoder != HOME
            ]
    found = Frame(table_of(rows)).columns
    found |= {name: found[name].astype(float) for name in ("stitched", "own")}
    chance = 100.0 / classes
    kept = (found["stitched"] - chance) / (found["ceiling"] - chance)
    return found | {"kept": kept}


def _check(
    changes: Mapping[str, tuple[str, ...]],
    dimensions: Sequence[int],
    anchors: Sequence[int],
    seeds: Sequence[int],
) -> None:
    if not (changes and dimensions and anchors and seeds):
        raise InvalidInput(
            "one of changes, dimensions, anchors and seeds is empty; give at least "
            "one entry for each."
        )
    for name, groups in changes.items():
        if name == HOME:
            raise InvalidInput(
                f"changes: {HOME!r} is reserved for the encoder without a change; "
                f"choose another name."
            )
        for group in groups:
            if group != "warp":
                find_group(group)
    for d in dimensions:
        check_at_least("dimensions", d, 2)
    for k in anchors:
        check_at_least("anchors", k, 2)


def _spaces(
    d: int,
    seed: int,
    changes: Mapping[str, tuple[str, ...]],
    labels: np.ndarray,
    *,
    n_anchors: int,
    spread: float,
) -> dict[str, training.Embeddings]:
    """Return the planted rows, unchanged and after every change; anchors come last."""
    first, *others = as_seed(seed).spawn(1 + len(changes))
    rng = np.random.default_rng(first)
    classes = int(labels.max()) + 1
    means = rng.normal(size=(classes, d)) * 4.2 / np.sqrt(d)
    class_of = np.concatenate([labels, rng.integers(classes, size=n_anchors)])
    x = means[class_of] + rng.normal(size=(len(class_of), d))
    x = (x + rng.normal(size=d)) * spread ** rng.uniform(-1.0, 1.0, size=d)
    found = {HOME: _split(x, len(labels))}
    for (name, groups), other in zip(changes.items(), others, strict=True):
        move = _change(groups, d, np.random.default_rng(other), x)
        found[name] = _split(move(x), len(labels))
    return found


def _split(x: np.ndarray, n: int) -> training.Embeddings:
    return training.Embeddings(train=x[: n // 2], test=x[n // 2 : n], anchors=x[n:])


def _change(
    groups: tuple[str, ...], d: int, rng: np.random.Generator, x: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    element = sample_element(tuple(g for g in groups if g != "warp"), d, rng)
    if "warp" not in groups:
        return element
    mean, deviation = x.mean(axis=0), x.std(axis=0)

    def warp(z: np.ndarray) -> np.ndarray:
        u = (z - mean) / deviation
        return element((u + WARP * np.tanh(u)) * deviation + mean)

    return warp
