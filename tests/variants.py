"""Every measure with every choice of options that changes what it claims."""

from similitude import CKA, MEASURES, RSA, LinearRegression, MeanCCA, Procrustes

# Each listed value of each option follows by itself. Here: numbers, which cannot be
# listed, and combinations in which one option changes what another one does.
COMBINATIONS = [
    *(
        CKA(kernel=kernel, estimator="biased")
        for kernel in ("rbf", "laplacian", "polynomial")
    ),
    CKA(form="angular", estimator="biased"),
    CKA(kernel="rbf", form="angular"),
    CKA(kernel="rbf", fraction=0.5),
    CKA(kernel="rbf", sigma=1.0),
    CKA(kernel="laplacian", sigma=1.0, estimator="biased"),
    MeanCCA(shrinkage=0.1),
    *(
        Procrustes(form=form, cross_validated=True)
        for form in ("euclidean", "squared", "similarity")
    ),
    LinearRegression(ridge=1.0),
    LinearRegression(cross_validated=True, ridge=1.0, folds=3),
    *(RSA(inner="cosine", outer=outer) for outer in ("pearson", "whitened_cosine")),
    *(RSA(inner="euclidean", outer=outer) for outer in ("pearson", "kendall_b")),
    RSA(inner="sqeuclidean", outer="whitened_cosine"),
]

VARIANTS = list(
    dict.fromkeys([v for m in MEASURES.values() for v in m.variants()] + COMBINATIONS)
)
