"""`sim.load` and `compare` with paths: nested folders, outputs, names."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude.store import open_store

N = 30
RNG = np.random.default_rng(0)
X, Y, Z = (RNG.normal(size=(N, d)) for d in (4, 3, 5))
TARGETS = RNG.integers(3, size=N)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for model in ("resnet", "vit"):
        (tmp_path / "reps" / model).mkdir(parents=True)
        for layer, rows in (("layer1", X), ("layer2", Y)):
            np.save(tmp_path / "reps" / model / f"{layer}.npy", rows)
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "b.npy", Y)
    return tmp_path


def test_nested_folders_are_models_with_layers(folder: Path) -> None:
    np.savez("reps/vit/heads.npz", one=X, two=Z)
    np.save("reps/alone.npy", Z)
    found = {rep.name: (rep.model, rep.layer) for rep in sim.load("reps")}
    assert found == {
        "alone": ("alone", None),
        "resnet/layer1": ("resnet", "layer1"),
        "resnet/layer2": ("resnet", "layer2"),
        "vit/heads/one": ("vit/heads", "one"),
        "vit/heads/two": ("vit/heads", "two"),
        "vit/layer1": ("vit", "layer1"),
        "vit/layer2": ("vit", "layer2"),
    }


def test_nested_names_in_two_folders_get_the_outer_folder_once(folder: Path) -> None:
    for run in ("run1", "run2"):
        (folder / run / "net").mkdir(parents=True)
        np.save(folder / run / "net" / "h.npy", X)
    assert [(r.name, r.model, r.layer) for r in sim.load(["run1", "run2"])] == [
        ("run1/net/h", "run1/net", "h"),
        ("run2/net/h", "run2/net", "h"),
    ]


def test_results_folders_hidden_folders_and_loops_are_left_out(folder: Path) -> None:
    sim.compare("reps", "cka", permutations=0, out="reps/out")
    np.savez("reps/out/other.npz", h=X)
    (folder / "reps" / ".hidden").mkdir()
    np.save("reps/.hidden/x.npy", X)
    (folder / "reps" / "vit" / "up").symlink_to(folder / "reps")
    assert len(sim.load("reps")) == 4
    with pytest.raises(sim.InvalidInput, match=r"is a results folder.*Results.load"):
        sim.load("reps/out")


def test_nested_stores_keep_their_own_names(folder: Path) -> None:
    open_store("reps/mine", create=True).put(sim.Representation("net", Z))
    assert next(rep.name for rep in sim.load("reps")) == "net"


def test_compare_reads_what_load_reads(folder: Path) -> None:
    expected = sim.compare(
        {m: {"layer1": X, "layer2": Y} for m in ("resnet", "vit")}, "cka"
    )
    for reps in ("reps", Path("reps"), sim.load("reps")):
        found = sim.compare(reps, "cka")
        assert [(r.a, r.b, r.score) for r in found.rows] == [
            (r.a, r.b, r.score) for r in expected.rows
        ]
    assert sim.compare(["a.npy", "b.npy"], "cka").names == ("a", "b")
    named = sim.compare({"one": "a.npy", "two": Y, "net": "reps/vit"}, "cka")
    assert named.names == ("one", "two", "net/layer1", "net/layer2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X, Y), r"write compare\(\{'a': x, 'b': y\}\), or compare\(\[x, y\]\)"),
        (("a.npy", "b.npy"), r"write compare\(\['a.npy', 'b.npy'\]\)"),
        ((X,), r"write compare\(\{'a': x, 'b': y\}\)"),
        ((["a.npy", X],), "the sequence has paths and values"),
        (("missing.npy",), "missing.npy does not exist"),
    ],
)
def test_calls_that_cannot_work_say_what_to_write(
    folder: Path, arguments, message: str
) -> None:
    with pytest.raises(sim.InvalidInput, match=message):
        sim.compare(*arguments)


def test_lists_of_layers_and_functions_of_measures_work(folder: Path) -> None:
    found = sim.compare({"a": [X, Y], "b": (Z,)}, [sim.cka], permutations=0)
    assert found.names == ("a/0", "a/1", "b/0")
    assert found.measures == ("cka",)
    assert found.rows[0].score == float(sim.cka(X, Y))
    rows = {"a": X.tolist(), "b": [*Y]}  # nested lists and lists of rows are one array
    assert sim.compare(rows, sim.measures.CKA, permutations=0).names == ("a", "b")


def logits(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, 3)) + 2 * np.eye(3)[TARGETS]


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "write",
    [
        lambda name, x: np.save(f"{name}.npy", x),
        lambda name, x: np.save(f"{name}.npy", softmax(x)),
        lambda name, x: np.savez(f"{name}.npz", logits=x, layer=X),
        lambda name, x: np.savez(f"{name}.npz", probabilities=softmax(x)),
        lambda name, x: np.savez(f"{name}.npz", log_probs=np.log(softmax(x))),
    ],
    ids=["logits", "probabilities", "named logits", "named probs", "named log_probs"],
)
def test_outputs_are_read_from_logits_and_probabilities(folder: Path, write) -> None:
    Path("outs").mkdir()
    for i in range(2):
        write(f"outs/m{i}", logits(i))
    np.save("targets.npy", TARGETS)
    reps = sim.load(outputs="outs", targets="targets.npy")
    assert [(rep.name, rep.domain) for rep in reps] == [
        ("m0", "outputs"),
        ("m1", "outputs"),
    ]
    found = sim.compare(reps, permutations=0)
    assert not found.errors()
    scores = {row.measure: row.score for row in found.rows}
    p, q = softmax(logits(0)), softmax(logits(1))
    np.testing.assert_allclose(
        scores["disagreement"], (p.argmax(1) != q.argmax(1)).mean()
    )
    kl = (p * np.log(p / q)).sum(axis=1).mean()
    np.testing.assert_allclose(float(sim.kl_divergence(*[r.values for r in reps])), kl)
    accuracies = [(x.argmax(1) == TARGETS).mean() for x in (p, q)]
    np.testing.assert_allclose(
        scores["accuracy_difference"], abs(accuracies[0] - accuracies[1])
    )


def test_predictions_are_numbers_or_names_and_join_by_id(folder: Path) -> None:
    names = np.array(["cat", "dog", "eel"])
    order = RNG.permutation(N)
    first, second = (logits(i).argmax(1) for i in range(2))
    lines = [f"s{i},{names[c]}" for i, c in enumerate(first)]
    Path("m0.csv").write_text("\n".join(["id,prediction", *lines]))
    ids = np.array([f"s{i}" for i in order])
    np.savez("m1.npz", predictions=names[second][order], ids=ids)
    Path("true.csv").write_text(
        "\n".join(["id,targets", *(f"s{i},{names[TARGETS[i]]}" for i in order)])
    )
    reps = sim.load(outputs=["m0.csv", "m1.npz"], targets="true.csv")
    found = sim.compare(reps, ["disagreement", "accuracy_difference"], permutations=0)
    expected = [
        (first != second).mean(),
        abs((first == TARGETS).mean() - (second == TARGETS).mean()),
    ]
    np.testing.assert_allclose([row.score for row in found.rows], expected)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"logits": logits(0), "probs": softmax(logits(0))}, "logits and probs; keep"),
        ({"logits": logits(0), "labels": TARGETS}, "call them predictions or targets"),
        ({"one": X, "two": Y}, "holds one, two; call the outputs"),
        ({"probabilities": X}, "rows must sum to 1"),
        ({"logits": X * np.nan}, "has NaN or infinite values"),
        ({"targets": TARGETS}, "has targets, but no outputs"),
        ({"predictions": X[:, 0]}, "one class per stimulus"),
        ({"cube": np.zeros((3, 2, 2))}, r"shape \(3, 2, 2\)"),
        ({"logits": X[:, 0]}, "must be n x K numbers"),
        ({"logits": np.full((3, 2), -np.inf)}, "has a row of -inf"),
        ({"predictions": TARGETS, "labels": TARGETS}, "predictions and labels; keep"),
    ],
)
def test_unclear_outputs_are_refused(folder: Path, arrays, message: str) -> None:
    np.savez("m.npz", **arrays)
    with pytest.raises(sim.InvalidInput, match=message) as caught:
        sim.load(outputs="m.npz")
    assert "m.npz" in str(caught.value)


def test_outputs_beside_representations_get_their_own_name(folder: Path) -> None:
    np.save("reps/resnet.npy", X)
    found = sim.load("a.npy", outputs={"a": "reps/resnet.npy", "c": "b.npy"})
    assert [rep.name for rep in found] == ["a", "a/outputs", "c"]
    with pytest.raises(sim.InvalidInput, match="name each file"):
        sim.load(outputs={"a": "reps/vit"})
    with pytest.raises(sim.InvalidInput, match="need outputs"):
        sim.load("a.npy", targets="b.npy")


def test_targets_are_given_once_and_classes_are_all_names_or_all_numbers(
    folder: Path,
) -> None:
    np.savez("m.npz", logits=logits(0), targets=TARGETS)
    np.save("targets.npy", TARGETS)
    with pytest.raises(sim.InvalidInput, match="has its own targets; give them once"):
        sim.load(outputs="m.npz", targets="targets.npy")
    np.save("names.npy", np.array(["a", "b", "c"])[TARGETS])
    np.save("column.npy", TARGETS[:, None])
    with pytest.raises(sim.InvalidInput, match="some classes are names and some are"):
        sim.load(outputs=["names.npy", "column.npy"])
    with pytest.raises(sim.InvalidInput, match="some classes are names and some are"):
        sim.load(outputs=["m.npz", "names.npy"])
    (found,) = sim.load(outputs="column.npy")
    np.testing.assert_array_equal(found.load().labels, TARGETS)


def test_equal_names_get_a_suffix_or_a_folder(folder: Path) -> None:
    np.savez("a.npz", X)
    found = sim.load(["a.npy", "a.npz"])
    assert [(rep.name, rep.model) for rep in found] == [
        ("a.npy", "a.npy"),
        ("a.npz", "a.npz"),
    ]
    with pytest.raises(sim.InvalidInput, match=r"a\.npy is given twice"):
        sim.load(["a.npy", "a.npy"])


def test_one_array_or_paths_beside_values_are_refused(folder: Path) -> None:
    with pytest.raises(sim.InvalidInput, match="are in the first argument"):
        sim.compare(X)
    with pytest.raises(sim.InvalidInput, match="the sequence has paths and values"):
        sim.compare(["a.npy", Y])
    found = sim.compare({"file": "a.npy", "values": Y}, "cka", permutations=0)
    np.testing.assert_allclose(found.rows[0].score, sim.cka(X, Y), rtol=1e-12)
