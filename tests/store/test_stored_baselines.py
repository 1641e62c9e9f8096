"""Stored baselines are used as baselines, and not compared like the others."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation, Results
from similitude.store import open_store

N = 30


def rows(seed: int, d: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, d))


A, B, A0, B0, C = (rows(seed) for seed in range(5))


def test_baseline_and_twin_of_are_stored(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    element = store.put(Representation("x", A, baseline="untrained", twin_of="a"))
    found = store.get(element)
    assert (found.baseline, found.twin_of) == ("untrained", "a")
    assert store.put(Representation("x", A)) != element  # not a baseline
    plain = store.get(store.put(Representation("x", A)))
    assert (plain.baseline, plain.twin_of) == (None, None)
    assert plain.sha256 == found.sha256  # the values are equal
    assert store.verify() == []
    with store.writer("y", baseline="seed", twin_of="a") as writer:
        writer.append(B)
        assert store.get(writer.commit()).baseline == "seed"
    with store.writer("z", twin_of="a") as writer:
        writer.append(B)
        with pytest.raises(InvalidInput, match="give both"):
            writer.commit()
    assert len(store.select()) == 3


def test_invalid_baseline_and_twin_of_are_refused() -> None:
    with pytest.raises(InvalidInput, match="twin_of= is given without baseline="):
        Representation("a", A, twin_of="b")
    for wrong in ("", 3, "a\nb"):
        with pytest.raises(InvalidInput, match="a line of text"):
            Representation("a", A, baseline=wrong)  # type: ignore[arg-type]


def cka_of(results: Results, *, baseline: str = "untrained") -> float:
    (row,) = [row for row in results.rows if (row.a, row.b) == ("a", "b")]
    return row.baselines[baseline]


MAINS = [Representation("a", A, model="a"), Representation("b", B, model="b")]


def compare(*twins: Representation, **options) -> Results:
    return sim.compare([*MAINS, *twins], "cka", permutations=0, **options)


def test_compare_takes_twins_by_name_or_by_twin_of() -> None:
    expected = compare(baselines={"untrained": {"a": A0, "b": B0}})
    by_name = compare(
        Representation("b", B0, baseline="untrained"),
        Representation("a", A0, baseline="untrained"),
    )
    by_twin_of = compare(
        Representation("first", A0, baseline="untrained", twin_of="a"),
        Representation("a", B0, baseline="untrained", twin_of="b"),
        Representation("other", C, baseline="untrained", twin_of="gone"),
    )
    np.testing.assert_allclose(cka_of(expected), sim.cka(A0, B0), rtol=1e-12)
    for found in (by_name, by_twin_of):
        assert found.names == ("a", "b")
        assert cka_of(found) == cka_of(expected)


def test_a_twin_may_have_the_name_of_its_representation() -> None:
    """`advise` reports on twins separately, and `best_layers` ignores them."""
    dead = np.hstack([A0, np.ones((N, 1))])
    twin = Representation("a", dead, baseline="untrained", model="a")
    advice = [item for item in sim.advise([*MAINS, twin]) if item.code == "dead-units"]
    assert [item.about for item in advice] == [("a (untrained)",)]
    best = sim.best_layers([*MAINS, twin], "cka", permutations=9)
    assert {name for found in best for name in (found.a, found.b)} == {"a", "b"}
    with pytest.raises(InvalidInput, match="two representations are called 'a'"):
        compare(MAINS[0])


def test_a_single_twin_is_compared_with_every_representation() -> None:
    found = compare(Representation("init", C, baseline="untrained"))
    mean = (sim.cka(A, C) + sim.cka(B, C)) / 2
    np.testing.assert_allclose(cka_of(found), mean, rtol=1e-12)


def test_baselines_argument_replaces_stored_twins() -> None:
    twins = [Representation(n, x, baseline=r) for n, x, r in (("a", A0, "untrained"),)]
    seed = Representation("a", C, baseline="seed")
    found = compare(*twins, seed, baselines={"untrained": {"a": B0, "b": C}})
    np.testing.assert_allclose(cka_of(found), sim.cka(B0, C), rtol=1e-12)
    assert set(found.rows[0].baselines) == {"untrained", "seed"}  # seed is kept
    # A replaced twin is not checked, even if it matches nothing.
    unmatched = Representation("x", C, baseline="untrained", twin_of="gone")
    with pytest.raises(InvalidInput, match="none of its twins"):
        compare(unmatched)
    compare(unmatched, baselines={"untrained": {"a": B0, "b": C}})


@pytest.mark.parametrize(
    ("twins", "message"),
    [
        ([("x", "gone"), ("y", "lost")], "none of its twins (of gone, ...) matches"),
        ([("x", None), ("y", None)], "none of its twins (of x, ...)"),
        ([("x", "gone")], "none of its twins (of gone, ...)"),
        ([("x", "a"), ("y", "a")], "a has two twins for baseline 'untrained'"),
    ],
)
def test_twins_without_a_match_are_refused(twins, message: str) -> None:
    reps = [Representation(n, C, baseline="untrained", twin_of=of) for n, of in twins]
    with pytest.raises(InvalidInput) as error:
        compare(*reps)
    assert message in str(error.value)
    with pytest.raises(InvalidInput, match=r"only baselines \(untrained\)"):
        sim.compare(reps)
