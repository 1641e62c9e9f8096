"""Requests that cannot be answered are refused with the argument and the remedy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Outputs, Representation
from similitude.engine import best_layers

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 4)), RNG.normal(size=(20, 3))
LABELS = np.arange(20) % 2


def refused(message: str, *args: Any, **options: Any) -> None:
    options = {"permutations": 0, "progress": None, **options}
    with pytest.raises(InvalidInput, match=message):
        sim.compare(*args, **options)


def test_two_paths_or_arrays_in_place_of_measures(tmp_path: Path) -> None:
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", X)
    a, b = str(tmp_path / "a.npy"), str(tmp_path / "b.npy")
    refused(r"names measures; write compare\(\['.*a\.npy', '.*b\.npy'\]\)", a, b)
    refused("the second argument names measures; write compare", X, Y)


def test_no_measures_and_a_measure_given_twice() -> None:
    refused("measures is empty; omit it", [X, Y], [])
    refused(
        "is given twice, as 'one' and as 'two'", [X, Y], {"one": "cka", "two": "cka"}
    )


def test_labels_of_classes_that_do_not_fit(tmp_path: Path) -> None:
    reps = {"a": X, "b": Y}
    named = [Representation(n, v, ids=range(20)) for n, v in reps.items()]
    labels = dict(enumerate(LABELS.tolist()))
    refused("within= maps ids to labels; a has no ids", reps, "cka", within=labels)
    del labels[7]
    refused("a has no label of the sample 7", named, "cka", within=labels)
    refused("must be one label per row of a", reps, "cka", within=LABELS[:5])
    refused("labels that are not whole numbers", reps, "cka", within=LABELS + 0.5)
    refused("'True' has 1", reps, "cka", within=np.arange(20) == 3)
    refused("there is one", reps, "cka", within=np.zeros(20, int))
    away = {"executor": object(), "out": tmp_path / "out"}
    refused("within= and executor= exclude", reps, "cka", within=LABELS, **away)
    between = {"between": {"a": X, "b": Y}}
    refused("within= uses this name", reps, "cka", within=LABELS, baselines=between)


def test_labels_by_id_are_those_of_the_rows() -> None:
    named = [Representation(n, v, ids=range(20)) for n, v in (("a", X), ("b", Y))]
    labels = {i: f"class {label}" for i, label in enumerate(LABELS)}
    found = sim.compare(named, "cka", within=labels, permutations=0)
    same = sim.compare({"a": X, "b": Y}, "cka", within=LABELS, permutations=0)
    assert found.rows[0].score == same.rows[0].score


def test_the_best_layers_of_layers_without_a_score() -> None:
    layers = {"a": {"first": X, "flat": np.ones((20, 3))}, "b": {"first": Y}}
    with pytest.raises(InvalidInput, match=r"a/flat: .* Remove this layer"):
        best_layers(layers, "cka", permutations=9)
    with pytest.raises(InvalidInput, match="x does not have a model"):
        best_layers([Representation("x", X), Representation("y", Y)], "cka")


def test_limits_and_layers_of_diff_that_do_not_exist() -> None:
    before, after = {"one": X, "two": Y}, {"one": X, "two": Y + 0.1}
    for allow in ("cka", "cka=high", "=0.9", "cka=nan"):
        with pytest.raises(InvalidInput, match=r"is not a limit; write NAME=NUMBER"):
            sim.diff(before, after, allow=allow)
    with pytest.raises(InvalidInput, match="map: there is no layer 'three' before"):
        sim.diff(before, after, map={"three": "one"})
    with pytest.raises(InvalidInput, match="outputs: 'three' is not a compared layer"):
        sim.diff(before, after, outputs="three")
    with pytest.raises(
        InvalidInput, match="the sides of 'one' differ in their classes"
    ):
        sim.diff(before, {"one": Y, "two": Y}, outputs="one")


def test_stimuli_of_files_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("a.npz", one=X)
    np.save("b.npy", Y)
    sim.compare(["a.npz", "b.npy"], "pnka", out="out", permutations=0, progress=None)
    assert len(sim.Results.load("out").stimuli("a", "b", "pnka").scores) == 20
    np.savez("a.npz", one=X, two=Y)
    with pytest.raises(InvalidInput, match=r"a\.npz no longer has a"):
        sim.Results.load("out").stimuli("a", "b", "pnka")
    np.savez("a.npz", one=X + 1)
    with pytest.raises(
        InvalidInput, match="has other rows or values than were compared"
    ):
        sim.Results.load("out").stimuli("a", "b", "pnka")
    Path("a.npz").unlink()
    with pytest.raises(
        InvalidInput, match="now missing, so its stimuli cannot be read"
    ):
        sim.Results.load("out").stimuli("a", "b", "pnka")


def test_outputs_and_points_have_no_common_measure() -> None:
    outputs = Outputs(labels=LABELS)
    refused("cka compares points, but no rep", {"a": outputs, "b": outputs}, "cka")
