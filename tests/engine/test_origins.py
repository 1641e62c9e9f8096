"""`run.json` stores where the representations of a run come from."""

from pathlib import Path

import numpy as np

import similitude as sim
from similitude import Representation, Results
from similitude.store import open_store, read_files

X = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)


def test_load_gives_the_origin_of_each_representation(tmp_path: Path) -> None:
    np.save(tmp_path / "file.npy", X)
    store = open_store(tmp_path / "store", create=True)
    element = store.put(
        Representation("stored", X + 1, model="net", layer="conv1", step=7)
    )
    given = Representation(
        "given", X[:, :3], model="net", layer="fc", meta={"lr": np.float32(0.5)}
    )
    reps = [*read_files(tmp_path / "file.npy"), store.get(element), given]
    found = sim.compare(reps, "cka", permutations=0, out=tmp_path / "out")
    loaded = Results.load(tmp_path / "out")
    assert loaded.representations == found.representations
    file, stored, array = loaded.representations
    assert (file.name, file.path) == ("file", str(tmp_path / "file.npy"))
    assert stored.path is not None
    assert Path(stored.path).is_relative_to(tmp_path / "store")
    assert (stored.model, stored.layer, stored.step) == ("net", "conv1", 7)
    assert (array.path, array.model, array.layer) == (None, "net", "fc")
    assert array.meta == {"lr": 0.5}
    assert [rep.shape for rep in loaded.representations] == [(30, 4)] * 2 + [(30, 3)]
    for rep in loaded.representations:
        assert (rep.dtype, rep.domain, len(rep.sha256)) == ("float32", "points", 64)


def test_selected_rows_keep_the_path_of_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    reps = {"a": read_files(tmp_path / "a.npy")[0], "b": X[:, :2]}
    found = sim.compare(reps, "cka", rows="0:20", permutations=0, out=tmp_path / "out")
    first = Results.load(tmp_path / "out").representations[0]
    assert first == found.representations[0]
    assert (first.path, first.shape) == (str(tmp_path / "a.npy"), (20, 4))


def test_moved_files_keep_the_rows_of_earlier_measures(tmp_path: Path) -> None:
    for name, measure in (("one", "cka"), ("two", "procrustes")):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", X)
        reps = [*read_files(tmp_path / name / "a.npy"), Representation("b", X[:, :2])]
        sim.compare(reps, measure, permutations=0, out=tmp_path / "out")
    assert Results.load(tmp_path / "out").measures == ("procrustes", "cka")


def test_metadata_of_other_types_can_be_loaded(tmp_path: Path) -> None:
    reps = [
        Representation("a", X, model=3, layer=4, step="last", meta={"of": {1}}),
        Representation("b", X[:, :2], step=np.int64(3), meta={"nan": float("nan")}),
    ]
    found = sim.compare(reps, "cka", permutations=0, out=tmp_path)
    loaded = Results.load(tmp_path)
    assert loaded == found
    assert not loaded.notes
    a, b = loaded.representations
    assert (a.model, a.layer, a.step, a.meta) == ("3", "4", "last", {"of": "{1}"})
    assert (b.step, b.meta) == (3, {"nan": None})
