"""A `Representation` is accepted wherever an array is, and prints in one line."""

from pathlib import Path

import numpy as np
import pytest
import torch

import similitude as sim
from similitude import Representation, stats
from similitude.store import Store, open_store

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = X @ RNG.normal(size=(5, 3)) + 0.3 * RNG.normal(size=(40, 3))
IDS = [f"s{i}" for i in range(40)]


def stored(folder: Path) -> Store:
    store = open_store(folder, create=True)
    for name, values in (("x", X), ("y", Y)):
        store.put(Representation(name, values, ids=IDS, model=name))
    return store


def points_measures() -> list[str]:
    return [name for name, m in sim.MEASURES.items() if m.domain == "points"]


@pytest.mark.parametrize("name", points_measures())
def test_every_measure_of_points_takes_representations(name: str) -> None:
    measure = sim.MEASURES[name]
    a, b = Representation("a", X, ids=IDS), Representation("b", Y, ids=IDS)

    def score(x: object, y: object) -> float | str:
        try:
            return float(measure(x, y))
        except sim.Undefined as error:
            return str(error)

    assert score(a, b) == score(X, Y)
    assert score(a, Y) == score(X, Y)


def test_representations_of_a_store_are_arrays_for_numpy(tmp_path: Path) -> None:
    for rep, values in zip(stored(tmp_path / "reps").select(), (X, Y), strict=True):
        np.testing.assert_array_equal(np.asarray(rep), values)
        assert np.asarray(rep, dtype=np.float32).dtype == np.float32


def test_outputs_and_softmax_models_are_accepted_by_their_measures() -> None:
    first = sim.Outputs(labels=np.arange(40) % 3)
    second = sim.Outputs(labels=np.arange(40) % 4)
    a, b = Representation("a", first), Representation("b", second)
    assert float(sim.disagreement(a, b)) == float(sim.disagreement(first, second))
    with pytest.raises(sim.InvalidInput, match="a holds outputs, not one array"):
        np.asarray(a)


def test_representations_with_other_ids_are_not_paired_by_position() -> None:
    a = Representation("a", X, ids=IDS)
    b = Representation("b", Y, ids=IDS[::-1])
    with pytest.raises(sim.InvalidInput, match="joins rows by id"):
        sim.cka(a, b)
    with pytest.raises(sim.InvalidInput, match="joins rows by id"):
        stats.difference("cka", (a, a), (b, b))


def test_difference_takes_representations_and_uses_their_blocks() -> None:
    blocks = np.arange(40) // 2
    a, b = (Representation(n, v, blocks=blocks) for n, v in (("a", X), ("b", Y)))
    expected = stats.difference("cka", (X, Y), (X, X), blocks=blocks)
    assert stats.difference("cka", (a, b), (a, a)) == expected
    assert stats.difference("cka", (X, Y), (X, X)) != expected


def test_difference_takes_tensors_and_arrays_together() -> None:
    expected = stats.difference("cka", (X, Y), (X, X))
    found = stats.difference("cka", (torch.asarray(X), Y), (Y, Y))
    np.testing.assert_allclose(found.first, expected.first, rtol=1e-12)


def test_advise_takes_the_paths_that_compare_takes(tmp_path: Path) -> None:
    stored(tmp_path / "reps")
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    expected = [advice.code for advice in sim.advise({"x": X, "y": Y})]
    for paths in (
        tmp_path / "reps",
        [tmp_path / "x.npy", tmp_path / "y.npy"],
        {"x": tmp_path / "x.npy", "y": str(tmp_path / "y.npy")},
    ):
        assert [advice.code for advice in sim.advise(paths)] == expected


def test_objects_print_in_one_line(tmp_path: Path) -> None:
    store = stored(tmp_path / "reps")
    found = sim.compare({"a": X, "b": Y}, "cka", permutations=0)
    task = sim.latent.stitching.stitching_task({"a": X, "b": Y}, np.arange(40) % 2)
    difference = stats.difference("cka", (X, Y), (X, X))
    for value, start in (
        (store.select()[0], "Representation('x', 40 x 5, float64)"),
        (Representation("t", torch.zeros(3, 2)), "Representation('t', 3 x 2, torch."),
        (
            Representation("x", np.zeros((3, 2)), baseline="untrained", twin_of="x"),
            "Representation('x', 3 x 2, float64, untrained)",
        ),
        (Representation("o", sim.Outputs(labels=[0, 1])), "Representation('o', 2 x 1"),
        (store, f"Store('{tmp_path / 'reps'}', 2 representations)"),
        (found.rows[0], "Row(a - b, cka: 0."),
        (task, "StitchingTask(a, b; 28 training, 12 test rows, 28 anchors"),
        (difference, str(difference)),
    ):
        assert repr(value).startswith(start)
        assert "\n" not in repr(value)
        assert len(repr(value)) < 200


def test_tensors_and_numpy_arrays_are_compared_in_the_library_of_the_tensor() -> None:
    x = torch.tensor(X, requires_grad=True)
    for pair in ((x, Y), (Y, x)):
        score = sim.cka(*pair)
        assert isinstance(score, torch.Tensor)
        np.testing.assert_allclose(score.detach(), sim.cka(X, Y), rtol=1e-12)
    sim.cka(x, Y).backward()
    assert x.grad is not None


def test_a_transposed_argument_is_named() -> None:
    with pytest.raises(sim.InvalidInput, match="Is y transposed"):
        sim.cka(X, Y.T)
    with pytest.raises(sim.InvalidInput, match="Is x transposed"):
        sim.cka(X.T, Y)
    with pytest.raises(sim.InvalidInput) as caught:
        sim.cka(X, Y[:17])
    assert "transposed" not in str(caught.value)


@pytest.mark.parametrize("path", ["x.npy", Path("x.npy")])
def test_a_path_instead_of_an_array_names_load(path: object) -> None:
    with pytest.raises(sim.InvalidInput, match=r"similitude.load\('x.npy'\)"):
        sim.cka(path, X)
