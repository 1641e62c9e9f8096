"""RTD, SRTD, Max-RTD and RTD-lite against their definitions and naive sums."""

import pickle
import threading

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

import similitude as sim
from measures.topological.noisy_clouds import clouds, in_units
from similitude import MEASURES, InvalidInput, Undefined, topology
from similitude.testing import check_measure
from similitude.topology import _divergence
from similitude.topology._edge_weights import EdgeWeights, MatrixWeights

NAMES = ("rtd", "srtd", "max_rtd", "rtd_lite", "nts_e", "nts_m", "rips_wasserstein")
SUMS = ("rtd", "srtd", "max_rtd")


def total(k: np.ndarray, x: np.ndarray) -> float:
    """Sum of the bars of H_1(R(x), R(k)), the R-Cross-Barcode of k and x <= k."""
    return topology.r_cross_barcode_from_distances(k, x)[1].total_persistence


def tree(w: np.ndarray) -> float:
    return float(linkage(squareform(w), "single")[:, 2].sum())


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_bars_equal_their_definitions(seed: int) -> None:
    x, y = clouds(seed)
    w, v = in_units(x), in_units(y)
    least, most = np.minimum(w, v), np.maximum(w, v)
    expected = {
        "rtd": (total(w, least) + total(v, least)) / 2,
        "srtd": total(most, least),
        "max_rtd": (total(most, v) + total(most, w)) / 2,
        "rtd_lite": (tree(w) + tree(v)) / 2 - tree(least),
    }
    for name, value in expected.items():
        got = float(getattr(sim, name)(x, y))
        np.testing.assert_allclose(got, value, rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_rtd_srtd_and_max_rtd_satisfy_their_inequalities(seed: int) -> None:
    """RTD is at least its lite part; SRTD is between RTD and RTD plus Max-RTD."""
    x, y = clouds(seed, n=30)
    details = {name: sim_details(name, x, y) for name in SUMS}
    rtd, most = details["rtd"], details["max_rtd"]
    srtd = float(sim.srtd(x, y))
    assert rtd["x_to_y"] <= srtd + 1e-6
    assert rtd["y_to_x"] <= srtd + 1e-6
    assert srtd <= rtd["x_to_y"] + most["y_to_x"] + 1e-6
    assert srtd <= rtd["y_to_x"] + most["x_to_y"] + 1e-6
    for found in details.values():
        assert found["loop_part"] >= -1e-12
        assert found["mst_part"] >= -1e-12
    np.testing.assert_allclose(
        details["srtd"]["mst_part"], rtd["mst_part"] + most["mst_part"], rtol=1e-9
    )
    np.testing.assert_allclose(rtd["mst_part"], float(sim.rtd_lite(x, y)), rtol=1e-12)


def sim_details(name: str, x: np.ndarray, y: np.ndarray) -> dict:
    measure = MEASURES[name]
    return measure.details(measure.prepare(x), measure.prepare(y))


def test_rtd_is_the_sum_of_its_parts_and_the_mean_of_its_directions() -> None:
    x, y = clouds(0)
    found, value = sim_details("rtd", x, y), float(sim.rtd(x, y))
    assert found["batch"] == 40
    assert found["batches"] == 1
    assert found["standard_error"] is None
    np.testing.assert_allclose(found["mst_part"] + found["loop_part"], value)
    np.testing.assert_allclose((found["x_to_y"] + found["y_to_x"]) / 2, value)
    one = topology.r_cross_barcode(x, y)[1].total_persistence
    np.testing.assert_allclose(found["x_to_y"], one)


def test_rtd_grows_with_the_number_of_rows() -> None:
    """Scores of different numbers of rows must not be ranked."""
    few, many = (float(sim.rtd(*clouds(1, n=n))) for n in (50, 200))
    assert many > 3 * few


def test_rtd_of_batches_is_their_mean_and_details_have_the_batch_size() -> None:
    x, y = clouds(1, n=90)
    measure = sim.measures.RTD(batch=30, draws=4)
    seed = np.random.SeedSequence(5)
    p, q = measure.prepare(x, seed), measure.prepare(y, seed)
    draw = np.random.default_rng(seed)
    rows = [np.sort(draw.permutation(90)[:30]) for _ in range(4)]
    values = [float(sim.rtd(x[r], y[r])) for r in rows]
    np.testing.assert_allclose(float(measure.compare(p, q)), np.mean(values))
    found = measure.details(p, q)
    expected = np.std(values, ddof=1) / 2
    np.testing.assert_allclose(found["standard_error"], expected)
    assert (found["batch"], found["batches"]) == (30, 4)


def test_rng_is_required_only_if_batches_are_drawn() -> None:
    x, y = clouds(2, n=50)
    for name in SUMS:
        function = getattr(sim, name)
        with pytest.raises(InvalidInput, match="rng=0"):
            function(x, y, batch=49)
        assert function(x, y, batch=50) == function(x, y, batch=50, rng=3)
    assert sim.rtd(x, y, batch=20, rng=1) != sim.rtd(x, y, batch=20, rng=2)


@pytest.mark.parametrize("name", SUMS)
def test_score_is_bit_identical_for_any_number_of_threads_and_workers(
    name: str,
) -> None:
    x, y = clouds(3, n=60)
    values = []
    for workers, threads in ((1, 1), (1, 3), (2, 1)):
        with sim.config(workers=workers, threads=threads):
            values.append(float(getattr(sim, name)(x, y, batch=25, draws=3, rng=0)))
    assert values == values[:1] * 3


def test_batches_of_one_score_run_in_threads() -> None:
    """Both threads must be in a batch at the same time for the test to end."""
    meeting = threading.Barrier(2, timeout=60)

    def work(w: EdgeWeights, w_tilde: EdgeWeights) -> tuple[np.ndarray, list]:
        meeting.wait()
        return np.zeros((1, 2)), []

    x, y = clouds(3, n=60)
    measure = sim.measures.RTD(batch=25, draws=4)
    p, q = (measure.prepare(c, np.random.SeedSequence(0)) for c in (x, y))
    with sim.config(threads=2):
        parts, _ = p.results_with(q, work)
    assert parts.shape == (4, 1, 2)


def test_rtd_does_not_change_if_zero_columns_are_added() -> None:
    """One column, or the same column among ten thousand zero columns."""
    x, y = np.random.default_rng(4).normal(size=(2, 30, 1))
    wide = np.zeros((30, 10_000))
    wide[:, 777] = x[:, 0]
    np.testing.assert_array_equal(sim.rtd(x, y), sim.rtd(wide, y))


def test_rtd_of_drawn_batches_passes_the_measure_contract() -> None:
    check_measure(sim.measures.RTD(batch=20, draws=2))


def test_per_point_divides_by_the_batch_size() -> None:
    x, y = clouds(5, n=60)
    for name in ("rtd", "srtd", "max_rtd"):
        function = getattr(sim, name)
        options = {"batch": 24, "draws": 2, "rng": 0}
        ratio = function(x, y, **options) / function(x, y, **options, form="per_point")
        np.testing.assert_allclose(ratio, 24.0)
    ratio = sim.rtd_lite(x, y) / sim.rtd_lite(x, y, form="per_point")
    np.testing.assert_allclose(ratio, 60.0)


def test_cached_parts_are_used_only_for_the_same_pair_also_after_pickling() -> None:
    """`details` reuses the result of `compare` only if the pair is the same."""
    measure = MEASURES["rtd"]
    p, q, r = (measure.prepare(v) for v in (*clouds(6), clouds(7)[0]))
    first = measure.compare(p, q)
    assert measure.compare(p, r) != first
    p2, q2 = pickle.loads(pickle.dumps((p, q)))
    assert measure.compare(p2, q2) == first
    assert measure.compare(p, q) == first
    split = measure.details(p, r)
    np.testing.assert_allclose(
        split["mst_part"] + split["loop_part"], measure.compare(p, r)
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("normalize", ["quantile", "median", "mean", "none"])
def test_a_constant_cloud_has_a_finite_score(name: str, normalize: str) -> None:
    """RTD is half the tree of the other cloud; rank correlations are undefined."""
    x, _ = clouds(8, n=20)
    flat = np.full_like(x, 0.1)
    if name in {"nts_e", "nts_m"}:
        with pytest.raises(Undefined, match="equally long"):
            getattr(sim, name)(x, flat)
        return
    function = getattr(sim, name)
    for a, b in ((x, flat), (flat, x), (flat, flat)):
        assert np.isfinite(function(a, b, normalize=normalize))
    assert function(flat, flat, normalize=normalize) == 0
    if name in {"rtd", "rtd_lite"}:
        w = squareform(pdist(x))
        got = function(x, flat, normalize="none")
        np.testing.assert_allclose(float(got), tree(w) / 2)


def test_a_quantile_of_zero_is_undefined_and_the_error_suggests_the_mean() -> None:
    x = np.zeros((40, 2))
    x[0] = 1.0
    for name in ("rtd", "srtd", "max_rtd", "rtd_lite", "rips_wasserstein"):
        with pytest.raises(Undefined, match="normalize='mean'"):
            getattr(sim, name)(x, clouds(9)[0])
        assert getattr(sim, name)(x, clouds(9)[0], normalize="mean") >= 0


def test_a_sum_of_infinite_bars_is_undefined() -> None:
    """Points do not have infinite bars, but distance matrices can."""
    never = np.array([[0.0, np.inf], [np.inf, 0.0]])
    near = np.array([[0.0, 1.0], [1.0, 0.0]])
    for parts in (
        _divergence.rtd_parts,
        _divergence.srtd_parts,
        _divergence.max_rtd_parts,
        _divergence.lite_parts,
    ):
        lite = parts is _divergence.lite_parts
        wrap = np.asarray if lite else MatrixWeights
        with pytest.raises(Undefined, match="infinite"):
            parts(wrap(never), wrap(near))
        found = parts(wrap(near), wrap(near))
        if not lite:  # the others also return the bars
            found, bars = found
            assert all(array.shape == (0, 2) for array in bars)
        np.testing.assert_array_equal(found, 0.0)


@pytest.mark.parametrize(
    ("name", "options", "clue"),
    [
        ("rtd", {"batch": 1}, "batch"),
        ("srtd", {"draws": 0}, "draws"),
        ("rtd_lite", {"quantile": 0.0}, "quantile"),
        ("max_rtd", {"quantile": 1.5}, "quantile"),
        ("rtd", {"quantile": 0.5, "normalize": "mean"}, "does nothing"),
        ("rips_wasserstein", {"degree": -1}, "degree"),
        ("rips_wasserstein", {"order": 0.5}, "order"),
    ],
)
def test_invalid_options_are_refused(name: str, options: dict, clue: str) -> None:
    with pytest.raises(InvalidInput, match=clue):
        getattr(sim, name)(*clouds(0), **options)


def test_distances_above_the_memory_budget_are_refused() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 400, 2))
    with sim.config(memory_budget=2**20):
        for name in ("rtd", "rtd_lite", "nts_e", "rips_wasserstein"):
            with pytest.raises(InvalidInput, match="memory budget"):
                getattr(sim, name)(x, y)
        assert sim.rtd(x, y, batch=50, rng=0) > 0
