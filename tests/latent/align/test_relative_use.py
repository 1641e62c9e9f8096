"""Relative transforms: batches, files, libraries, gradients and error messages."""

import dataclasses
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import torch

import similitude
from latent.align.relative_transforms import ALL, TRAIN, A, D, X, anchors_for, fit
from similitude import InvalidInput, Undefined
from similitude.latent.align import relative
from similitude.latent.align.relative import TRANSFORMS, Cosine, Euclidean, Robust
from similitude.store import write_sealed_json
from similitude.transformations import Group


@pytest.mark.parametrize("name", [n for n in ALL if "batch" not in n])
def test_a_row_does_not_depend_on_the_other_rows(name: str) -> None:
    fitted = fit(ALL[name], anchors_for(ALL[name]), TRAIN)
    alone = np.vstack([fitted(X[i : i + 1]) for i in range(5)])
    np.testing.assert_allclose(fitted(X)[:5], alone, atol=1e-12)


def test_with_batch_statistics_a_row_depends_on_the_others() -> None:
    fitted = Robust(stats="batch").fit(A)
    assert np.abs(fitted(X)[:5] - fitted(X[:5])).max() > 1e-2
    with pytest.raises(InvalidInput, match="one row"):
        fitted(X[:1])


@pytest.mark.parametrize("name", ALL)
def test_saved_and_loaded_transform_gives_the_same_rows(
    name: str, tmp_path: Path
) -> None:
    fitted = fit(ALL[name], anchors_for(ALL[name]), TRAIN)
    fitted.save(tmp_path / "t")
    again = relative.load_relative(tmp_path / "t")
    assert again.transform == ALL[name]
    assert (again.k, again.d) == (fitted.k, D)
    np.testing.assert_array_equal(again(X), fitted(X))
    in_torch = relative.load_relative(tmp_path / "t", like=torch.zeros(1))
    np.testing.assert_allclose(in_torch(torch.asarray(X)), fitted(X), atol=1e-12)


def test_load_rejects_a_missing_file_and_another_schema(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"transform\.json"):
        relative.load_relative(tmp_path)
    write_sealed_json(tmp_path / "transform.json", {"schema": 99})
    with pytest.raises(InvalidInput, match="schema 99"):
        relative.load_relative(tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_torch_agrees_with_numpy_and_keeps_gradients(name: str) -> None:
    transform, a = ALL[name], anchors_for(ALL[name])
    x = torch.tensor(X[20:23], requires_grad=True)
    anchors = torch.tensor(a, requires_grad=True)
    train = torch.tensor(TRAIN)
    out = fit(transform, anchors, train)(x)
    numpy = fit(transform, a, TRAIN)(X[20:23])
    np.testing.assert_allclose(out.detach().numpy(), numpy, atol=1e-12)
    if transform.name == "product":
        return  # the gradients of its parts are tested

    def through_x(z: torch.Tensor) -> torch.Tensor:
        return fit(transform, anchors.detach(), train)(z)

    def through_anchors(z: torch.Tensor) -> torch.Tensor:
        return fit(transform, z, train)(x.detach())

    assert torch.autograd.gradcheck(through_x, (x,), fast_mode=True)
    assert torch.autograd.gradcheck(through_anchors, (anchors,), fast_mode=True)


@pytest.mark.parametrize("name", ALL)
def test_array_api_library_agrees_with_numpy(name: str) -> None:
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


def test_output_keeps_float32_and_widens_half_precision() -> None:
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


def test_fit_and_transform_reject_mismatched_inputs() -> None:
    fitted = Robust().fit(A)
    message = "x has 4 columns, but the anchors have 6"
    with pytest.raises(InvalidInput, match=message):
        fitted(X[:, :4])
    with pytest.raises(InvalidInput, match="like"):
        fitted(torch.tensor(X))
    fitted.like(torch.tensor(X))(torch.tensor(X))
    with pytest.raises(InvalidInput, match="rows 1 and 3 of 4 are equal"):
        Cosine().fit(A[[0, 1, 2, 1]])
    Cosine().fit(A[[0, 1, 1]], allow_duplicates=True)
    with pytest.raises(InvalidInput, match="at least 2"):
        Robust().fit(A[:1])
    with pytest.raises(InvalidInput, match="reference= has no effect"):
        Cosine().fit(A, TRAIN)
    with pytest.raises(InvalidInput, match="reference= is missing"):
        Robust(stats="train").fit(A)
    with pytest.raises(InvalidInput, match="reference has 3 columns"):
        Robust(stats="train").fit(A, TRAIN[:, :3])
    with pytest.raises(InvalidInput, match="reference is a torch"):
        Robust(stats="train").fit(A, torch.tensor(TRAIN))
    with pytest.raises(InvalidInput, match="anchors: row 0, column 1 is nan"):
        Cosine().fit([[1.0, np.nan]])
    with pytest.raises(InvalidInput, match="keep=10, but there are 9 anchors"):
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
def test_relative_transform_rejects_wrong_options(
    name: str, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        relative.relative_transform(name, **wrong)


def test_normalize_gives_the_stated_lengths_means_and_variances() -> None:
    plain = Euclidean().fit(A)(X)
    l2 = Euclidean(normalize="l2").fit(A)(X)
    np.testing.assert_allclose(l2 * np.linalg.norm(plain, axis=1)[:, None], plain)
    layer = Euclidean(normalize="layer").fit(A)(X)
    np.testing.assert_allclose(layer.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(layer.std(axis=1), 1)
    column = Euclidean(normalize="columns").fit(A, X)(X)
    np.testing.assert_allclose(column.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(column.std(axis=0), 1)


def test_transforms_are_frozen_and_labels_start_with_the_name() -> None:
    for name, record in TRANSFORMS.items():
        assert record.name == name
        assert record().label.startswith(name)
        with pytest.raises(dataclasses.FrozenInstanceError):
            record().normalize = "l2"
        assert record().invariances <= set(Group)
