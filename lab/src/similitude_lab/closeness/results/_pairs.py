"""The numbers of one model, or of one pair of models."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from similitude.errors import Undefined
from similitude.identifiability import fg_distance, kl, llv_distance, m_cca
from similitude.inputs import SoftmaxModel

from ._authors_files import m_svds_f
from ._rows import AccuracyRow, DistanceRow, MccaRow

Item = tuple[Any, ...]  # fields of the row, labels of the inputs, one or two models


def accuracy_row(item: Item) -> AccuracyRow:
    content, labels, model = item
    accuracy, nll = model.accuracy(labels), model.nll(labels)
    return AccuracyRow(**content, accuracy=accuracy, nll=nll)


def distance_row(item: Item) -> DistanceRow:
    content, _, p, q = item
    compat = content["input_sets"] == "RandomState"
    seed = content["draw_seed"]
    sets = _authors_sets(p, content) if compat else None
    compute = partial(
        llv_distance,
        p,
        q,
        weight=content["weight"],
        aggregate=content["aggregate"],
        reduce=content["reduce"],
        draws=content["draws"],
        rng=seed,
        compat=compat,
    )
    note = ""
    try:
        try:
            llv = compute(input_sets=sets)
        except Undefined:
            if sets is None or not 0 < len(kept := _diverse(sets, p, q)) < len(sets):
                raise
            llv = compute(input_sets=kept)
            note = "the best set of inputs is not diverse; the best diverse one is used"
        fg = fg_distance(p, q, llv=llv, rng=seed)
    except Undefined as error:
        return DistanceRow(**content, status="undefined", reason=str(error))
    return DistanceRow(
        **content,
        reason=note,
        d_llv=llv.value,
        t1=llv.t1,
        t2=llv.t2,
        t3=llv.t3,
        t4=llv.t4,
        pivot=llv.pivot,
        left_out=llv.left_out,
        input_set=llv.inputs,
        d_fg=fg.value,
        d_f=fg.d_f.value,
        d_f_labels=fg.d_f.labels,
        d_f_exact=fg.exact,
        d_g=fg.d_g,
        kl_ab=kl(p, q),
        kl_ba=kl(q, p),
        m_svd_f=m_svds_f(p, q, llv.pivot, llv.left_out) if compat else None,
    )


def _authors_sets(p: SoftmaxModel, content: Mapping[str, Any]) -> np.ndarray | None:
    """The sets of this pair: each pair draws in turn, after one seed."""
    size, draws = p.dimension + 1, content["draws"]
    if size * draws > p.n:
        return None
    state = np.random.RandomState(content["draw_seed"])
    for _ in range(content["draw_number"]):
        state.permutation(p.n)
    order = state.choice(p.n, size * draws, replace=False)
    return order.reshape(draws, size)


def _diverse(sets: np.ndarray, p: SoftmaxModel, q: SoftmaxModel) -> np.ndarray:
    """The sets whose differences of embeddings have full rank in both models."""
    kept = np.ones(len(sets), bool)
    for model in (p, q):
        rows = model.f[sets]
        s = np.linalg.svd(rows[:, 1:] - rows[:, :1], compute_uv=False)
        noise = np.abs(rows).max(axis=(1, 2)) * model.eps * 4 * sets.shape[1]
        kept &= s[:, -1] > noise
    return sets[kept]


def mcca_row(item: Item) -> MccaRow:
    content, _, p, q = item
    try:
        f, g = m_cca(p.f, q.f), m_cca(p.g, q.g)
    except Undefined as error:
        return MccaRow(**content, status="undefined", reason=str(error))
    return MccaRow(**content, m_cca_f=f, m_cca_g=g)
