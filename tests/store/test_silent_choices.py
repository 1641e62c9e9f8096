"""If a file can be read in two ways, the reader refuses it or says what it chose."""

import json
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
import torch
from safetensors.numpy import save

from similitude.store import read_files
from similitude.store._formats import _npy
from store.sound_files import X, refusal, write


def test_pt_keys_that_give_the_same_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({1: torch.tensor(X), "1": torch.tensor(X[:, :2])}, path)
    assert "its keys 1 (a number) and '1' (a string)" in refusal(path)
    torch.save({(1, 2): torch.tensor(X)}, path)
    assert "use strings as keys" in refusal(path)
    torch.save({1: torch.tensor(X), 2: torch.tensor(X)}, path)
    assert [rep.name for rep in read_files(path)] == ["a/1", "a/2"]


@pytest.mark.parametrize("small", [0, 2**24])
def test_bytes_after_an_array_are_refused(tmp_path: Path, monkeypatch, small) -> None:
    monkeypatch.setattr(_npy, "SMALL_BYTES", small)
    with (tmp_path / "a.npy").open("wb") as file:
        np.save(file, X)
        np.save(file, X[:, :2])
    assert "320 bytes follow its array of shape (12, 3)" in refusal(tmp_path / "a.npy")


@pytest.mark.parametrize("suffix", [".npz", ".pt"])
def test_two_archives_in_one_file_are_refused(tmp_path: Path, suffix: str) -> None:
    first = write(tmp_path / f"a{suffix}")
    path = tmp_path / f"both{suffix}"
    path.write_bytes(first + first)
    assert "before or after its zip archive" in refusal(path)
    path.write_bytes(first + b"more")
    assert "before or after its zip archive" in refusal(path)


def test_repeated_names_in_a_safetensors_header_are_refused(tmp_path: Path) -> None:
    data = save({"h": np.ones((3, 2), np.float32)})
    length = int.from_bytes(data[:8], "little")
    entry = json.dumps(json.loads(data[8 : 8 + length])["h"])
    other = entry.replace("F32", "I32")
    header = f'{{"h": {entry}, "h": {other}}}'.encode()
    path = tmp_path / "a.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])
    assert "two entries called 'h'" in refusal(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n5,6\n", "may be names or values"),
        ("1,2\n0.5,0.25\n", "its first line, 1 to 2, may be names or values"),
        ("10,20,30\n1e3,2,3\n", "may be names or values"),
        ("7\n0.5\n", "its first line, 7, may be names or values"),
        ("a,b,a\n1,2,3\n", "two of its columns are called 'a'"),
        ("index,a\n0,0.5\n", "column 'index' may be a row index"),
        ("Unnamed: 0,a\n0,0.5\n", "column 'Unnamed: 0' may be a row index"),
        ("a,label\n0.5,3\n", "column 'label' may hold classes"),
        ("\ufeffid,sample_ids,a\n1,2,3\n", "two columns of ids"),
    ],
)
def test_ambiguous_csv_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert message in refusal(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "text", ["1,2\n3,4\n", "0.5,1\n2,3\n", "2,1\n0.5,3\n", "3\n4\n"]
)
def test_reader_says_that_a_csv_has_no_header(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    (rep,) = read_files(tmp_path / "a.csv")
    assert rep.meta["reader_note"] == "has no header: its first line was read as values"
    assert rep.n == 2
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    assert "reader_note" not in read_files(tmp_path / "b.csv")[0].meta


def pandas_note(**fields: object) -> dict[str, str]:
    return {"pandas": json.dumps(fields)}


def test_index_columns_of_pandas_are_refused(tmp_path: Path) -> None:
    frame = polars.DataFrame({"stimulus": [3, 1], "u": [0.5, 1.0]})
    path = tmp_path / "a.parquet"
    frame.write_parquet(path, metadata=pandas_note(index_columns=["stimulus"]))
    assert "column 'stimulus' may be a row index" in refusal(path)
    named = frame.rename({"stimulus": "id"})
    named.write_parquet(path, metadata=pandas_note(index_columns=["id"]))
    np.testing.assert_array_equal(read_files(path)[0].ids, [3, 1])
    counted = [{"kind": "range", "name": None, "start": 0, "stop": 2, "step": 1}]
    frame.write_parquet(path, metadata=pandas_note(index_columns=counted))
    assert read_files(path)[0].d == 2
    pandas.DataFrame({"a": [0.5, 1.5]}).to_csv(tmp_path / "a.csv")
    assert "does not have a name" in refusal(tmp_path / "a.csv")


def test_integers_that_another_column_would_round_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    polars.DataFrame({"a": [2**60 + 1, 1], "b": [0.5, 1.0]}).write_parquet(path)
    assert "column 'a' has integers above 2**53" in refusal(path)
    polars.DataFrame({"a": [2**50, 1], "b": [0.5, 1.0]}).write_parquet(path)
    np.testing.assert_array_equal(read_files(path)[0].load(), [[2**50, 0.5], [1, 1]])


def test_arrays_of_safetensors_have_the_order_of_the_file(tmp_path: Path) -> None:
    """The library returns them in random order, so tables would differ between runs."""
    path = tmp_path / "a.safetensors"
    path.write_bytes(save({f"layer{i}": X for i in range(9)}))
    assert [rep.name for rep in read_files(path)] == [f"a/layer{i}" for i in range(9)]
