"""Write intact files of every format, and get the error for a damaged file."""

from pathlib import Path

import h5py
import numpy as np
import polars
import pytest
import torch
from safetensors.numpy import save_file

from similitude import SimilitudeError
from similitude.engine import check_values
from similitude.store import read_files

X = np.random.default_rng(0).normal(size=(12, 3))
IDS = [f"s{i}" for i in range(12)]


def write(path: Path) -> bytes:
    """Write an intact file in the format of its suffix, and return its bytes."""
    lines = [
        f"{i},{a!r},{b!r},{c!r}" for i, (a, b, c) in zip(IDS, X.tolist(), strict=True)
    ]
    frame = polars.DataFrame({"id": IDS, "u0": X[:, 0], "u1": X[:, 1]})
    lists = polars.DataFrame({"id": IDS, "text": IDS, "embedding": X.tolist()})
    {
        ".npy": lambda: np.save(path, X),
        ".npz": lambda: np.savez(path, h=X, g=X[:, :2], ids=IDS),
        ".safetensors": lambda: save_file({"h": X, "ids": np.arange(12)}, path),
        ".pt": lambda: torch.save({"h": torch.tensor(X)}, path),
        ".csv": lambda: path.write_text("\n".join(["id,a,b,c", *lines])),
        ".parquet": lambda: frame.write_parquet(path),
        ".arrow": lambda: lists.write_ipc_stream(path),
        ".feather": lambda: lists.write_ipc(path),
        ".h5": lambda: write_hdf5(path),
    }[path.suffix]()
    return path.read_bytes()


def write_hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["ids"] = np.array(IDS, dtype=h5py.string_dtype())
        file.create_dataset("h", data=X, chunks=(5, 3), compression="gzip")


def refusal(path: Path) -> str:
    """The error message for a file; asserts that it is one short line."""
    with pytest.raises(SimilitudeError) as error:
        check_values(read_files(path))
    text = str(error.value)
    assert path.name in text
    assert text.isprintable()
    assert len(text) < 400 + len(str(path))
    return text
