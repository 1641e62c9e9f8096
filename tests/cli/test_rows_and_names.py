"""Matching of rows by stimulus, and names of representations."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from cli.command import run
from similitude import Results
from similitude.store import open_store

N = 40
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(N, 4)), RNG.normal(size=(N, 3))
Y[:, 0] += X[:, 0]
ORDER = RNG.permutation(N)
OPTIONS = ("-m", "cka", "--permutations", "0", "--json", "-o", "out")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    spoilt = Y.copy()
    spoilt[7, 2] = np.nan
    np.savez(tmp_path / "x.npz", h=X, ids=np.arange(N))
    np.savez(tmp_path / "y.npz", h=Y[ORDER], ids=ORDER)
    np.savez(tmp_path / "texts.npz", h=Y[ORDER], ids=ORDER.astype(str))
    np.savez(tmp_path / "spoilt.npz", h=spoilt[ORDER], ids=ORDER)
    np.save(tmp_path / "plain.npy", X[::-1])
    for model in ("one", "two"):
        (tmp_path / model / "deep").mkdir(parents=True)
        np.save(tmp_path / model / "layer.npy", RNG.normal(size=(N, 3)))
        np.save(tmp_path / model / "deep" / "layer.npy", RNG.normal(size=(N, 3)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def compare(folder: Path, capsys):
    return lambda *paths: run(capsys, "compare", *paths, *OPTIONS).rows()


def naive_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Unbiased CKA by its definition: HSIC_1 of Song and others, entry by entry."""

    def hsic(k: np.ndarray, m: np.ndarray) -> float:
        n = len(k)
        k, m = k - np.diag(np.diag(k)), m - np.diag(np.diag(m))
        ones = np.ones(n)
        middle = (ones @ k @ ones) * (ones @ m @ ones) / ((n - 1) * (n - 2))
        last = 2 / (n - 2) * (ones @ k @ m @ ones)
        return (np.trace(k @ m) + middle - last) / (n * (n - 3))

    k, m = x @ x.T, y @ y.T
    return hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))


@pytest.mark.parametrize("other", ["y.npz", "texts.npz"])
@pytest.mark.parametrize(
    ("text", "rows"), [("0:20", slice(20)), ("9,3,4,8,1,0", [9, 3, 4, 8, 1, 0])]
)
def test_row_numbers_refer_to_the_first_file_and_match_by_id(
    compare, other: str, text: str, rows
) -> None:
    """Ids may be numbers in one file and text in the other."""
    (row,) = compare("x.npz", other, "--rows", text)
    assert row["n"] == len(X[rows])
    np.testing.assert_allclose(row["score"], naive_cka(X[rows], Y[rows]), rtol=1e-10)
    # With the files exchanged, row numbers refer to the other file.
    (row,) = compare(other, "x.npz", "--rows", text)
    x, y = X[ORDER][rows], Y[ORDER][rows]
    np.testing.assert_allclose(row["score"], naive_cka(x, y), rtol=1e-10)


@pytest.mark.parametrize("paths", [("x.npz", "spoilt.npz"), ("spoilt.npz", "x.npz")])
def test_drop_nonfinite_drops_rows_by_id(compare, paths) -> None:
    (row,) = compare(*paths, "--drop-nonfinite")
    x, y = np.delete(X, 7, axis=0), np.delete(Y, 7, axis=0)
    assert row["n"] == N - 1
    np.testing.assert_allclose(row["score"], naive_cka(x, y), rtol=1e-10)


def test_twins_and_inputs_are_selected_by_id_too(compare, folder: Path) -> None:
    """Dropped rows are also dropped from twins and inputs."""
    paths = ("x.npz", "y.npz", "--baseline", "seed=spoilt.npz", "--inputs", "texts.npz")
    row, deconfounded = compare(*paths, "--drop-nonfinite", "--rows", "0:20")
    keep = np.delete(np.arange(20), 7)
    x, y = X[keep], Y[keep]
    mean = (naive_cka(x, y) + naive_cka(y, y)) / 2
    np.testing.assert_allclose(row["baselines"]["seed"], mean, rtol=1e-10)
    assert row["n"] == deconfounded["n"] == 19


def test_errors_about_values_name_the_sample_id(folder: Path, capsys) -> None:
    said = run(capsys, "compare", "x.npz", "spoilt.npz", *OPTIONS)
    said.assert_one_line("spoilt.npz: sample id 7, column 2 is NaN")
    assert not (folder / "out").exists()


def test_text_ids_with_leading_zeros_do_not_match_numbers(folder: Path, capsys) -> None:
    lines = [f"{i:03d},{a!r},{b!r}" for i, (a, b) in enumerate(X[:, :2].tolist())]
    Path("zeros.csv").write_text("\n".join(["id,a,b", *lines]))
    run(capsys, "compare", "x.npz", "zeros.csv", *OPTIONS).assert_one_line(
        "000, 001, 002 and 37 more are only in zeros.csv"
    )


def test_equal_file_names_in_two_folders_get_the_folder_name(compare) -> None:
    row = compare("one", "two")[1]
    assert (row["a"], row["b"]) == ("one/layer", "two/layer")
    assert (row["a_model"], row["b_model"]) == ("one/layer", "two/layer")
    assert "same-model" not in row["advice"]


def test_equal_file_names_get_as_many_folders_as_needed(compare) -> None:
    (row,) = compare("one/deep/layer.npy", "two/deep/layer.npy")
    assert (row["a"], row["b"]) == ("one/deep/layer", "two/deep/layer")
    assert row["a_model"] != row["b_model"]


def test_files_that_differ_in_suffix_get_the_suffix(compare) -> None:
    np.savez("plain.npz", h=X, g=Y)
    np.save("plain.npy", X)
    rows = compare("plain.npy", "plain.npz")
    assert {row["a"] for row in rows} == {"plain", "plain/h"}
    np.savetxt("plain.csv", X, delimiter=",")
    (row,) = compare("plain.npy", "plain.csv")
    assert (row["a"], row["b"]) == ("plain.npy", "plain.csv")
    assert (row["a_model"], row["b_model"]) == ("plain.npy", "plain.csv")
    rows = compare("plain.npy", "plain.csv", "one/layer.npy", "two/layer.npy")
    assert {row["a"] for row in rows} == {"plain.npy", "plain.csv", "one/layer"}


def test_store_elements_with_equal_names_get_their_ids(compare) -> None:
    store = open_store("store", create=True)
    for step, x in enumerate((X, Y)):
        store.put(sim.Representation("net", x, model="net", step=step))
    (row,) = compare("store")
    assert sorted([row["a"], row["b"]]) == store.ids()
    assert (row["a_model"], row["b_model"]) == ("net", "net")  # two steps of one model


@pytest.mark.parametrize("path", ["one/../plain.npy", "link.npy", "."])
def test_the_same_file_twice_is_an_error(folder: Path, capsys, path: str) -> None:
    Path("link.npy").symlink_to("plain.npy")
    paths = ("plain.npy", path) if path != "link.npy" else ("link.npy", "link.npy")
    said = run(capsys, "compare", *paths, *OPTIONS)
    said.assert_one_line("plain.npy is given twice")


def test_a_folder_is_read_without_hidden_files(folder: Path, compare) -> None:
    (folder / "one" / "._layer.npy").write_bytes(b"of macOS")
    (folder / "one" / "folder.npy").mkdir()
    (folder / "one" / "other file ü.npy").write_bytes(Path("plain.npy").read_bytes())
    (row, *_) = compare("one")
    assert (row["a"], row["b"]) == ("layer", "other file ü")
    assert Results.load("out").names == ("layer", "other file ü", "deep/layer")
