"""Distances of constructed models: growing noise, and growing unembeddings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from similitude import __version__
from similitude.identifiability import (
    f_distance,
    fg_distance,
    g_distance,
    kl,
    llv_distance,
    m_cca,
)
from similitude.plugins import Progress, check_at_least

from ...study import table_of
from ..constructions import noisy_family, permuted_circle

__all__ = ["kl_table", "noise_sweep"]

WEIGHT = 1e-5
SWEEP_DRAWS, TABLE_DRAWS = 300, 100  # sets of inputs, as in the paper


def noise_sweep(
    labels: int,
    *,
    seed: int = 0,
    steps: int = 250,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Distances between a constructed model and copies with growing noise.

    As in the paper, the set of inputs is chosen for the first copy and then kept. The
    pivot and the left-out label are chosen for each copy.

    Parameters
    ----------
    labels
        K: 4, 5, 6, 10 or 18.
    seed
        Seed of the models, of the noise and of the sets of inputs.
    steps
        Number of copies.
    progress
        Called with the stage, the number of finished copies and their total.

    Returns
    -------
    dict
        The columns ``noise``, ``d_llv``, ``t1``, ``t2``, ``d_f``, ``d_g``, ``d_fg``,
        one entry per copy, and the options.

    Examples
    --------
    >>> sweep = noise_sweep(4, steps=2)
    >>> [round(t1, 4) for t1 in sweep["t1"]]
    [0.0014, 0.0027]
    """
    check_at_least("steps", steps, 1)
    family = noisy_family(labels, seed, steps=steps)
    rows = []
    chosen: np.ndarray | None = None
    for i, copy in enumerate(family):
        pair = (family.base, copy)
        llv = llv_distance(
            *pair, weight=WEIGHT, draws=SWEEP_DRAWS, input_sets=chosen, rng=seed
        )
        chosen = np.array([llv.inputs])
        d_f = f_distance(*pair, pivot=llv.pivot, left_out=llv.left_out, rng=seed).value
        d_g = g_distance(*pair, llv.inputs)
        row = {"noise": family.sd(i), "d_llv": llv.value, "t1": llv.t1, "t2": llv.t2}
        rows.append(row | {"d_f": d_f, "d_g": d_g, "d_fg": max(d_f, d_g)})
        progress(f"K = {labels}", i + 1, steps)
    return _options(seed, SWEEP_DRAWS) | {"labels": labels} | table_of(rows)


def kl_table(
    lengths: Sequence[float] = tuple(range(1, 21)),
    *,
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """The table of the paper: KL goes to 0, and the other distances do not.

    Parameters
    ----------
    lengths
        Lengths of the unembeddings; 1 to 20 in the paper.
    seed
        Each length has its own random stream of this seed.
    progress
        Called with the stage, the number of finished rows and their total.

    Returns
    -------
    dict
        Columns with the names in the authors' code: ``g_length``, ``KL_div``,
        ``d_prob`` (d_LLV), ``mCCA_f``, ``mCCA_g``, ``max_d_rep_f``, ``max_d_rep_g``
        (d_SVD), and the options.

    Examples
    --------
    >>> table = kl_table([1, 10])
    >>> [round(value, 3) for value in table["KL_div"]]
    [0.788, 0.02]
    """
    rows = []
    for number, length in enumerate(lengths, 1):
        stream = np.random.SeedSequence(seed, spawn_key=(number,))
        pair = permuted_circle(float(length), stream)
        p, q = pair.first, pair.second
        llv = llv_distance(p, q, weight=WEIGHT, draws=TABLE_DRAWS, rng=seed)
        fg = fg_distance(p, q, llv=llv, rng=seed)
        row = {"g_length": length, "KL_div": kl(p, q), "d_prob": llv.value}
        row |= {"mCCA_f": m_cca(p.f, q.f), "mCCA_g": m_cca(p.g, q.g)}
        rows.append(row | {"max_d_rep_f": fg.d_f.value, "max_d_rep_g": fg.d_g})
        progress("table", number, len(lengths))
    return _options(seed, TABLE_DRAWS) | table_of(rows)


def _options(seed: int, draws: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "weight": WEIGHT,
        "aggregate": "max",
        "reduce": "max",
        "draws": draws,
        "versions": {"similitude": __version__, "numpy": np.__version__},
    }
