"""Rejected inputs, edge cases, and the notice about compiling."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude.errors import InvalidInput, Undefined
from similitude.topology import (
    cross_barcode,
    r_cross_barcode,
    r_cross_barcode_from_distances,
    rips_barcode,
    rips_barcode_from_distances,
)
from topology.clouds import bars, random_distances

GOOD = np.array([[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[0, 1], [2, 0]], "not symmetric"),
        ([[0, -1], [-1, 0]], ">= 0"),
        ([[0, np.nan], [np.nan, 0]], ">= 0"),
        ([[0, 1, 2], [1, 0, 3]], "square"),
        ([[1, 1], [1, 0]], "diagonal"),
        ([[0, np.inf], [1, 0]], "not symmetric"),
        ([[0, 1j], [1j, 0]], "real numbers"),
        ([0, 1], "square"),
    ],
)
def test_invalid_distance_matrices_are_rejected(matrix: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=f"w .*{says}|w\\[.*{says}"):
        rips_barcode_from_distances(np.array(matrix))
    with pytest.raises(InvalidInput, match=f"w_tilde.*{says}"):
        r_cross_barcode_from_distances(GOOD, np.array(matrix))


def test_upper_half_is_used_if_halves_differ_by_rounding() -> None:
    w = random_distances(np.random.default_rng(0), 20, "points")
    other = w.copy()
    other[4, 3] = np.nextafter(w[4, 3], 9)
    assert other[4, 3] != other[3, 4]
    for mine, true in zip(
        rips_barcode_from_distances(other), rips_barcode_from_distances(w), strict=True
    ):
        np.testing.assert_array_equal(bars(mine), bars(true))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_dim": -1}, "max_dim=-1"),
        ({"max_dim": 1.5}, "max_dim=1.5"),
        ({"max_dim": True}, "max_dim=True"),
        ({"normalize": "max"}, "'quantile', 'median', 'mean', 'none'"),
        ({"compat": "ripser"}, "'none', 'zero_block', 'reference'"),
        ({"normalize": "quantile", "quantile": 1.5}, "between 0 and 1"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        r_cross_barcode(GOOD, GOOD, **options)
    with pytest.raises(InvalidInput, match=says):
        r_cross_barcode_from_distances(GOOD, GOOD, **options)


def test_sizes_of_two_clouds_must_agree() -> None:
    with pytest.raises(InvalidInput, match="x has 2 rows and y has 3"):
        r_cross_barcode(np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(InvalidInput, match="w has 2 points and w_tilde has 3"):
        r_cross_barcode_from_distances(GOOD, np.zeros((3, 3)))
    with pytest.raises(InvalidInput, match="p has 2 columns and q has 3"):
        cross_barcode(np.ones((4, 2)), np.ones((4, 3)))


@pytest.mark.parametrize("max_dim", [0, 1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_barcodes_of_0_to_2_points(n: int, max_dim: int) -> None:
    """The edge of two points has length 1, and 0 in the other space."""
    x, y = np.arange(n, dtype=float)[:, None], np.zeros((n, 1))
    w, v = np.abs(x - x.T), np.zeros((n, n))
    for found in (
        r_cross_barcode(x, y, max_dim=max_dim, normalize="none"),
        r_cross_barcode_from_distances(w, v, max_dim=max_dim),
    ):
        assert [b.degree for b in found] == list(range(max_dim + 1))
        for barcode in found:
            expected = [[0, 1]] if (n, barcode.degree) == (2, 1) else np.empty((0, 2))
            np.testing.assert_array_equal(bars(barcode), expected)
    for found in (
        rips_barcode(x, max_dim=max_dim),
        rips_barcode_from_distances(w, max_dim=max_dim),
    ):
        true = [[], [[0, np.inf]], [[0, 1], [0, np.inf]]][n]
        np.testing.assert_array_equal(bars(found[0]), np.reshape(true, (-1, 2)))
        assert all(len(b) == 0 for b in found[1:])


def test_barcodes_of_20_points_at_equal_distances() -> None:
    one = 1.0 - np.eye(20)
    _, h1 = r_cross_barcode_from_distances(2 * one, one)
    np.testing.assert_array_equal(bars(h1), [[1, 2]] * 19)
    assert len(r_cross_barcode_from_distances(one, 2 * one)[1]) == 0
    assert len(r_cross_barcode_from_distances(one, one)[1]) == 0
    h0, h1 = rips_barcode_from_distances(one)
    np.testing.assert_array_equal(bars(h0), [[0, 1]] * 19 + [[0, np.inf]])
    assert len(h1) == 0


def test_coincident_points_do_not_change_the_rips_barcode() -> None:
    # From distances, since matrix products of different sizes may round differently.
    once_each = random_distances(np.random.default_rng(0), 15, "points")
    repeated = np.repeat(np.repeat(once_each, 3, axis=0), 3, axis=1)
    for once, often in zip(
        rips_barcode_from_distances(once_each),
        rips_barcode_from_distances(repeated),
        strict=True,
    ):
        np.testing.assert_array_equal(bars(often), bars(once))


def test_infinite_distances_give_infinite_bars() -> None:
    """Two halves connected only in the second space, and a square without diagonals."""
    near, far = np.zeros((2, 2)), np.full((2, 2), np.inf)
    w = np.block([[near, far], [far, near]])
    _, h1 = r_cross_barcode_from_distances(w, np.ones((4, 4)) - np.eye(4))
    np.testing.assert_array_equal(bars(h1), [[1, np.inf]])
    np.testing.assert_array_equal(h1.death_edges, [[-1, -1]])
    assert h1.death_in[0] == "none"
    square = np.array(
        [[0, 1, np.inf, 1], [1, 0, 1, np.inf], [np.inf, 1, 0, 1], [1, np.inf, 1, 0]]
    )
    np.testing.assert_array_equal(
        bars(rips_barcode_from_distances(square)[1]), [[1, np.inf]]
    )


def test_normalization_uses_finite_distances_only() -> None:
    w = np.array([[0, 2, np.inf], [2, 0, 4], [np.inf, 4, 0.0]])
    v = np.array([[0, 1, 3], [1, 0, 3], [3, 3, 0.0]])
    mean = r_cross_barcode_from_distances(w, v, normalize="mean")[1]
    by_hand = r_cross_barcode_from_distances(w / 3, v / (7 / 3))[1]
    np.testing.assert_array_equal(bars(mean), bars(by_hand))


def test_quantile_uses_pairs_and_in_reference_mode_the_full_matrix() -> None:
    rng = np.random.default_rng(0)
    w, v = (random_distances(rng, 20, "points") for _ in range(2))
    pairs = np.triu_indices(20, 1)
    mine = r_cross_barcode_from_distances(w, v, normalize="quantile", quantile=0.7)
    units = [np.quantile(m[pairs], 0.7) for m in (w, v)]
    by_hand = r_cross_barcode_from_distances(w / units[0], v / units[1])
    np.testing.assert_allclose(bars(mine[1]), bars(by_hand[1]), rtol=1e-15)
    theirs = r_cross_barcode_from_distances(
        w, v, normalize="quantile", compat="reference"
    )
    units = [np.quantile(m, 0.9) for m in (w, v)]
    by_hand = r_cross_barcode_from_distances(
        (w / units[0]).astype(np.float32), (v / units[1]).astype(np.float32)
    )
    np.testing.assert_array_equal(bars(theirs[1]), bars(by_hand[1]))


def test_reference_mode_sets_tiny_distances_to_zero() -> None:
    """Tiny means below 1e-6 of the mean of the first matrix."""
    w = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0.0]])
    v = np.array([[0, 1e-9, 2], [1e-9, 0, 2], [2, 2, 0.0]])
    exact = r_cross_barcode_from_distances(w, v)[1]
    rounded = r_cross_barcode_from_distances(w, v, compat="reference")[1]
    np.testing.assert_array_equal(bars(exact), [[1e-9, 1]])
    np.testing.assert_array_equal(bars(rounded), [[0, 1]])


def test_distances_of_close_points_far_from_the_origin_are_accurate() -> None:
    """Distances of close points are computed from differences, as in scipy."""
    from scipy.spatial.distance import pdist

    rng = np.random.default_rng(0)
    x = 1e3 + np.repeat(rng.normal(size=(5, 3)), 4, axis=0)
    x += 1e-7 * rng.normal(size=x.shape)
    tree = rips_barcode(x)[0].finite()
    true = pdist(x)
    for death in tree.deaths:
        assert np.min(np.abs(true / death - 1)) < 1e-9


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_barcodes_scale_with_the_distances_at_extreme_scales(scale: float) -> None:
    rng = np.random.default_rng(0)
    w, v = (random_distances(rng, 12, "points") for _ in range(2))
    _, once = r_cross_barcode_from_distances(w, v)
    _, scaled = r_cross_barcode_from_distances(scale * w, scale * v)
    np.testing.assert_allclose(bars(scaled), scale * bars(once), rtol=1e-12)
    x = rng.normal(size=(12, 2))
    np.testing.assert_allclose(
        rips_barcode(scale * x)[1].deaths, scale * rips_barcode(x)[1].deaths, rtol=1e-9
    )


def test_negative_zero_distances_give_the_same_bars() -> None:
    """Sorted by its bits, -0.0 would come after all other distances."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        w, v = (random_distances(rng, 6, "few values") for _ in range(2))
        signed = [np.where(m == 0, -0.0, m) for m in (w, v)]
        once = r_cross_barcode_from_distances(w, v, max_dim=2)
        again = r_cross_barcode_from_distances(*signed, max_dim=2)
        once += rips_barcode_from_distances(w, max_dim=2)
        again += rips_barcode_from_distances(signed[0], max_dim=2)
        for a, b in zip(once, again, strict=True):
            np.testing.assert_array_equal(bars(b), bars(a))


def test_overflowing_distances_are_undefined_not_infinite() -> None:
    far = np.array([[1e308], [-1e308], [0.0]])
    for function in (rips_barcode, lambda x: r_cross_barcode(x, x), _score):
        with pytest.raises(Undefined, match="overflow"):
            function(far)
    np.testing.assert_array_equal(rips_barcode(far[1:])[0].deaths, [1e308, np.inf])


def _score(x: np.ndarray) -> Any:
    return sim.rtd(x, x)


def test_max_dim_may_be_a_numpy_integer() -> None:
    assert len(rips_barcode(GOOD, max_dim=np.int64(2))) == 3


def test_barcodes_of_torch_tensors_and_float32() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(15, 2)), rng.normal(size=(15, 3))
    _, mine = r_cross_barcode(x, y)
    _, theirs = r_cross_barcode(torch.tensor(x), torch.tensor(y))
    np.testing.assert_array_equal(bars(theirs), bars(mine))
    _, rounded = r_cross_barcode(x.astype(np.float32), y.astype(np.float32))
    np.testing.assert_allclose(bars(rounded), bars(mine), atol=1e-6)


def test_barcodes_are_bit_identical_in_threads() -> None:
    rng = np.random.default_rng(0)
    pairs = [(rng.normal(size=(60, 4)), rng.normal(size=(60, 3))) for _ in range(8)]
    sequential = [r_cross_barcode(*pair)[1] for pair in pairs]
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(lambda pair: r_cross_barcode(*pair)[1], pairs))
    for a, b in zip(sequential, parallel, strict=True):
        np.testing.assert_array_equal(bars(a), bars(b))
        np.testing.assert_array_equal(a.birth_edges, b.birth_edges)


def test_cross_barcode_is_the_rips_barcode_of_its_matrix() -> None:
    from scipy.spatial.distance import cdist

    rng = np.random.default_rng(0)
    p, q = rng.normal(size=(14, 2)), rng.normal(size=(9, 2))
    together = np.concatenate([p, q])
    w = cdist(together, together)
    w[14:, 14:] = 0
    for mine, true in zip(
        cross_barcode(p, q, max_dim=2),
        rips_barcode_from_distances(w, max_dim=2),
        strict=True,
    ):
        np.testing.assert_allclose(bars(mine), bars(true), rtol=1e-12)


@pytest.mark.parametrize(
    ("seconds", "module", "printed"),
    [
        (0.0, "import numba; numba.njit('int64(int64)')(abs_of)", True),
        (3600.0, "import numba; numba.njit('int64(int64)')(abs_of)", False),
        (0.0, "", False),  # slow, but it does not compile
    ],
)
def test_slow_compiling_prints_one_notice(
    seconds: float,
    module: str,
    printed: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """The notice is printed once, even if several modules compile."""
    for name in ("slow_kernels", "more_kernels"):
        (tmp_path / f"{name}.py").write_text(
            f"import time\ndef abs_of(x): return abs(x)\n{module}\ntime.sleep(0.3)"
        )
    code = (
        f"from similitude._base import _compile; _compile._NOTICE_AFTER = {seconds}\n"
        "for name in ('slow_kernels', 'slow_kernels', 'more_kernels'):\n"
        "    _compile.kernels(name)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2] / 'src'}"},
    )
    notice = "similitude: compiling kernels (first use only)\n"
    assert run.stderr == (notice if printed else "")


@pytest.mark.parametrize("wrong", ["a", [0.5], None, float("nan"), 2.0])
def test_options_that_are_not_numbers_are_rejected(wrong: object) -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 8, 2))
    bars = sim.topology.rips_barcode(x)[0]
    for call in (sim.topology.r_cross_barcode, sim.topology.rtd_lite_barcode):
        with pytest.raises(InvalidInput, match="quantile="):
            call(x, y, quantile=wrong)
    if wrong != 2.0:
        for name in ("order", "internal"):
            with pytest.raises(InvalidInput, match=f"{name}="):
                sim.topology.wasserstein_distance(bars, bars, **{name: wrong})
