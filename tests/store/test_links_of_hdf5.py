"""An HDF5 file is itself: nothing that it names is read from another file.

The generator plants each kind of reference in each place of a plain file and of an
AnnData file.
"""

import itertools
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

import similitude as sim
from store.sound_files import refusal

X = np.arange(24.0).reshape(8, 3)
IDS = [f"t{i}" for i in range(8)]
SECRET = [f"secret{i}" for i in range(8)]
GROUPS = {"group", "obs", "obsm", "obs/kind"}
PLACES = {
    ".h5": ("h", "ids", "blocks"),
    ".hdf5": ("group", "group/h", "group/ids", "blocks"),
    ".h5ad": ("obsm", "obsm/X", "obs", "obs/names", "obs/depth", "obs/kind",
              "obs/kind/categories", "obs/kind/codes"),
}  # fmt: skip


def texts(values: list[str]) -> np.ndarray:
    return np.array(values, dtype="S8")


def plain(file: h5py.File, ids: list[str]) -> None:
    file["h"], file["ids"], file["blocks"] = X, texts(ids), texts(ids)


def grouped(file: h5py.File, ids: list[str]) -> None:
    file["group/h"], file["group/ids"], file["blocks"] = X, texts(ids), texts(ids)


def anndata(file: h5py.File, ids: list[str]) -> None:
    file["obsm/X"] = X
    file["obs/names"], file["obs/depth"] = texts(ids), np.arange(8)
    file["obs/kind/categories"], file["obs/kind/codes"] = texts(ids), np.arange(8)
    file["obs"].attrs["_index"] = "names"


def external_link(file: h5py.File, name: str, other: Path) -> None:
    del file[name]
    file[name] = h5py.ExternalLink(other.name, name)


def soft_link(file: h5py.File, name: str, other: Path) -> None:
    file.move(name, f"{name}_moved")
    file[name] = h5py.SoftLink(f"/{name}_moved")


def soft_link_to_a_link(file: h5py.File, name: str, other: Path) -> None:
    file["outside"] = h5py.ExternalLink(other.name, name)
    del file[name]
    file[name] = h5py.SoftLink("/outside")


def external_storage(file: h5py.File, name: str, other: Path) -> None:
    old = file[name]
    shape, dtype = old.shape, old.dtype
    del file[name]
    raw = other.with_name("raw.bin")
    raw.write_bytes(b"secret".ljust(10_000))
    file.create_dataset(name, shape, dtype, external=[(str(raw), 0, 10_000)])


def virtual(file: h5py.File, name: str, other: Path) -> None:
    shape, dtype = file[name].shape, file[name].dtype
    del file[name]
    layout = h5py.VirtualLayout(shape, dtype)
    layout[...] = h5py.VirtualSource(other, name, shape)
    file.create_virtual_dataset(name, layout)


LINKS = [external_link, soft_link, soft_link_to_a_link]
STORAGE = [external_storage, virtual]


def cases() -> list[tuple[str, Callable, str]]:
    found = []
    for suffix, places in PLACES.items():
        for place, kind in itertools.product(places, LINKS + STORAGE):
            if kind in LINKS or place not in GROUPS:
                found.append((suffix, kind, place))
    return found


@pytest.mark.parametrize(
    ("suffix", "kind", "place"),
    cases(),
    ids=lambda part: getattr(part, "__name__", part),
)
def test_no_other_file_is_read(tmp_path: Path, suffix, kind, place) -> None:
    write = {".h5": plain, ".hdf5": grouped, ".h5ad": anndata}[suffix]
    path, other = tmp_path / f"a{suffix}", tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        write(file, SECRET)
    with h5py.File(path, "w") as file:
        write(file, IDS)
    (sound, *_) = sim.load(path)
    np.testing.assert_array_equal(sound.load(), X)
    assert sound.ids.tolist() == IDS
    with h5py.File(path, "a") as file:
        kind(file, place, other)
    if kind is soft_link and place in ("h", "group", "group/h", "obsm/X"):
        (rep,) = sim.load(path)  # the values at their own place
        assert (rep.name, rep.ids.tolist()) == ("a", IDS)
    else:
        assert "secret" not in refusal(path)
