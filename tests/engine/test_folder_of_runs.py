"""Several runs in one folder: `load` reads the table of the last run."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Results


def reps(**changed: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(40, 3))
    clean = {name: z @ rng.normal(size=(3, 5)) for name in "abc"}
    noise = rng.normal(size=(40, 5))
    return {name: x + changed.get(name, 0.0) * noise for name, x in clean.items()}


def test_load_drops_rows_of_removed_representations(tmp_path: Path) -> None:
    sim.compare(reps(), "procrustes", out=tmp_path)
    few = {name: x for name, x in reps().items() if name != "c"}
    found = sim.compare(few, "procrustes", out=tmp_path)
    loaded = Results.load(tmp_path)
    assert loaded.names == ("a", "b")
    assert loaded == found  # q-values are over one pair instead of three


def test_load_after_a_run_in_reverse_order_has_each_pair_once(tmp_path: Path) -> None:
    sim.compare(reps(), "cka", permutations=0, out=tmp_path)
    reverse = dict(reversed(reps().items()))
    found = sim.compare(reverse, "cka", permutations=0, out=tmp_path)
    assert len(found) == 3
    assert Results.load(tmp_path) == found


def test_load_drops_rows_of_changed_inputs(tmp_path: Path) -> None:
    sim.compare(reps(), ["cka", "rsa"], permutations=0, out=tmp_path)
    found = sim.compare(reps(b=1.0), "cka", permutations=0, out=tmp_path)
    assert Results.load(tmp_path) == found


def test_load_includes_other_measures_of_the_same_inputs(tmp_path: Path) -> None:
    for measure in ("cka", "rsa", "procrustes"):
        sim.compare(reps(), measure, permutations=0, out=tmp_path)
    found = Results.load(tmp_path)
    assert found.measures == ("procrustes", "rsa", "cka")
    assert len(found) == 9


def test_load_does_not_complete_a_run_with_rows_of_another_seed(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise Stop

    sim.compare(reps(), "pwcca", permutations=3, out=tmp_path)
    with pytest.raises(Stop):
        sim.compare(reps(), "pwcca", permutations=3, rng=5, out=tmp_path, progress=stop)
    assert [row.seed for row in Results.load(tmp_path).rows] == [5, 5]


def test_load_after_a_run_with_a_reference_has_only_its_pairs(tmp_path: Path) -> None:
    sim.compare(reps(), "cka", permutations=0, out=tmp_path)
    found = sim.compare(reps(), "cka", reference="b", permutations=0, out=tmp_path)
    assert len(found) == 2
    assert Results.load(tmp_path) == found
