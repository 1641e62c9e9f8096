"""The numbers of one model, or of one pair of models."""

from typing import Any

import numpy as np

from similitude.errors import Undefined
from similitude.identifiability import fg_distance, kl, llv_distance, m_cca

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
    sets = None
    size, draws, seed = p.dimension + 1, content["draws"], content["draw_seed"]
    try:
        if compat and size * draws <= p.n:
            order = np.random.RandomState(seed).choice(p.n, size * draws, replace=False)
            sets = order.reshape(draws, size)
        llv = llv_distance(
            p,
            q,
            weight=content["weight"],
            aggregate=content["aggregate"],
            reduce=content["reduce"],
            draws=draws,
            input_sets=sets,
            rng=seed,
            compat=compat,
        )
        fg = fg_distance(p, q, llv=llv, rng=seed)
    except Undefined as error:
        return DistanceRow(**content, status="undefined", reason=str(error))
    return DistanceRow(
        **content,
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


def mcca_row(item: Item) -> MccaRow:
    content, _, p, q = item
    try:
        f, g = m_cca(p.f, q.f), m_cca(p.g, q.g)
    except Undefined as error:
        return MccaRow(**content, status="undefined", reason=str(error))
    return MccaRow(**content, m_cca_f=f, m_cca_g=g)
