"""Arrays on a device that numpy cannot read; `check_measure` tries all measures."""

import array_api_strict
import numpy as np

import similitude as sim
from similitude._base import _array


def on_device(x: np.ndarray) -> object:
    return array_api_strict.asarray(x, device=array_api_strict.Device("device1"))


def test_compare_accepts_arrays_on_a_device() -> None:
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(size=(40, 4)) for name in "ab"}
    twins = {name: rng.normal(size=(40, 3)) for name in "ab"}
    inputs = rng.normal(size=(40, 2))
    measures = ["cka", "rsa", "mutual_knn"]
    expected = sim.compare(
        arrays, measures, baselines={"untrained": twins}, inputs=inputs, permutations=5
    )
    found = sim.compare(
        {name: on_device(x) for name, x in arrays.items()},
        measures,
        baselines={"untrained": {name: on_device(x) for name, x in twins.items()}},
        inputs=on_device(inputs),
        permutations=5,
    )
    assert found == expected
    there = {name: on_device(x) for name, x in arrays.items()}
    assert sim.advise(there) == sim.advise(arrays)


def test_ids_on_a_device_are_accepted() -> None:
    x, ids = np.eye(4), np.arange(4)
    found = sim.Representation("a", on_device(x), ids=on_device(ids))
    assert found.sha256 == sim.Representation("a", x, ids=ids).sha256
    np.testing.assert_array_equal(found.load(), x)


def test_moments_accept_batches_on_a_device() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 30, 3))
    there = sim.streaming.Moments().update(on_device(x), on_device(y))
    np.testing.assert_allclose(
        there.cka(), sim.streaming.Moments().update(x, y).cka(), rtol=1e-12
    )


def test_moves_are_recorded() -> None:
    x = on_device(np.eye(3))
    with _array.moves_to_host() as moved:
        _array.to_numpy(x)
        _array.to_numpy(np.eye(2))
    assert moved == [(3, 3)]
