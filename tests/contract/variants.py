"""Every measure with every combination of options that changes its claims."""

import itertools

from similitude import MEASURES, InvalidInput, Measure
from similitude._base._record import listed_values
from similitude.measures import (
    CKA,
    DLLV,
    GULP,
    IMD,
    KNN,
    LCSKNN,
    RBF,
    RSA,
    SVCCA,
    Diffusion,
    DistanceCorrelation,
    KNNJaccard,
    Laplacian,
    LinearRegression,
    MeanCCA,
    MinibatchCKA,
    MutualKNN,
    Polynomial,
    Procrustes,
    RankSimilarity,
    RetrievalMRR,
    ShapeMetric,
    SoftMatching,
)


def combinations(default: Measure) -> list[Measure]:
    """All combinations of named values; the first for each set of claims."""
    names = {name: listed_values(hint) for name, hint in default._hints().items()}
    names = {name: values for name, values in names.items() if values}
    first: dict = {}
    for values in itertools.product(*names.values()):
        try:
            variant = type(default)(**dict(zip(names, values, strict=True)))
        except InvalidInput:  # this combination is not allowed
            continue
        first.setdefault(variant.claims(), variant)
    return list(first.values())


# Numeric options have no named values; some values share claims, but not code.
NUMBERS = [
    GULP(ridge=0.0),
    GULP(ridge=0.0, form="squared"),
    IMD(estimator="stochastic", steps=4, draws=5),
    CKA(kernel=Polynomial(degree=2)),
    CKA(kernel=RBF(fraction=0.5)),
    CKA(kernel=RBF(sigma=1.0)),
    CKA(kernel=RBF(sigma=1.0), form="angular"),
    CKA(kernel=Laplacian(sigma=1.0), estimator="biased"),
    CKA(kernel=Laplacian()),
    CKA(kernel=KNN(k=3)),
    CKA(kernel=Diffusion(t=5)),
    CKA(kernel=Diffusion(sigma=1.0)),
    DistanceCorrelation(estimator="biased", form="root"),
    DLLV(aggregate="sum", reduce="mean", weight=1.0, draws=50),
    MeanCCA(shrinkage=0.1),
    KNNJaccard(query_rows=25),
    LCSKNN(query_rows=25, metric="euclidean"),
    MutualKNN(query_rows=25),
    RankSimilarity(query_rows=25),
    RetrievalMRR(query_rows=25),
    MinibatchCKA(batch=16),
    SVCCA(by="singular_values"),
    LinearRegression(ridge=1.0),
    LinearRegression(cross_validated=True, ridge=1.0, folds=3),
    Procrustes(form="euclidean"),
    ShapeMetric(alpha=0.0),
    ShapeMetric(alpha=1.0),
    SoftMatching(mass=0.6),
    SoftMatching(mass=0.6, normalize="none"),
    *(RSA(outer=outer) for outer in ("kendall_a", "kendall_b", "whitened_cosine")),
]

VARIANTS = list(
    dict.fromkeys([v for m in MEASURES.values() for v in combinations(m)] + NUMBERS)
)
