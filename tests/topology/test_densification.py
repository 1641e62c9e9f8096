"""Death times and the densification loss, compared with scipy, ripser and torch."""

import numpy as np
import pytest
import ripser
import scipy
import torch

from similitude import InvalidInput, Undefined
from similitude.topology import (
    angle_of_beta,
    batched_spanning_trees,
    beta_connected,
    beta_of_angle,
    consistent_densification_loss,
    death_times,
    densification_loss,
    overlap_index,
    suggest_beta,
)
from similitude.transformations import random_orthogonal

RNG = np.random.default_rng(31)
Z = RNG.normal(size=(60, 7))
LABELS = np.repeat([4, 9, 2, 7], [20, 5, 32, 3])
METRICS = [
    ("euclidean", None, 2),
    ("l1", None, 1),
    ("linf", None, np.inf),
    ("lp", 3.0, 3),
]


def heights(x: np.ndarray, p: float = 2) -> np.ndarray:
    """Heights of single linkage, by scipy."""
    pairs = scipy.spatial.distance.pdist(
        x,
        "chebyshev" if p == np.inf else "minkowski",
        **({} if p == np.inf else {"p": p}),
    )
    return np.sort(scipy.cluster.hierarchy.linkage(pairs, "single")[:, 2])


@pytest.mark.parametrize(("metric", "p", "order"), METRICS)
def test_deaths_are_single_linkage_heights(
    metric: str, p: float | None, order: float
) -> None:
    found = death_times(Z, metric=metric, p=p)
    assert len(found.values) == 59
    np.testing.assert_allclose(found.values, heights(Z, order), rtol=1e-12)
    ragged = death_times(Z, LABELS, metric=metric, p=p)
    assert ragged.clouds == 4
    for i, label in enumerate(np.unique(LABELS)):
        mine = ragged.values[ragged.cloud == i]
        np.testing.assert_allclose(mine, heights(Z[LABELS == label], order), rtol=1e-12)


def test_deaths_equal_those_of_ripser() -> None:
    diagram = ripser.ripser(Z, maxdim=0)["dgms"][0]
    expected = np.sort(diagram[np.isfinite(diagram[:, 1]), 1])
    np.testing.assert_allclose(death_times(Z).values, expected, rtol=1e-6)


def test_beta_connected_means_one_component() -> None:
    clouds = RNG.normal(size=(1000, 9, 2))
    betas = RNG.uniform(0.3, 2.0, size=1000)
    connected = 0
    for x, beta in zip(clouds, betas, strict=True):
        graph = scipy.spatial.distance.cdist(x, x) <= beta
        count = scipy.sparse.csgraph.connected_components(graph)[0]
        assert beta_connected(x, beta)[0] == (count == 1)
        connected += count == 1
    assert 200 < connected < 800  # both cases occur
    at_once = beta_connected(clouds, 1.0)
    shares = death_times(clouds).connected_share(1.0)
    np.testing.assert_allclose(at_once.mean(), shares)


def naive_loss(
    z: torch.Tensor, labels: np.ndarray, beta: float, penalty: str
) -> torch.Tensor:
    """The loss from all differences of each class, by Kruskal's algorithm."""
    total = torch.zeros((), dtype=z.dtype)
    for label in np.unique(labels):
        x = z[torch.tensor(labels == label)]
        d = (x[:, None] - x[None]).square().sum(-1).add(1e-300).sqrt()
        root = list(range(len(x)))

        def find(i: int, root: list[int] = root) -> int:
            return i if root[i] == i else find(root[i], root)

        rows, columns = np.triu_indices(len(x), 1)
        for e in np.argsort(d.detach().numpy()[rows, columns], kind="stable"):
            i, j = int(rows[e]), int(columns[e])
            if find(i) != find(j):
                root[find(i)] = find(j)
                gap = d[i, j] - beta
                total = (
                    total
                    + {
                        "absolute": gap.abs(),
                        "squared": gap**2,
                        "hinge": gap.clamp(min=0),
                    }[penalty]
                )
    return total / len(np.unique(labels))


@pytest.mark.parametrize("penalty", ["absolute", "squared", "hinge"])
def test_loss_and_gradient_equal_the_naive_loss(penalty: str) -> None:
    ours, naive = (torch.tensor(Z, requires_grad=True) for _ in range(2))
    loss = densification_loss(ours, LABELS, 1.7, penalty=penalty)
    expected = naive_loss(naive, LABELS, 1.7, penalty)
    loss.backward()
    expected.backward()
    np.testing.assert_allclose(loss.detach(), expected.detach(), rtol=1e-12)
    np.testing.assert_allclose(ours.grad, naive.grad, atol=1e-12)
    np.testing.assert_allclose(
        densification_loss(Z, LABELS, 1.7, penalty=penalty), loss.detach(), rtol=1e-12
    )


@pytest.mark.parametrize(("metric", "p", "order"), METRICS)
@pytest.mark.parametrize("penalty", ["absolute", "squared", "hinge"])
def test_gradients_agree_with_finite_differences(
    metric: str, p: float | None, order: float, penalty: str
) -> None:
    z = torch.tensor(Z[14:24, :4], requires_grad=True)

    def loss(z: torch.Tensor) -> torch.Tensor:
        return densification_loss(
            z, LABELS[14:24], 1.1, penalty=penalty, metric=metric, p=p
        )

    assert torch.autograd.gradcheck(loss, (z,), eps=1e-6, atol=1e-6)


def test_hinge_moves_only_the_ends_of_long_edges() -> None:
    z = torch.tensor([[0.0], [0.1], [5.0], [5.1], [5.2]], requires_grad=True)
    densification_loss(z, None, 1.0, penalty="hinge").backward()
    np.testing.assert_array_equal(z.grad[:, 0], [0, -1, 1, 0, 0])


def test_duplicates_give_finite_gradients() -> None:
    z = torch.tensor(Z[[0, 0, 0, 1, 2]], requires_grad=True)
    for metric, p, _ in METRICS:
        z.grad = None
        loss = densification_loss(z, None, 0.5, metric=metric, p=p)
        loss.backward()
        assert torch.isfinite(z.grad).all()
        assert torch.isfinite(loss)
    assert death_times(Z[[0, 0, 1]]).values[0] == 0


def test_descent_drives_deaths_to_beta() -> None:
    z = torch.tensor(RNG.normal(size=(3, 12, 5)), requires_grad=True)
    optimizer = torch.optim.Adam([z], lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 300, 1e-6)
    for _ in range(300):
        optimizer.zero_grad()
        densification_loss(z, None, 2.0).backward()
        optimizer.step()
        schedule.step()
    np.testing.assert_allclose(death_times(z).values, 2.0, rtol=0.01)


def test_batches_equal_single_clouds_exactly() -> None:
    clouds = RNG.normal(size=(40, 16, 8))
    together = death_times(clouds)
    for i, x in enumerate(clouds):
        alone = death_times(x).values
        np.testing.assert_array_equal(together.values[together.cloud == i], alone)
    rows = RNG.permutation(60)[:24].reshape(3, 8)
    by_rows = death_times(Z, rows)
    for i, members in enumerate(rows):
        mine = by_rows.values[by_rows.cloud == i]
        np.testing.assert_array_equal(mine, death_times(Z[members]).values)
    # Clouds of different sizes: compare with padded batches.
    distances = np.full((2, 9, 9), np.inf)
    distances[:, np.arange(9), np.arange(9)] = 0
    for b, n in enumerate((9, 5)):
        distances[b, :n, :n] = scipy.spatial.distance.cdist(Z[:n], Z[:n])
    lengths = batched_spanning_trees(distances)[1]
    ragged = death_times(np.vstack([Z[:9], Z[:5]]), [0] * 9 + [1] * 5)
    for b, n in enumerate((9, 5)):
        np.testing.assert_allclose(
            ragged.values[ragged.cloud == b], lengths[b, : n - 1], rtol=1e-12
        )


def test_deaths_scale_with_the_cloud_and_are_invariant_to_rotations() -> None:
    before = death_times(Z).values
    np.testing.assert_allclose(death_times(3.7 * Z).values, 3.7 * before, rtol=1e-12)
    turned = Z @ random_orthogonal(7, RNG) + 1e3
    np.testing.assert_allclose(death_times(turned).values, before, rtol=1e-9)
    shuffled = death_times(RNG.permutation(Z)).values
    np.testing.assert_allclose(shuffled, before, rtol=1e-12)
    for scale in (1e-200, 1e200):
        got = death_times(scale * Z).values
        np.testing.assert_allclose(got, scale * before, rtol=1e-9)


def test_loss_in_float32_is_accurate_for_large_offsets() -> None:
    z = torch.tensor(Z + 100, dtype=torch.float32, requires_grad=True)
    loss = densification_loss(z, LABELS, 1.0)
    assert loss.dtype == torch.float32
    loss.backward()
    assert z.grad.dtype == torch.float32
    exact = densification_loss(z.detach().numpy().astype(np.float64), LABELS, 1.0)
    np.testing.assert_allclose(loss.detach(), exact, rtol=1e-5)


def test_consistent_loss_is_the_weighted_sum() -> None:
    post = np.tanh(Z[:, :4])
    expected = 0.1 * densification_loss(Z, LABELS, 3.0) + 0.9 * densification_loss(
        post, LABELS, 3.0
    )
    got = consistent_densification_loss(Z, post, LABELS, 3.0)
    np.testing.assert_allclose(got, expected)


def test_suggest_beta_and_angles() -> None:
    deaths = death_times(Z, LABELS)
    found = suggest_beta(deaths)
    np.testing.assert_allclose(
        found["mean"], deaths.values.mean() * np.array([0.3, 0.5, 0.6])
    )
    largest = [deaths.values[deaths.cloud == i].max() for i in range(4)]
    np.testing.assert_allclose(deaths.largest, largest)
    np.testing.assert_allclose(found["mean_largest"][1], np.mean(largest) / 2)
    np.testing.assert_allclose(beta_of_angle(25.0), 0.0937, atol=1e-4)  # as published
    np.testing.assert_allclose(angle_of_beta(beta_of_angle(25.0)), 25.0)
    np.testing.assert_allclose(deaths.quantiles(0.5), np.median(deaths.values))


def test_overlap_of_two_normals() -> None:
    a, b = RNG.normal(size=6_000), RNG.normal(1.5, 1.0, size=6_000)
    expected = 2 * scipy.stats.norm.cdf(-0.75)
    np.testing.assert_allclose(overlap_index(a, b), expected, atol=0.03)
    np.testing.assert_allclose(overlap_index(a, a), 1.0, rtol=1e-10)
    np.testing.assert_allclose(overlap_index(a, b), overlap_index(b, a))
    assert overlap_index(a, a + 100) < 1e-6
    with pytest.raises(Undefined, match="b is constant"):
        overlap_index(a, np.ones(9))


def test_invalid_clouds_groups_and_options_are_rejected() -> None:
    with pytest.raises(Undefined, match="single row"):
        densification_loss(Z[:3], [0, 1, 2], 1.0)
    with pytest.raises(InvalidInput, match="4 labels for 3 rows"):
        densification_loss(Z[:3], [0, 1, 2, 3], 1.0)
    with pytest.raises(InvalidInput, match="cloud 1 contains a row twice"):
        densification_loss(Z, [[0, 1], [2, 2]], 1.0)
    with pytest.raises(InvalidInput, match="z has 60"):
        densification_loss(Z, [[0, 60]], 1.0)
    with pytest.raises(InvalidInput, match="integer labels"):
        densification_loss(Z, Z[:, 0], 1.0)
    with pytest.raises(InvalidInput, match="B x n x d"):
        densification_loss(Z[0], None, 1.0)
    with pytest.raises(InvalidInput, match="beta"):
        densification_loss(Z, None, -1.0)
    with pytest.raises(InvalidInput, match="penalty="):
        densification_loss(Z, None, 1.0, penalty="l1")
    for wrong in ({"metric": "cosine"}, {"p": 3.0}, {"metric": "lp"}):
        with pytest.raises(InvalidInput, match=r"metric=|p="):
            densification_loss(Z, None, 1.0, **wrong)
    with pytest.raises(InvalidInput, match="at least 1"):
        densification_loss(Z, None, 1.0, metric="lp", p=0.5)
    with pytest.raises(InvalidInput, match="row 3, column 0 is nan"):
        densification_loss(np.where(Z == Z[3, 0], np.nan, Z), None, 1.0)


def test_overflow_and_second_derivatives_raise_errors() -> None:
    huge = np.array([[1.7e308], [-1.7e308], [0.0]])
    np.testing.assert_allclose(death_times(huge / 4).values, 1.7e308 / 4)
    with np.errstate(over="ignore"), pytest.raises(Undefined, match="overflow"):
        death_times(1e308 * np.ones((2, 4)) * [[1], [-1]], metric="l1")
    z = torch.tensor(Z[:5], requires_grad=True)
    loss = densification_loss(z, None, 1.0, penalty="squared")
    (slope,) = torch.autograd.grad(loss, z, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_overwriting_rows_before_backward_raises_an_error() -> None:
    """The gradient would be that of other rows."""
    z = torch.tensor(Z[:5], requires_grad=True)
    rows = z * 1.0
    loss = densification_loss(rows, None, 1.0)
    with torch.no_grad():
        rows.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_read_only_rows_and_other_memory_orders_give_the_same_loss() -> None:
    frozen = Z.copy()
    frozen.flags.writeable = False
    before = densification_loss(Z, LABELS, 1.0)
    assert densification_loss(frozen, LABELS, 1.0) == before
    assert densification_loss(np.asfortranarray(Z), LABELS, 1.0) == before
    in_torch = densification_loss(torch.tensor(Z), torch.tensor(LABELS), 1.0)
    np.testing.assert_allclose(in_torch, before, rtol=1e-14)
    turned = torch.tensor(np.ascontiguousarray(Z.T)).T.requires_grad_()
    densification_loss(turned, LABELS, 1.0).backward()
    plain = torch.tensor(Z, requires_grad=True)
    densification_loss(plain, LABELS, 1.0).backward()
    np.testing.assert_array_equal(turned.grad, plain.grad)
