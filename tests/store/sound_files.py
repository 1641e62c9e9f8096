"""Sound files of every kind, and what is said about those that are not."""

from pathlib import Path

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
    """A sound file of the kind that its name asks for; its bytes."""
    lines = [
        f"{i},{a!r},{b!r},{c!r}" for i, (a, b, c) in zip(IDS, X.tolist(), strict=True)
    ]
    frame = polars.DataFrame({"id": IDS, "u0": X[:, 0], "u1": X[:, 1]})
    {
        ".npy": lambda: np.save(path, X),
        ".npz": lambda: np.savez(path, h=X, g=X[:, :2], ids=IDS),
        ".safetensors": lambda: save_file({"h": X, "ids": np.arange(12)}, path),
        ".pt": lambda: torch.save({"h": torch.tensor(X)}, path),
        ".csv": lambda: path.write_text("\n".join(["id,a,b,c", *lines])),
        ".parquet": lambda: frame.write_parquet(path),
    }[path.suffix]()
    return path.read_bytes()


def refusal(path: Path) -> str:
    """What is said about a file; one line, and short."""
    with pytest.raises(SimilitudeError) as error:
        check_values(read_files(path))
    text = str(error.value)
    assert path.name in text
    assert text.isprintable()
    assert len(text) < 400 + len(str(path))
    return text
