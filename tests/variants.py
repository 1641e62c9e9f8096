"""Every measure with every choice of options that changes what it claims."""

from similitude import (
    CKA,
    RSA,
    Disagreement,
    LinearRegression,
    MeanCCA,
    MutualKNN,
    Procrustes,
)

OUTERS = ("spearman", "pearson", "kendall_a", "kendall_b", "cosine", "whitened_cosine")

VARIANTS = [
    *(
        CKA(kernel=kernel, estimator=estimator)
        for kernel in ("linear", "rbf", "laplacian", "polynomial")
        for estimator in ("unbiased", "biased")
    ),
    CKA(form="angular"),
    CKA(form="angular", estimator="biased"),
    CKA(kernel="rbf", form="angular"),
    CKA(kernel="rbf", fraction=0.5),
    CKA(kernel="rbf", sigma=1.0),
    CKA(kernel="laplacian", sigma=1.0, estimator="biased"),
    MeanCCA(),
    MeanCCA(squared=True),
    MeanCCA(shrinkage=0.1),
    *(
        Procrustes(form=form, cross_validated=cross_validated)
        for form in ("angular", "euclidean", "squared", "similarity")
        for cross_validated in (False, True)
    ),
    LinearRegression(),
    LinearRegression(ridge=1.0),
    LinearRegression(cross_validated=True),
    LinearRegression(cross_validated=True, ridge=1.0, folds=3),
    *(RSA(outer=outer) for outer in OUTERS),
    *(RSA(inner="cosine", outer=outer) for outer in ("spearman", "pearson")),
    *(RSA(inner="euclidean", outer=outer) for outer in OUTERS),
    *(RSA(inner="sqeuclidean", outer=o) for o in ("spearman", "whitened_cosine")),
    MutualKNN(),
    MutualKNN(metric="euclidean", k=3),
    Disagreement(),
    Disagreement(normalized=True),
]
