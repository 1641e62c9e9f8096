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
    away = {"dask": object(), "out": tmp_path / "out"}
    refused("within= and dask= exclude", reps, "cka", within=LABELS, **away)
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


def test_rows_that_are_not_finite() -> None:
    hole = X.copy()
    hole[3, 1] = np.nan
    outputs = {"o": Outputs(labels=LABELS), "p": Outputs(labels=LABELS[::-1].copy())}
    drop = {"drop_nonfinite": True, "permutations": 0, "progress": None}
    found = sim.compare({"a": hole, "b": Y, **outputs}, ["cka", "disagreement"], **drop)
    kept = np.delete(np.arange(20), 3)
    row = next(row for row in found.rows if row.label == "cka")
    np.testing.assert_allclose(row.score, sim.cka(X[kept], Y[kept]), rtol=1e-12)
    whole = sim.compare({"a": X, "b": Y}, "cka", **drop)
    np.testing.assert_allclose(whole.rows[0].score, sim.cka(X, Y), rtol=1e-12)
    first, second = X.copy(), Y.copy()
    first[:10] = second[10:] = np.inf
    refused("so no rows are left", [first, second], "cka", drop_nonfinite=True)
    gone = np.full((20, 3), np.nan)
    refused(r"column 0 is NaN \(60 of 60 values\)", [X, gone], drop_nonfinite=True)


def test_ids_that_do_not_join() -> None:
    numbers = Representation("numbers", X, ids=range(20))
    texts = Representation(
        "texts", Y[::-1].copy(), ids=[f"{i}" for i in range(20)][::-1]
    )
    found = sim.compare([numbers, texts], "cka", permutations=0, progress=None)
    np.testing.assert_allclose(found.rows[0].score, sim.cka(X, Y), rtol=1e-12)
    refused("join_ids='all'; choose from", [numbers, texts], join_ids="all")
    others = Representation("others", Y, ids=range(50, 70))
    refused("no sample id occurs in all", [numbers, others], join_ids="common")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("tokens", "tokens", "tokens of different tokenizers or of different texts"),
        ("positions", "positions", "positions of different grids"),
        ("tokens", None, "only a has one row per token"),
        (None, "positions", "only b has one row per position"),
    ],
)
def test_rows_that_are_parts_of_stimuli(
    first: str | None, second: str | None, message: str
) -> None:
    a = Representation("a", X, ids=range(20), meta={"rows": first} if first else {})
    b = Representation(
        "b", Y, ids=range(9, 29), meta={"rows": second} if second else {}
    )
    refused(message, [a, b], "cka")


def test_twins_that_match_no_representation() -> None:
    def twin(name: str, of: str | None) -> Representation:
        return Representation(name, X[::-1].copy(), baseline="untrained", twin_of=of)

    a, b = Representation("a", X), Representation("b", Y)
    refused("there are only baselines", [twin("u", "a"), twin("v", "b")], "cka")
    twice = [a, b, twin("u", "a"), twin("v", "a")]
    refused("a has two twins for baseline 'untrained'", twice, "cka")
    refused("none of its twins", [a, b, twin("u", "c"), twin("v", "d")], "cka")
    pairs = [a, b, twin("u", "a"), twin("v", "b"), twin("w", "c")]
    found = sim.compare(pairs, "cka", permutations=0, progress=None)
    assert [(row.a, row.b) for row in found.rows] == [("a", "b")]
    assert list(found.rows[0].baselines) == ["untrained"]
