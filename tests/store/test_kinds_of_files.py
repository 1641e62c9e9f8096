"""Allowed content and types of files; reading a file never runs code."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from similitude import InvalidInput
from similitude.engine import check_values
from similitude.store import read_files
from store.sound_files import X, refusal, write


class Bomb:
    """Creates the folder `trace` if it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return (os.mkdir, (str(self.trace),))


def test_no_reader_unpickles(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    bomb = Bomb(trace)
    objects = np.array([[bomb]], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "a.npz", x=objects)
    np.savez(tmp_path / "ids.npz", x=X[:1], ids=objects[0])
    torch.save({"h": bomb}, tmp_path / "a.pt")
    torch.save(bomb, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    for name in (
        "p.npy",
        "p.npz",
        "p.pt",
        "p.safetensors",
        "p.parquet",
        "p.csv",
        "p.arrow",
        "p.h5",
    ):
        (tmp_path / name).write_bytes(pickle.dumps(bomb))
    for path in sorted(tmp_path.iterdir()):
        refusal(path)
        assert not trace.exists()
    pickle.loads(pickle.dumps(bomb))
    assert trace.exists()  # unpickling does create the folder


def test_folders_pipes_devices_and_broken_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    os.mkfifo(tmp_path / "pipe.npy")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "loop.npy").symlink_to(tmp_path / "loop.npy")
    (tmp_path / "nowhere.npy").symlink_to(tmp_path / "gone.npy")
    for name in ("folder.npy", "pipe.npy", "device.csv"):
        assert "is not a file" in refusal(tmp_path / name)
    for name in ("loop.npy", "nowhere.npy", "never.npy"):
        assert "does not exist" in refusal(tmp_path / name)
    (tmp_path / "link.npy").symlink_to(tmp_path / "real.npy")
    write(tmp_path / "real.npy")
    np.testing.assert_array_equal(read_files(tmp_path / "link.npy")[0].load(), X)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.float64(3), r"shape \(\)"),
        (np.arange(3.0), r"shape \(3,\)"),
        (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\)"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
        (X + 1j, "complex128"),
        (X.astype(str), "must hold real numbers"),
        (X.astype(np.longdouble), "must hold real numbers"),
        (X.astype("M8[s]"), "must hold real numbers"),
        (X.view("V8"), "must hold real numbers"),
        (np.zeros((4, 3), dtype=[("a", "f8")]), "must hold real numbers"),
    ],
)
def test_arrays_with_wrong_shape_or_dtype_are_refused(
    tmp_path: Path, array, message: str
) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(InvalidInput, match=message):
        check_values(read_files(tmp_path / "a.npy"))


@pytest.mark.parametrize(
    "array",
    [
        X > 0,
        (10 * X).astype(np.int8),
        X.astype(np.float16),
        X.astype(">f8"),
        (10 * X).astype(">u2"),
        np.asfortranarray(X),
    ],
)
def test_all_real_dtypes_and_orders_are_read(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", h=array)
    for name in ("a.npy", "a.npz"):
        found = read_files(tmp_path / name)
        check_values(found)
        np.testing.assert_array_equal(found[0].load(), array)


def test_pt_files_without_dense_2d_tensors_are_refused(tmp_path: Path) -> None:
    rows = torch.tensor(X)
    cases = {
        "view": {"h": rows[:1].expand(10**12, 3)},
        "sparse": {"h": rows.to_sparse()},
        "nested": {"h": {"inner": rows}},
        "list": [rows, rows],
        "text": {"h": rows, "note": "text"},
        "tiny": {"h": rows.to(torch.float8_e4m3fn)},
    }
    for name, content in cases.items():
        torch.save(content, tmp_path / f"{name}.pt")
        refusal(tmp_path / f"{name}.pt")
    kept = torch.nn.Parameter(rows.to(torch.bfloat16))
    torch.save({"h": kept[:, :2]}, tmp_path / "a.pt")
    (found,) = read_files(tmp_path / "a.pt")
    np.testing.assert_array_equal(found.load(), kept[:, :2].detach().float().numpy())


def test_unprintable_characters_in_names_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "a b\n\x1b[31mü.npz"
    np.savez(path, **{"x\ny": X, "z": X})
    names = [rep.name for rep in read_files(path)]
    assert names == ["a b\\n\\x1b[31mü/x\\ny", "a b\\n\\x1b[31mü/z"]
    latin = os.fsdecode(os.fsencode(tmp_path) + b"/\xe9.npy")
    np.save(latin, X)
    (rep,) = read_files(latin)
    assert rep.name == "\\udce9"
