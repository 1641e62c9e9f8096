"""`similitude latent` on files and stores, compared with the library."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from similitude import InvalidInput, Representation, compare
from similitude.cli import main
from similitude.latent import align
from similitude.latent.align.relative import Cosine, Robust
from similitude.store import open_store, read_files
from similitude.transformations import sample_element

N, D, CLASSES = 360, 8, 4
RNG = np.random.default_rng(3)
LABELS = np.arange(N) % CLASSES
# Units of different sizes: a rotation makes them equal, which costs `Robust` accuracy.
SIZES = RNG.permutation(np.geomspace(0.25, 4.0, D))
X = (RNG.normal(size=(N, D)) + 3 * np.eye(D)[LABELS]) * SIZES
MONOMIAL = sample_element(("permutation", "diagonal", "translation"), D, RNG)
ROTATION = sample_element(("orthogonal",), D, RNG)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", X)
    np.save("b.npy", MONOMIAL(X))
    np.save("c.npy", ROTATION(X))
    np.save("labels.npy", LABELS)
    return tmp_path


def run(text: str, capsys: pytest.CaptureFixture, code: int = 0) -> Any:
    """Run a command and return its output, parsed if it is JSON."""
    with pytest.raises(SystemExit) as stop:
        main(["latent", *text.split()])
    said = capsys.readouterr()
    assert stop.value.code == code, said.err
    if code:
        assert said.out == ""
        assert said.err.startswith("error: ")
        assert said.err.count("\n") == 1
        return said.err
    assert max(map(len, said.out.splitlines())) <= 80 or "--json" in text
    return json.loads(said.out) if "--json" in text else said.out


# relative


def test_relative_rows_equal_those_of_the_library(files: Path, capsys: Any) -> None:
    found = run("relative a.npy b.npy -a uniform:12 -o r.safetensors --json", capsys)
    arrays = load_file("r.safetensors")
    chosen = found["rows"][0]["anchors"]
    np.testing.assert_array_equal(chosen, align.anchors.uniform(N, 12, rng=0))
    assert found["rows"][1]["anchors"] == chosen
    for name, x in (("a", X), ("b", MONOMIAL(X))):
        np.testing.assert_array_equal(arrays[name], Robust().fit(x[chosen])(x))
    np.testing.assert_allclose(arrays["a"], arrays["b"], atol=1e-12)
    row = found["rows"][0]
    assert (row["n"], row["d"], row["k"], row["transform"]) == (N, D, 12, "robust")
    assert "permutation" in row["invariances"]
    assert sorted(p.name for p in files.iterdir() if p.name.startswith(".")) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("farthest_point:9", lambda: align.anchors.farthest_point(X, 9, rng=5)),
        ("kmeans:9", lambda: align.anchors.kmeans(X, 9, rng=5)),
        ("class_balanced:9", lambda: align.anchors.class_balanced(LABELS, 9, rng=5)),
        ("10:40:3", lambda: np.arange(10, 40, 3)),
        ("7,3,99", lambda: np.array([7, 3, 99])),
    ],
)
def test_each_way_to_choose_anchors(
    spec: str, expected: Any, files: Path, capsys: Any
) -> None:
    command = f"relative a.npy b.npy -a {spec} --seed 5 --labels labels.npy"
    found = run(f"{command} -t cosine(normalize=l2) -o r.npz --json", capsys)
    np.testing.assert_array_equal(found["rows"][0]["anchors"], expected())
    with np.load("r.npz") as arrays:
        fitted = Cosine(normalize="l2").fit(X[expected()])
        np.testing.assert_array_equal(arrays["a"], fitted(X))


def test_anchors_are_matched_by_id(files: Path, capsys: Any) -> None:
    order = np.random.default_rng(0).permutation(N)
    ids = np.array([f"s{i}" for i in range(N)])
    np.savez("a.npz", rows=X, ids=ids)
    # Another order, and a stimulus that is not in the first file.
    strange = np.concatenate([ids[order][:-1], ["new"]])
    np.savez("b.npz", rows=X[order], ids=strange)
    found = run("relative a.npz b.npz -a uniform:10 -o out --json", capsys)
    first, second = (row["anchors"] for row in found["rows"])
    assert ids[first].tolist() == strange[second].tolist()
    a, b = sorted(open_store("out").select(), key=lambda r: r.name)
    assert (a.name, b.name) == ("a", "b")
    np.testing.assert_array_equal(b.ids, strange)
    np.testing.assert_allclose(a.load()[order][:-1], b.load()[:-1], atol=1e-12)
    assert a.meta["relative"]["name"] == "robust"
    Path("wanted.txt").write_text("s7\ns3\n")
    found = run("relative a.npz b.npz -a ids:wanted.txt -o more --json", capsys)
    assert found["rows"][0]["anchors"] == [7, 3]
    wrong = run("relative a.npz b.npz -a ids:wanted.txt -o r.npz", capsys, 2)
    assert "different ids" in wrong
    wrong = run("relative a.npz -a 0:9 -o r.safetensors", capsys, 2)
    assert "cannot hold ids that are text" in wrong
    lost = int(order[-1])
    wrong = run(f"relative a.npz b.npz -a {lost},3 -o r", capsys, 2)
    assert f"the id of row {lost} is missing in another file" in wrong


def test_stores_as_input_and_output(files: Path, capsys: Any) -> None:
    store = open_store("store", create=True)
    for name, rows in (("one", X), ("two", MONOMIAL(X))):
        store.put(Representation(name, rows, ids=np.arange(N), model="m", layer=name))
    text = run("relative store -a uniform:12 -o out -t robust(stats=train)", capsys)
    assert "robust(stats=train)" in text
    found = {rep.layer: rep for rep in open_store("out").select()}
    assert found["one"].model == "m"
    chosen = align.anchors.uniform(N, 12, rng=0)
    expected = Robust(stats="train").fit(X[chosen], X)(X)
    np.testing.assert_array_equal(found["one"].load(), expected)
    np.testing.assert_allclose(found["two"].load(), expected, atol=1e-12)
    run("relative store -a uniform:12 -o out -t robust(stats=train)", capsys)
    assert len(open_store("out").ids()) == 2  # an equal element is not stored again
    row = run("align store --from one --to two -m monomial --json", capsys)["rows"][0]
    assert (row["from"], row["to"]) == ("one", "two")
    np.testing.assert_allclose(row["held_out"], 0, atol=1e-9)


def test_anchors_from_separate_files(files: Path, capsys: Any) -> None:
    np.save("anchors.npy", X[:15] + 1)
    run("relative a.npy --anchors-from anchors.npy -o r.npy", capsys)
    (rep,) = read_files("r.npy")
    np.testing.assert_array_equal(rep.load(), Robust().fit(X[:15] + 1)(X))
    command = "relative a.npy b.npy --anchors-from anchors.npy -o r.npz"
    assert "contains 1 representations for 2 inputs" in run(command, capsys, 2)


@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_a_file_of_relative_rows_keeps_models_and_layers(
    suffix: str, files: Path, capsys: Any
) -> None:
    out = f"rel{suffix}"
    run(f"relative a.npy b.npy -a uniform:64 -o {out}", capsys)
    a, b = read_files(out)
    assert [(r.name, r.model, r.layer) for r in (a, b)] == [
        ("a", "a", None),
        ("b", "b", None),
    ]
    assert "same-model" not in str(compare(out, "cka", permutations=0, progress=None))
    (one,) = read_files(out, column="b")
    assert (one.name, one.model) == ("b", "b")
    store = open_store("store", create=True)
    for model in ("m", "n"):
        for layer in ("1", "2"):
            name = f"{model}/{layer}"
            store.put(Representation(name, X + int(layer), model=model, layer=layer))
    run(f"relative store -a uniform:12 -o {out}", capsys)
    found = {r.name: (r.model, r.layer) for r in read_files(out)}
    assert found == {f"{m}/{i}": (m, i) for m in "mn" for i in "12"}


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": ["m", 1]}', "\x00"])
def test_damaged_origins_are_refused(text: str, files: Path) -> None:
    mark = np.frombuffer(text.encode(), np.uint8)
    np.savez("r.npz", a=X, b=X, **{"similitude.origins": mark})
    with pytest.raises(InvalidInput, match=r"similitude\.origins is damaged"):
        read_files("r.npz")


def test_rows_option_also_selects_labels(files: Path, capsys: Any) -> None:
    command = "relative a.npy -a class_balanced:8 --labels labels.npy --rows 100:200"
    found = run(f"{command} -o r.npy --json", capsys)
    expected = align.anchors.class_balanced(LABELS[100:200], 8, rng=0)
    np.testing.assert_array_equal(found["rows"][0]["anchors"], expected)
    assert np.load("r.npy").shape == (100, 8)


# align


def test_maps_are_fitted_and_scored_on_held_out_rows(files: Path, capsys: Any) -> None:
    rows = {r["name"]: r for r in run("align a.npy b.npy --json", capsys)["rows"]}
    assert set(rows) == set(align.MAPS)
    assert rows["monomial"]["held_out"] < 1e-9 < 0.3 < rows["procrustes"]["held_out"]
    y = MONOMIAL(X)
    cv = align.cross_validate(align.fit_procrustes, X, y, rng=0)
    wanted = [np.mean(cv.test), cv.r2, cv.cosine]
    found = [rows["procrustes"][k] for k in ("held_out", "r2", "cosine")]
    np.testing.assert_allclose(found, wanted)
    np.testing.assert_allclose(
        rows["procrustes"]["residual"], align.fit_procrustes(X, y).residual(X, y)
    )
    text = run("align a.npy b.npy", capsys)
    assert "a.npy (360 x 8) -> b.npy (360 x 8)" in text
    for name in align.MAPS:
        assert f"\n{name}: " in text
    for column in ("fitted to", "residual", "held out", "R2", "cosine"):
        assert f"\n{column}: " in text


def test_maps_fitted_to_anchors_are_scored_on_the_others(
    files: Path, capsys: Any
) -> None:
    command = "align a.npy b.npy -m affine(ridge=0.5) -a 0:40 --json"
    (row,) = run(command, capsys)["rows"]
    y = MONOMIAL(X)
    f = align.fit_affine(X[:40], y[:40], ridge=0.5)
    off = np.linalg.norm(f.apply(X[40:]) - y[40:])
    spread = np.linalg.norm(y[40:] - y[:40].mean(axis=0))
    np.testing.assert_allclose(row["held_out"], off / spread)
    np.testing.assert_allclose(row["r2"], 1 - (off / spread) ** 2)
    guess = f.apply(X[40:])
    cosines = (guess * y[40:]).sum(axis=1) / np.linalg.norm(guess, axis=1)
    cosines /= np.linalg.norm(y[40:], axis=1)
    np.testing.assert_allclose(row["cosine"], cosines.mean())
    assert row["rows"] == 40


@pytest.mark.parametrize("name", list(align.MAPS))
def test_every_map_can_be_saved(name: str, files: Path, capsys: Any) -> None:
    run(f"align a.npy c.npy -m {name} -o maps/one", capsys)
    found = align.load_map("maps/one")
    expected = align.MAPS[name](X, ROTATION(X)).apply(X)
    np.testing.assert_array_equal(found.apply(X), expected)
    assert [p.name for p in Path("maps").iterdir()] == ["one"]
    assert "exists" in run(f"align a.npy c.npy -m {name} -o maps/one", capsys, 2)


def test_undefined_maps_are_listed_with_the_reason(files: Path, capsys: Any) -> None:
    text = run("align a.npy b.npy -a uniform:6", capsys)
    assert "affine            undefined" in text
    assert "6 rows cannot determine a map" in text
    assert "6 rows" in run("align a.npy b.npy -m affine -a uniform:6", capsys, 2)


# stitch


def test_stitching_table_of_planted_spaces(files: Path, capsys: Any) -> None:
    command = "stitch a.npy b.npy c.npy --labels labels.npy --seeds 0,1 --json"
    found = run(command, capsys)
    means = {
        (s["transform"], s["encoder"], s["decoder"]): s["mean"]
        for s in found["summary"]
        if s["metric"] == "accuracy"
    }
    chance = 100 / CLASSES
    for pair in (("a", "b"), ("b", "a")):  # permutation x diagonal + shift
        own = means["robust", pair[1], pair[1]]
        assert own > 80
        assert abs(means[("robust", *pair)] - own) <= 0.5
        assert means[("absolute", *pair)] < chance + 15
    for pair in (("a", "c"), ("c", "a")):  # a rotation
        for exact in ("cosine", "procrustes"):
            own = means[exact, pair[1], pair[1]]
            np.testing.assert_allclose(means[(exact, *pair)], own)
        assert means[("robust", *pair)] < means["robust", pair[1], pair[1]] - 5
    assert {s["seeds"] for s in found["summary"]} == {2}
    assert {d["over"] for d in found["differences"]} == {"seeds", "samples"}
    assert {r["seed"] for r in found["rows"]} == {0, 1}


def test_stitch_prints_a_table_and_reuses_cells(files: Path, capsys: Any) -> None:
    command = "stitch a.npy b.npy --labels labels.npy --seeds 0 -t robust,affine"
    text = run(f"{command} -o cells", capsys)
    held_out = LABELS[np.random.default_rng(0).permutation(N)[:108]]
    chance = 100 * np.bincount(held_out).max() / 108
    assert f"Chance (always the most frequent class): {chance:.2f}" in text
    assert "\nabsolute: the rows themselves, unchanged\n" in text
    assert "\nrobust: relative rows: cosines of standardized coordinates\n" in text
    assert "\naffine: map fitted to the anchors: an affine map\n" in text
    assert "a -> b" in text
    (part,) = Path("cells/parts").iterdir()
    assert len(part.read_text().splitlines()) == 4 * 4
    assert run(f"{command} -o cells", capsys) == text
    assert list(Path("cells/parts").iterdir()) == [part]  # nothing was computed again


def test_stitch_with_split_file_class_names_and_ids(files: Path, capsys: Any) -> None:
    ids = np.arange(N) + 1000
    order = np.random.default_rng(1).permutation(N)
    np.savez("a.npz", rows=X, ids=ids)
    np.savez("b.npz", rows=MONOMIAL(X)[order], ids=ids[order])
    shuffled = np.random.default_rng(2).permutation(N)
    words = np.array(["cat", "dog", "emu", "fox"])
    lines = [f"{ids[i]},{words[LABELS[i]]}" for i in shuffled]
    Path("labels.csv").write_text("\n".join(["id,label", *lines]))
    parts = ["train"] * 200 + ["test"] * 100 + ["anchors"] * 60
    Path("split.csv").write_text("\n".join(parts))
    command = "stitch a.npz b.npz --labels labels.csv --split split.csv --seeds 4"
    found = run(f"{command} -t robust -a 20 --rows 0:350 --json", capsys, 2)
    assert "different sample ids" in found  # the first 350 rows are different stimuli
    found = run(f"{command} -t robust -a 20 --json", capsys)
    cell = next(
        r
        for r in found["rows"]
        if (r["transform"], r["encoder"], r["decoder"]) == ("robust", "b", "a")
    )
    anchors = 300 + align.anchors.uniform(60, 20, rng=4)
    from similitude.latent.stitching import LogisticHead

    one = Robust().fit(X[anchors])
    head = LogisticHead().train(one(X[:200]), LABELS[:200], 4)
    expected = 100 * np.mean(head(one(X[200:300])) == LABELS[200:300])
    np.testing.assert_allclose(cell["accuracy"], expected)
    common = run(f"{command} --rows 0:350 --common-ids --json -t robust", capsys)
    assert all(r["status"] == "ok" for r in common["rows"])


def test_stitch_ordinal_classes_and_unequal_widths(files: Path, capsys: Any) -> None:
    np.save("wide.npy", np.hstack([X, X[:, :2] ** 2]))
    command = "stitch a.npy wide.npy --labels labels.npy --seeds 0 --ordinal"
    text = run(command, capsys)
    assert "Mean absolute error x 100, mean over seeds. Chance (always the me" in text
    assert "-: 2 of 16 cells have no score:" in text
    assert "1 x absolute (a -> wide): the encoder returns 8 columns" in text
    assert "1 x absolute (wide -> a): the encoder returns 10 columns" in text


def test_stitch_handles_duplicate_rows_by_an_option(files: Path, capsys: Any) -> None:
    rows = X.copy()
    rows[100:150] = rows[50:100]
    np.save("a.npy", rows)
    command = "stitch a.npy b.npy --labels labels.npy --seeds 0 -a 200 -t cosine"
    text = run(command, capsys)
    assert "undefined" not in text
    train = np.random.default_rng(0).permutation(N)[108:]
    count = sum(row - 50 in train for row in range(100, 150) if row in train)
    assert f"not used as anchors: {count}\n(--duplicates keep uses" in text
    kept = run(f"{command} --duplicates keep", capsys)
    assert "not used as anchors" not in kept
    assert "undefined" not in kept


def test_stitch_in_python_gives_the_cells_of_the_shell(
    files: Path, capsys: Any
) -> None:
    from similitude.latent.stitching import stitching_table, stitching_task

    command = "stitch a.npy c.npy --labels labels.npy --seeds 1,2 -a 30 -t robust"
    found = run(f"{command} --test 0.4 --seed 7 --json", capsys)
    task = stitching_task({"a": X, "c": ROTATION(X)}, LABELS, test=0.4, rng=7)
    arguments = (task.encoders, None, task.data, ["robust"], [1, 2])
    table = stitching_table(*arguments, anchors=30)
    assert table.to_dict()["summary"] == found["summary"]
    assert len(task.data.test_labels) == 144


def test_stitching_table_fits_80_and_120_columns(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"a_long_name_of_an_encoder_{i}" for i in range(7)]
    for name in names:
        np.save(
            f"{name}.npy", X + np.random.default_rng(len(name)).normal(size=X.shape)
        )
    command = f"stitch {' '.join(f'{n}.npy' for n in names)} --labels labels.npy"
    lengths = {}
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        with pytest.raises(SystemExit):
            main(["latent", *f"{command} --seeds 0 -t procrustes".split()])
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= width
        lengths[width] = len(lines)
        assert any("42" in line and "procrustes" in line for line in lines)
    assert lengths[120] < lengths[80] < 100


# Mistakes

MISTAKES = {
    "relative a.npy -o r.npy": "either --anchors or --anchors-from",
    "relative a.npy -a unifrom:3 -o r.npy": "write one of uniform:K",
    "relative a.npy -a uniform -o r.npy": "give the number of anchors",
    "relative a.npy -a uniform:999 -o r.npy": "there are 360 rows",
    "relative a.npy -a 0:999,3 -o r.npy": "write a slice as",
    "relative a.npy -a class_balanced:4 -o r.npy": "needs --labels",
    "relative a.npy -a ids:x -o r.npy": "has no ids",
    "relative a.npy -a uniform:9 -t robst -o r.npy": "Did you mean 'robust'?",
    "relative a.npy -a uniform:9 -t robust(stat=x) -o r.npy": "normalize, stats, eps",
    "relative a.npy -a uniform:9 -t robust(eps=x) -o r.npy": "eps='x'; it must be",
    "relative a.npy -a uniform:9 -t product(parts=3) -o r.npy": "a tuple of two",
    "relative a.npy -a uniform:9 -t product(parts=[3]) -o r.npy": "a tuple of two",
    "relative a.npy -a uniform:9 -t robust(train) -o r.npy": "robust(option=value",
    "relative a.npy b.npy -a uniform:9 -o r.npy": ".npy holds one array",
    "relative a.npy -a uniform:9 -o r.json": "give a folder for a store",
    "relative nothing.npy -a uniform:9 -o r.npy": "does not exist",
    "relative short.npy a.npy -a uniform:9 -o r.npz": "Rows must be the same",
    "align a.npy": "got 1 representations: a. Name two",
    "align a.npy b.npy c.npy": "--from A --to B",
    "align a.npy b.npy --from a --to z": "no representation is called 'z'",
    "align a.npy b.npy -m procrust": "Did you mean 'procrustes'?",
    "align a.npy b.npy -m cca(scale=1)": "its options are components, weights",
    "align a.npy b.npy -m affine(ridge=x)": "ridge='x'; it must be",
    "align a.npy b.npy -m procrustes(scale=no)": "write true or false",
    "align a.npy b.npy --folds 359": "no map can be fitted; procrustes: 359 folds",
    "align a.npy b.npy -o maps": "saves one map",
    "align a.npy b.npy -a 0:360 -m linear": "no held-out rows remain",
    "align a.npy nan.npy": "nan.npy: row 2, column 1 is nan",
    "stitch a.npy --labels labels.npy": "two or more encoders",
    "stitch a.npy a.npy --labels labels.npy": "a.npy is given twice",
    "stitch a.npy b.npy --labels nothing.npy": "does not exist",
    "stitch a.npy b.npy --labels a.npy": "one entry per row",
    "stitch a.npy b.npy --labels halves.npy": "is not a class",
    "stitch a.npy b.npy --labels short_labels.npy": "has 9 entries",
    "stitch a.npy b.npy --labels labels.npy --test 2": "share of rows",
    "stitch a.npy b.npy --labels labels.npy --seeds x": "write numbers as",
    "stitch a.npy b.npy --labels labels.npy -t rob": "transform or map 'rob'",
    "stitch a.npy b.npy --labels labels.npy -a 999": "k=999",
    "stitch a.npy b.npy --labels labels.npy --split s.csv": "write train, test or",
    "stitch a.npy b.npy --labels labels.toml": "cannot be read as labels",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_give_one_line_and_exit_code_2(
    text: str, files: Path, capsys: Any
) -> None:
    bad = X.copy()
    bad[2, 1] = np.nan
    np.save("nan.npy", bad)
    np.save("short.npy", X[:9])
    np.save("halves.npy", LABELS / 2)
    np.save("short_labels.npy", LABELS[:9])
    Path("s.csv").write_text("\n".join(["train"] * (N - 1) + ["valid"]))
    Path("labels.toml").write_text("")
    before = sorted(p.name for p in files.iterdir())
    assert MISTAKES[text] in run(text, capsys, 2)
    assert sorted(p.name for p in files.iterdir()) == before  # nothing was written


def test_latent_align_in_a_new_process(files: Path) -> None:
    program = str(Path(sys.executable).parent / "similitude")
    env = os.environ | {"COLUMNS": "80"}
    command = [program, *"latent align a.npy c.npy -m procrustes".split()]
    found = subprocess.run(command, capture_output=True, text=True, env=env)
    assert found.returncode == 0, found.stderr
    assert "1.0000" in found.stdout
