"""Files that cannot be used are refused with the file, the problem and the remedy."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput
from similitude.store import open_store, read_files
from similitude.store._formats import _limits, _npy, _safetensors, _zip

X = np.arange(12.0).reshape(4, 3)


def refused(path: Path, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        read_files(path)
    assert str(path) in str(caught.value)


def header(shape: tuple[int, ...], version: tuple[int, int] = (1, 0)) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    size = 2 if version == (1, 0) else 4
    text += " " * (64 - (8 + size + len(text)) % 64) + "\n"
    return (
        b"\x93NUMPY"
        + bytes(version)
        + len(text).to_bytes(size, "little")
        + text.encode()
    )


def test_npy_files_with_a_wrong_header(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    for data, message in (
        (b"", "it is empty"),
        (b"text", "it is not a NumPy file; save it with numpy.save"),
        (header((4, 3), (3, 0)) + X.tobytes(), r"version \(3, 0\) is not supported"),
        (header((4, -3)) + X.tobytes(), r"has the invalid shape \(4, -3\)"),
        (header((4, 5)) + X.tobytes(), r"shape \(4, 5\), but the file is too short"),
        (header((4, 2)) + X.tobytes(), r"32 bytes follow its array of shape \(4, 2\)"),
        (header((4, 3, 1)) + X.tobytes(), r"has shape \(4, 3, 1\); it must have"),
        (header((0, 3)), r"has shape \(0, 3\)"),
    ):
        path.write_bytes(data)
        refused(path, message)
    path.write_bytes(header((4, 3), (2, 0)) + X.tobytes())
    np.testing.assert_array_equal(read_files(path)[0].load(), X)
    np.save(path, X.astype(object), allow_pickle=True)
    refused(path, r"holds Python objects; convert it with \.astype")


def test_a_folder_and_an_unknown_suffix(tmp_path: Path) -> None:
    (tmp_path / "x.npy").mkdir()
    refused(tmp_path / "x.npy", "is not a file")
    (tmp_path / "x.docx").write_text("1,2")
    refused(tmp_path / "x.docx", r"'\.docx' cannot be read\. Use one of \.npy")
    refused(tmp_path / "missing.npy", "does not exist")


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_and_batches_of_npy_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str, *, small: bool
) -> None:
    """Files above a size are not held: their rows are read when they are needed."""
    if not small:
        monkeypatch.setattr(_npy, "SMALL_BYTES", 48)  # two rows
    rows = np.random.default_rng(0).normal(size=(9, 3))
    np.save(tmp_path / "x.npy", np.array(rows, order=order))
    (rep,) = read_files(tmp_path / "x.npy")
    found = [batch.copy() for batch in rep.values.batches(4)]
    assert [len(batch) for batch in found] == [4, 4, 1]
    np.testing.assert_array_equal(np.concatenate(found), rows)
    chosen = np.array([8, 0, -2, 3, 3])
    np.testing.assert_array_equal(rep.values.take(chosen), rows[chosen])
    np.testing.assert_array_equal(rep.load(), rows)


@pytest.mark.parametrize("how", ["load", "take", "batches"])
def test_an_npy_file_that_shrinks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(_npy, "SMALL_BYTES", 8)
    path = tmp_path / "x.npy"
    np.save(path, X)
    (rep,) = read_files(path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InvalidInput, match=r"x\.npy"):
        {
            "load": rep.load,
            "take": lambda: rep.values.take(np.arange(2)),
            "batches": lambda: list(rep.values.batches(2)),
        }[how]()
    path.unlink()
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        rep.load()


def test_archives_with_other_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "text")
    refused(path, r"its entry 'notes\.txt' is not a \.npy file")
    np.savez(path, a=X, b=X)
    whole = path.read_bytes()
    path.write_bytes(whole + b"more")
    refused(path, "other bytes before or after its zip archive")
    path.write_bytes(whole)
    monkeypatch.setattr(_zip, "MAX_ARRAYS", 1)
    refused(path, "it has 2 entries; split it into files with at most 1")


def test_safetensors_with_other_dtypes_or_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.safetensors"

    def write(head: str, size: int) -> None:
        data = head.encode()
        path.write_bytes(len(data).to_bytes(8, "little") + data + bytes(size))

    one = '"a":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]}'
    write(f"{{{one}}}", 4)
    refused(path, "is not supported; save it as float32")
    write(f"{{{one},{one}}}", 4)
    refused(path, "its header has two entries called 'a'")
    path.write_bytes((10**6).to_bytes(8, "little") + b"{}")
    refused(path, "cannot be read")
    monkeypatch.setattr(_safetensors, "MAX_ARRAYS", 2)
    write(f"{{{one}}}", 4)
    refused(path, "it has more than 2 tensors; split it")


def test_arrays_that_are_not_values(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, ids=np.arange(4))
    refused(path, "does not hold an array of values; add a 2-d array")
    np.savez(path, ids=np.arange(4), id=np.arange(4), a=X)
    refused(path, "has two arrays of ids; remove one of them")


def test_a_saved_data_set_whose_rows_are_selected_by_indices(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    (tmp_path / "dataset_info.json").write_text("{}")
    for state, message in (
        ({"_indices_data_files": [{"filename": "i"}]}, r"call flatten_indices\(\)"),
        ({"_data_files": []}, "does not list the files of the data set"),
        ({"_data_files": [{"filename": "../x"}]}, "does not list the files"),
    ):
        (tmp_path / "state.json").write_text(json.dumps(state))
        refused(tmp_path, message)


def test_a_file_larger_than_the_free_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_npy, "SMALL_BYTES", 8)
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", X)
    monkeypatch.setattr(_limits, "available_memory", lambda: 50)
    refused(tmp_path / "x.npz", "bytes of memory, but 50 are available; use fewer rows")
    with pytest.raises(InvalidInput, match="it needs 96 bytes of memory, but 50 are"):
        read_files(tmp_path / "x.npy")[0].load()


@pytest.mark.parametrize(
    ("limit", "free"), [("max", None), ("1000", 1000 - 600 + 100), (None, None)]
)
def test_memory_of_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str | None, free: int | None
) -> None:
    """The file cache of the control group can be freed; "max" is not a limit."""
    if limit is not None:
        (tmp_path / "memory.max").write_text(f"{limit}\n")
        (tmp_path / "memory.current").write_text("600\n")
        (tmp_path / "memory.stat").write_text("anon 500\nfile 100\n")
    monkeypatch.setattr(_limits, "Path", lambda path: tmp_path)
    assert _limits._of_the_container() == free


def test_rows_that_cannot_be_stored(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", create=True)
    with pytest.raises(InvalidInput, match="a store without representations"):
        sim.load(tmp_path / "store")
    with store.writer("net") as writer:
        writer.append(X)
        with pytest.raises(
            InvalidInput, match=r"rows of shape \(2,\) and dtype float64"
        ):
            writer.append(X[:, :2])
        with pytest.raises(InvalidInput, match="dtype float32 cannot follow rows of"):
            writer.append(X.astype(np.float32))
        with pytest.raises(InvalidInput, match="Python objects cannot be stored"):
            writer.append(X.astype(object), "other")
    assert store.ids() == []
