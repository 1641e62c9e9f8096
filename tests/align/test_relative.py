"""Relative transforms: the facts of the specification, and naive formulas."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import torch

import similitude
from similitude import InvalidInput, Undefined
from similitude.align import relative
from similitude.align._groups import GROUPS, random_orthogonal, sample_element
from similitude.align.relative import TRANSFORMS, Cosine, Euclidean, Robust

RNG = np.random.default_rng(11)
D, K = 6, 9
X = RNG.normal(size=(40, D)) + 0.3
A = X[:K]
TRAIN = RNG.normal(size=(200, D)) * np.arange(1, D + 1) + 0.2


def options(**more: Any) -> dict[str, Any]:
    """All transforms, and the options that change what they are invariant to."""
    made = {name: record() for name, record in TRANSFORMS.items()}
    made["sparse_cosine"] = relative.SparseCosine(keep=4, power=2.0)
    for stats in ("batch", "train"):
        made[f"robust {stats}"] = Robust(stats=stats)
        made[f"centred {stats}"] = relative.CentredCosine(stats=stats)
    made["robust eps"] = Robust(eps=1e-5)
    made["whitened train"] = relative.WhitenedCosine(stats="train")
    made["whitened shrunk"] = relative.WhitenedCosine(shrinkage=0.1)
    made["sum"] = relative.Product(aggregate="sum")
    made["product robust"] = relative.Product(
        parts=(Robust(stats="train"), Euclidean(normalize="column"))
    )
    for how in ("l2", "layer", "column"):
        made[f"euclidean {how}"] = Euclidean(normalize=how)
        made[f"inner {how}"] = relative.Inner(normalize=how)
        made[f"product {how}"] = relative.Product(normalize=how)
    return made


ALL = options()


def fit(transform: relative.Relative, anchors: Any, train: Any) -> relative.Fitted:
    return transform.fit(anchors, train if transform.takes_reference else None)


def anchors_for(transform: relative.Relative) -> np.ndarray:
    """A basis needs as many anchors as dimensions."""
    return A[:D] if transform.name == "change_of_basis" else A


def norm(p: float) -> Callable[[np.ndarray, np.ndarray], float]:
    return lambda x, a: float(np.linalg.norm(x - a, ord=p))


def cos(x: np.ndarray, a: np.ndarray) -> float:
    return float(x @ a / np.linalg.norm(x) / np.linalg.norm(a))


def whitened(x: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(np.cov(A.T, bias=True))
    return vectors @ np.diag(values**-0.5) @ vectors.T @ (x - A.mean(axis=0))


NAIVE = {
    "cosine": cos,
    "scaled_cosine": lambda x, a: cos(x, a) / np.sqrt(D),
    "centred_cosine": lambda x, a: cos(x - A.mean(axis=0), a - A.mean(axis=0)),
    "robust": lambda x, a: cos(
        (x - A.mean(axis=0)) / A.std(axis=0), (a - A.mean(axis=0)) / A.std(axis=0)
    ),
    "whitened_cosine": lambda x, a: cos(whitened(x), whitened(a)),
    "angular": lambda x, a: np.arccos(np.clip(cos(x, a), -1, 1)) / np.pi,
    "inner": lambda x, a: x @ a / np.sqrt(D),
    "euclidean": norm(2),
    "l1": norm(1),
    "linf": norm(np.inf),
}


@pytest.mark.parametrize("name", NAIVE)
def test_naive_formula(name: str) -> None:
    expected = [[NAIVE[name](x, a) for a in A] for x in X]
    got = TRANSFORMS[name]().fit(A)(X)
    atol = 3e-8 if name == "angular" else 1e-14  # the naive arc cosine, at 1
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=atol)


def test_change_of_basis_solves() -> None:
    for k in (3, D, K):
        c = relative.ChangeOfBasis().fit(A[:k])(X)
        best = np.linalg.lstsq(A[:k].T, X.T, rcond=None)[0].T
        np.testing.assert_allclose(c, best, atol=1e-10)


def test_sparse_keeps_the_largest() -> None:
    plain = Cosine().fit(A)(X)
    sparse = relative.SparseCosine(keep=3, power=2.0, normalize="l2").fit(A)(X)
    for row, full in zip(sparse, plain, strict=True):
        kept = np.flatnonzero(row)
        assert set(kept) == set(np.argsort(-full)[:3])
        powered = np.sign(full[kept]) * full[kept] ** 2
        np.testing.assert_allclose(row[kept], powered / np.linalg.norm(powered))


def test_statistics_are_whose_they_say() -> None:
    def standard(x: np.ndarray, of: np.ndarray) -> np.ndarray:
        z = (x - of.mean(axis=0)) / of.std(axis=0)
        return z / np.linalg.norm(z, axis=1, keepdims=True)

    for stats, x, a in (
        ("anchors", standard(X, A), standard(A, A)),
        ("train", standard(X, TRAIN), standard(A, TRAIN)),
        ("batch", standard(X, X), standard(A, A)),
    ):
        got = fit(Robust(stats=stats), A, TRAIN)(X)
        np.testing.assert_allclose(got, x @ a.T, atol=1e-12)


def test_fact_1_cosine_survives_rotation_and_scale() -> None:
    q, s = random_orthogonal(D, RNG), 7.3
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-6)):
        x, y = X.astype(dtype), (s * X @ q).astype(dtype)
        before, after = Cosine().fit(x[:K])(x), Cosine().fit(y[:K])(y)
        assert after.dtype == dtype
        np.testing.assert_allclose(after, before, atol=tolerance, rtol=0)


def test_fact_2_cosine_sees_shifts_and_diagonals() -> None:
    before = Cosine().fit(A)(X)
    for y in (X + 1.0, X * np.linspace(0.2, 5, D)):
        assert np.abs(Cosine().fit(y[:K])(y) - before).max() > 1e-2


@pytest.mark.parametrize("stats", ["anchors", "batch", "train"])
def test_fact_3_robust_survives_diagonal_permutation_shift(stats: str) -> None:
    diagonal = np.array([1e-3, -1e-3, 1e3, -1.0, 0.1, -1e3])
    order = RNG.permutation(D)
    transform = Robust(stats=stats)
    for dtype, shift, tolerance in (
        ("float64", 0.0, 1e-12),
        ("float64", 0.1, 1e-12),
        ("float64", 10.0, 1e-11),  # at 1e-3 the input itself keeps 12 digits
        ("float32", 0.0, 1e-6),
        ("float32", 10.0, 1e-3),
    ):
        t = shift * RNG.uniform(-1, 1, size=D)
        x = X.astype(dtype)
        train = TRAIN.astype(dtype)
        y, other = ((z * diagonal.astype(dtype))[:, order] + t for z in (x, train))
        before = fit(transform, x[:K], train)(x)
        after = fit(transform, y.astype(dtype)[:K], other.astype(dtype))(
            y.astype(dtype)
        )
        np.testing.assert_allclose(after, before, atol=tolerance, rtol=0)


def test_fact_3_robust_sees_rotations() -> None:
    y = X @ random_orthogonal(D, RNG)
    change = np.abs(Robust().fit(y[:K])(y) - Robust().fit(A)(X)).max()
    assert change > 1e-2


def test_fact_4_an_absolute_eps_fails() -> None:
    y = 1e-3 * X
    change = {
        eps: np.abs(Robust(eps=eps).fit(y[:K])(y) - Robust(eps=eps).fit(A)(X)).max()
        for eps in (0.0, 1e-5)
    }
    assert change[0.0] < 1e-12 < 1e-3 < change[1e-5]


def test_fact_5_whitened_survives_affine_maps() -> None:
    m = sample_element(("linear", "translation"), D, RNG)
    for transform in (ALL["whitened_cosine"], ALL["whitened train"]):
        before = fit(transform, A, TRAIN)(X)
        after = fit(transform, m(A), m(TRAIN))(m(X))
        np.testing.assert_allclose(after, before, atol=1e-9)
    with pytest.raises(Undefined, match=f"rank {D - 1} in {D} dimensions"):
        relative.WhitenedCosine().fit(A[:D])
    relative.WhitenedCosine(shrinkage=0.01).fit(A[:D])


@pytest.mark.parametrize(
    "name", ["cosine", "centred_cosine", "robust", "whitened_cosine"]
)
def test_fact_6_cosines_are_cosines(name: str) -> None:
    fitted = TRANSFORMS[name]().fit(A)
    values = fitted(np.vstack([1e3 * X, 1e-3 * X]))
    assert values.min() >= -1
    assert values.max() <= 1
    np.testing.assert_allclose(np.diag(fitted(A)), 1.0, rtol=1e-14)
    order = RNG.permutation(K)
    permuted = TRANSFORMS[name]().fit(A[order])(X)
    np.testing.assert_allclose(permuted, fitted(X)[:, order], atol=1e-13)


@pytest.mark.parametrize("name", ALL)
def test_fact_6_zero_rows_are_finite(name: str) -> None:
    fitted = fit(ALL[name], anchors_for(ALL[name]), TRAIN)
    out = fitted(np.vstack([np.zeros(D), X[:5]]))
    assert np.isfinite(out).all()
    if name in {"cosine", "scaled_cosine", "sparse_cosine", "inner"}:
        np.testing.assert_array_equal(out[0], 0)


@pytest.mark.parametrize("name", ALL)
def test_fact_7_invariances_are_as_declared(name: str) -> None:
    """What is declared holds, and what is not declared visibly does not."""
    transform, a = ALL[name], anchors_for(ALL[name])
    before = fit(transform, a, TRAIN)(X)
    spread = before.std()
    for group in GROUPS:
        change = 0.0
        for _ in range(3):
            g = sample_element((group,), D, RNG)
            after = fit(transform, g(a), g(TRAIN))(g(X))
            change = max(change, np.abs(after - before).max() / spread)
        if group in transform.invariances:
            assert change < 1e-7, group
        else:
            assert change > 1e-5, group


def test_an_absolute_eps_is_no_scale_that_a_norm_takes_out() -> None:
    for transform in (
        Robust(eps=1e-5, normalize="l2"),
        relative.Product(parts=(Cosine(), Robust(eps=1e-5))),
    ):
        assert "isotropic_scale" not in transform.invariances
        change = transform.fit(1e-3 * A)(1e-3 * X) - transform.fit(A)(X)
        assert np.abs(change).max() > 1e-2
    both = relative.Product(parts=(Euclidean(), Robust()))
    assert "isotropic_scale" in both.invariances


@pytest.mark.parametrize("k", [D - 2, D, D + 3])
def test_change_of_basis_knows_whether_its_anchors_span(k: int) -> None:
    a = RNG.normal(size=(k, D))
    transform = relative.ChangeOfBasis()
    fitted = transform.fit(a)
    for group in GROUPS:
        g = sample_element((group,), D, RNG)
        change = np.abs(transform.fit(g(a))(g(X)) - fitted(X)).max()
        assert (change < 1e-9) == (group in fitted.invariances), group
    both = relative.Product(parts=(transform, Cosine()), normalize="none").fit(a)
    assert both.invariances == fitted.invariances & Cosine().invariances


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_cosines_at_any_scale(scale: float) -> None:
    for transform in (Cosine(), Robust(), relative.CentredCosine()):
        if transform != Cosine() and abs(np.log10(scale)) > 100:
            continue  # their variances leave the range of float64
        moved = transform.fit(scale * A)(scale * X)
        np.testing.assert_allclose(moved, transform.fit(A)(X), atol=1e-12)


def test_a_dead_coordinate_counts_nothing() -> None:
    x = np.column_stack([X, np.full(len(X), 0.1)])
    np.testing.assert_allclose(Robust().fit(x[:K])(x), Robust().fit(A)(X), atol=1e-14)
    with pytest.raises(Undefined, match="varies"):
        Robust().fit(np.tile(A[0], (3, 1)), allow_duplicates=True)


@pytest.mark.parametrize("name", [n for n in ALL if "batch" not in n])
def test_fact_16_rows_do_not_see_each_other(name: str) -> None:
    fitted = fit(ALL[name], anchors_for(ALL[name]), TRAIN)
    alone = np.vstack([fitted(X[i : i + 1]) for i in range(5)])
    np.testing.assert_allclose(fitted(X)[:5], alone, atol=1e-12)


def test_fact_16_batch_statistics_do() -> None:
    fitted = Robust(stats="batch").fit(A)
    assert np.abs(fitted(X)[:5] - fitted(X[:5])).max() > 1e-2
    with pytest.raises(InvalidInput, match="one row"):
        fitted(X[:1])


@pytest.mark.parametrize("name", ALL)
def test_fact_23_saved_and_loaded_is_the_same(name: str, tmp_path: Path) -> None:
    fitted = fit(ALL[name], anchors_for(ALL[name]), TRAIN)
    fitted.save(tmp_path / "t")
    again = relative.load(tmp_path / "t")
    assert again.transform == ALL[name]
    assert (again.k, again.d) == (fitted.k, D)
    np.testing.assert_array_equal(again(X), fitted(X))
    in_torch = relative.load(tmp_path / "t", like=torch.zeros(1))
    np.testing.assert_allclose(in_torch(torch.asarray(X)), fitted(X), atol=1e-12)


def test_loading_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"transform\.json"):
        relative.load(tmp_path)
    (tmp_path / "transform.json").write_text('{"schema": 99}')
    with pytest.raises(InvalidInput, match="schema 99"):
        relative.load(tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_torch_agrees_and_keeps_gradients(name: str) -> None:
    transform, a = ALL[name], anchors_for(ALL[name])
    x = torch.tensor(X[20:23], requires_grad=True)
    anchors = torch.tensor(a, requires_grad=True)
    train = torch.tensor(TRAIN)
    out = fit(transform, anchors, train)(x)
    numpy = fit(transform, a, TRAIN)(X[20:23])
    np.testing.assert_allclose(out.detach().numpy(), numpy, atol=1e-12)
    if transform.name == "product":
        return  # through its parts

    def through_x(z: torch.Tensor) -> torch.Tensor:
        return fit(transform, anchors.detach(), train)(z)

    def through_anchors(z: torch.Tensor) -> torch.Tensor:
        return fit(transform, z, train)(x.detach())

    assert torch.autograd.gradcheck(through_x, (x,), fast_mode=True)
    assert torch.autograd.gradcheck(through_anchors, (anchors,), fast_mode=True)


@pytest.mark.parametrize("name", ALL)
def test_any_library_of_the_standard(name: str) -> None:
    transform, a = ALL[name], anchors_for(ALL[name])
    with similitude.config(memory_budget=2**20):  # blocks of a few rows
        fitted = fit(transform, strict.asarray(a), strict.asarray(TRAIN))
        out = fitted(strict.asarray(X))
    expected = fit(transform, a, TRAIN)(X)
    np.testing.assert_allclose(np.asarray(out), expected, atol=1e-10)


def test_gradients_are_finite_at_zeros_and_at_anchors() -> None:
    rows = np.vstack([np.zeros(D), A[0], -A[0]])
    for name, transform in ALL.items():
        x = torch.tensor(rows, requires_grad=True)
        a = torch.tensor(anchors_for(transform))
        fit(transform, a, torch.tensor(TRAIN))(x).sum().backward()
        assert torch.isfinite(x.grad).all(), name


def test_dtypes_and_half_precision() -> None:
    for name, transform in ALL.items():
        a = anchors_for(transform).astype(np.float32)
        fitted = fit(transform, a, TRAIN.astype(np.float32))
        out = fitted(X.astype(np.float32))
        assert out.dtype == np.float32, name
        np.testing.assert_allclose(
            out, fit(transform, anchors_for(transform), TRAIN)(X), rtol=3e-3, atol=2e-3
        )
    half = Cosine().fit(torch.tensor(A).half())(torch.tensor(X).half())
    assert half.dtype == torch.float32


def test_mismatches_are_told() -> None:
    fitted = Robust().fit(A)
    with pytest.raises(InvalidInput, match="x has 4 columns and the anchors have 6"):
        fitted(X[:, :4])
    with pytest.raises(InvalidInput, match="like"):
        fitted(torch.tensor(X))
    fitted.like(torch.tensor(X))(torch.tensor(X))
    with pytest.raises(InvalidInput, match="rows 1 and 3 of 4 are equal"):
        Cosine().fit(A[[0, 1, 2, 1]])
    Cosine().fit(A[[0, 1, 1]], allow_duplicates=True)
    with pytest.raises(InvalidInput, match="at least 2"):
        Robust().fit(A[:1])
    with pytest.raises(InvalidInput, match="reference="):
        Cosine().fit(A, TRAIN)
    with pytest.raises(InvalidInput, match="from a reference"):
        Robust(stats="train").fit(A)
    with pytest.raises(InvalidInput, match="reference has 3 columns"):
        Robust(stats="train").fit(A, TRAIN[:, :3])
    with pytest.raises(InvalidInput, match="reference is a torch"):
        Robust(stats="train").fit(A, torch.tensor(TRAIN))
    with pytest.raises(InvalidInput, match="anchors: row 0, column 1 is nan"):
        Cosine().fit([[1.0, np.nan]])
    with pytest.raises(InvalidInput, match="keep=10 of 9"):
        relative.SparseCosine(keep=10).fit(A)
    with pytest.raises(Undefined, match="rank 2"):
        relative.ChangeOfBasis().fit([A[0], A[1], A[0] + A[1]])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("robust", {"stats": "running"}),
        ("robust", {"eps": -1.0}),
        ("cosine", {"normalize": "batch"}),
        ("cosine", {"stats": "anchors"}),
        ("whitened_cosine", {"shrinkage": 2.0}),
        ("sparse_cosine", {"keep": 0}),
        ("product", {"aggregate": "mean"}),
        ("product", {"parts": (Cosine(),)}),
        ("product", {"parts": 3}),
        ("product", {"parts": [3, 4]}),
        ("robust", {"eps": "small"}),
        ("whitened_cosine", {"shrinkage": "some"}),
        ("cosines", {}),
    ],
)
def test_wrong_options(name: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        relative.relative_transform(name, **wrong)


def test_output_normalisations() -> None:
    plain = Euclidean().fit(A)(X)
    l2 = Euclidean(normalize="l2").fit(A)(X)
    np.testing.assert_allclose(l2 * np.linalg.norm(plain, axis=1)[:, None], plain)
    layer = Euclidean(normalize="layer").fit(A)(X)
    np.testing.assert_allclose(layer.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(layer.std(axis=1), 1)
    column = Euclidean(normalize="column").fit(A, X)(X)
    np.testing.assert_allclose(column.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(column.std(axis=0), 1)


def test_transforms_are_frozen_and_named() -> None:
    for name, record in TRANSFORMS.items():
        assert record.name == name
        assert record().label.startswith(name)
        with pytest.raises(dataclasses.FrozenInstanceError):
            record().normalize = "l2"
        assert record().invariances <= set(GROUPS)
