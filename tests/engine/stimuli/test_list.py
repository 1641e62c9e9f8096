"""Lists of stimuli: both questions, the files of loaded results, and the commands."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from cli.command import start
from shared.seeds_of_one_population import exchanged, seeds
from similitude import InvalidInput, Representation, Results, stats
from similitude.store import open_store

IDS = np.array([f"image {i}" for i in range(300)])


@pytest.fixture(scope="module")
def reps() -> list[Representation]:
    """Seven seeds; 20 rows of the second one are exchanged."""
    rng = np.random.default_rng(0)
    copies, labels = seeds(rng, 7)
    copies[1], _ = exchanged(copies[1], labels, rng)
    fields = {"digit": labels, "text": np.array(["a\x1b[31mred", *IDS[1:]])}
    return [
        Representation(f"s{i}", rows, ids=IDS, fields=fields if i == 0 else {})
        for i, rows in enumerate(copies)
    ]


@pytest.fixture(scope="module")
def found(reps: list[Representation]) -> Results:
    return sim.compare(reps, ["cka", "pnka"], permutations=0, reference="s0")


def test_stimuli_have_the_scores_of_the_measure(found: Results, reps: list) -> None:
    listed = found.stimuli("s0", "s1")
    assert listed.measure == "pnka"  # a mean over stimuli, not an influence
    expected = sim.per_stimulus(reps[0].values, reps[1].values, "pnka")
    np.testing.assert_array_equal(listed.scores, expected)
    assert (np.diff(listed.scores[listed.order]) >= 0).all()
    assert listed.ids[0] == "image 0"
    entries = listed.to_dict()["stimuli"]
    assert entries[0]["id"] == IDS[np.argmin(expected)]
    assert {"id", "score", "alike_q", "digit", "text"} == set(entries[0])
    json.dumps(listed.to_dict())


def test_both_questions_are_answered_apart(found: Results, reps: list) -> None:
    alone = found.stimuli("s0", "s1", "pnka").table(width=80)
    assert "This says nothing about a difference" in " ".join(alone.split())
    assert "this is a ranking, not a test" in alone
    assert "4 or more other seeds" in " ".join(alone.split())
    listed = found.stimuli("s0", "s1", "pnka", baselines=["s2", "s3", "s4", "s5"])
    values = [rep.values for rep in reps]
    expected = stats.moved(values[0], values[1], values[2:6], "pnka")
    np.testing.assert_array_equal(listed.moved.q, expected.q)
    count = int(np.sum(expected.q < 0.05))
    text = " ".join(listed.table(width=80).split())
    assert f"Moved: {count} of 300 stimuli differ more than between the 6 pairs" in text
    assert all(len(line) <= 80 for line in listed.table(width=80).splitlines())


def test_distances_list_the_largest_first(found: Results) -> None:
    listed = found.stimuli("s0", "s1", "procrustes")
    assert not listed.similarity
    assert listed.scores[listed.order[0]] == listed.scores.max()
    assert "a low score means similar" in listed.table()
    influence = found.stimuli("s0", "s1", "cka")
    assert influence.alike is None


def test_control_characters_of_fields_are_escaped(found: Results) -> None:
    text = found.stimuli("s0", "s1").table(width=200, count=300)
    assert "\x1b" not in text
    assert r"a\x1b[31mred" in text


def test_wrong_names_are_refused(found: Results) -> None:
    with pytest.raises(InvalidInput, match="'x' was not compared; choose from s0, s1"):
        found.stimuli("s0", "x")
    with pytest.raises(InvalidInput, match="rsa has no scores of single stimuli"):
        found.stimuli("s0", "s1", "rsa")
    with pytest.raises(InvalidInput, match="at least 4 are needed"):
        found.stimuli("s0", "s1", baselines=["s2"])


def test_loaded_results_read_their_files_again(tmp_path: Path, reps: list) -> None:
    store = open_store(tmp_path / "store", create=True)
    order = np.random.default_rng(1).permutation(300)
    for i, rep in enumerate(reps[:2]):
        store.put(rep.take(order) if i else rep)
    out = tmp_path / "out"
    live = sim.compare(tmp_path / "store", "pnka", out=out, permutations=0)
    expected = live.stimuli("s0", "s1")
    again = Results.load(out).stimuli("s0", "s1")
    np.testing.assert_array_equal(again.scores, expected.scores)
    assert again.ids.tolist() == expected.ids.tolist()


def test_arrays_of_one_file_are_read_again(
    tmp_path: Path, reps: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b, c = (rep.values for rep in reps[:3])
    np.savez("many.npz", a=a, b=b, c=c)
    live = sim.compare("many.npz", "pnka", out="out", permutations=0)
    expected = live.stimuli("many/a", "many/b")
    again = Results.load("out").stimuli("many/a", "many/b")
    np.testing.assert_array_equal(again.scores, expected.scores)
    np.savez("many.npz", a=a, c=c)
    with pytest.raises(
        InvalidInput,
        match=r"many\.npz no longer has many/b; it has many/a, many/c\.",
    ):
        Results.load("out").stimuli("many/a", "many/b")


def test_changed_or_missing_values_are_refused(tmp_path: Path, reps: list) -> None:
    paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
    for path, rep in zip(paths, reps, strict=False):
        np.save(path, rep.values)
    sim.compare(paths, "pnka", out=tmp_path / "out", permutations=0)
    np.save(paths[1], reps[1].values + 1)
    loaded = Results.load(tmp_path / "out")
    with pytest.raises(InvalidInput, match="other rows or values than were compared"):
        loaded.stimuli("a", "b")
    paths[1].unlink()
    with pytest.raises(InvalidInput, match="now missing"):
        loaded.stimuli("a", "b")
    arrays = {"a": reps[0].values, "b": reps[1].values}
    sim.compare(arrays, "pnka", out=tmp_path / "arrays", permutations=0)
    with pytest.raises(InvalidInput, match="a was an array"):
        Results.load(tmp_path / "arrays").stimuli("a", "b")


def test_commands_list_stimuli(tmp_path: Path, reps: list) -> None:
    names = [rep.name for rep in reps[:6]]
    for rep in reps[:6]:
        np.savez(tmp_path / f"{rep.name}.npz", rows=rep.values, ids=IDS)
    two = start("compare", "s0.npz", "s1.npz", "-m", "pnka", "--stimuli", cwd=tmp_path)
    assert two.returncode == 0, two.stderr
    assert "least similar" in two.stdout
    files = [f"{name}.npz" for name in names]
    many = start("compare", *files, "-m", "pnka", "--stimuli", cwd=tmp_path)
    assert "show similitude-results --stimuli A B" in many.stdout
    listing = ("show", "--stimuli", "s0", "s1", "--against", ",".join(names[2:]))
    shown = start(*listing, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "between the 6 pairs of baselines" in " ".join(shown.stdout.split())
    document = json.loads(start(*listing, "--json", cwd=tmp_path).stdout)
    assert len(document["stimuli"]) == 300
    alone = start("show", "--against", "s1", cwd=tmp_path)
    assert alone.returncode == 2
    assert "need --stimuli A B" in alone.stderr


def test_outputs_have_stimuli_without_groups() -> None:
    labels = np.arange(60) % 3
    other = np.where(np.arange(60) < 5, 2 - labels, labels)
    outputs = {"a": sim.Outputs(labels=labels), "b": sim.Outputs(labels=other)}
    found = sim.compare(outputs, "disagreement", permutations=0)
    listed = found.stimuli("a", "b")
    np.testing.assert_array_equal(listed.scores, labels != other)
    assert (listed.groups, listed.views) == ((), ())
    assert "stimuli of points" in listed.table()
