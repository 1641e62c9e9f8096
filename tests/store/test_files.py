"""Files of every supported format are read."""

import sys
from pathlib import Path

import numpy as np
import polars
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors

from similitude import InvalidInput, MissingExtra
from similitude.store import read_files

X = np.random.default_rng(0).normal(size=(6, 3))
IDS = [f"s{i}" for i in range(6)]


def one(path: Path):
    (found,) = read_files(path)
    return found


def test_read_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    found = one(tmp_path / "a.npy")
    assert (found.name, found.model) == ("a", "a")
    np.testing.assert_array_equal(found.load(), X)


def test_read_npz_with_ids_and_several_arrays(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "a.npz", conv=X, fc=X[:, :2], ids=IDS, blocks=[0, 0, 1, 1, 2, 2]
    )
    found = {rep.name: rep for rep in read_files(tmp_path / "a.npz")}
    assert set(found) == {"a/conv", "a/fc"}
    np.testing.assert_array_equal(found["a/fc"].load(), X[:, :2])
    np.testing.assert_array_equal(found["a/fc"].ids, IDS)
    np.testing.assert_array_equal(found["a/conv"].blocks, [0, 0, 1, 1, 2, 2])
    assert found["a/conv"].layer == "conv"


def test_read_safetensors_in_float64_and_bfloat16(tmp_path: Path) -> None:
    save_file({"h": X}, tmp_path / "a.safetensors")
    np.testing.assert_array_equal(one(tmp_path / "a.safetensors").load(), X)
    half = torch.tensor(X).to(torch.bfloat16)
    save_tensors({"h": half}, tmp_path / "b.safetensors")
    np.testing.assert_array_equal(
        one(tmp_path / "b.safetensors").load(), half.float().numpy()
    )


def test_read_pt_with_a_tensor_or_a_dict(tmp_path: Path) -> None:
    torch.save({"h": torch.tensor(X)}, tmp_path / "a.pt")
    torch.save(torch.tensor(X), tmp_path / "b.pt")
    for name in ("a.pt", "b.pt"):
        np.testing.assert_array_equal(one(tmp_path / name).load(), X)


def test_read_csv_with_and_without_header(tmp_path: Path) -> None:
    plain = tmp_path / "plain.csv"
    np.savetxt(plain, X, delimiter=",", fmt="%.17g")
    np.testing.assert_array_equal(one(plain).load(), X)
    lines = [
        f"{i},{a!r},{b!r},{c!r}" for i, (a, b, c) in zip(IDS, X.tolist(), strict=True)
    ]
    named = tmp_path / "named.csv"
    named.write_text("\n".join(["id,u0,u1,u2", *lines]))
    found = one(named)
    np.testing.assert_array_equal(found.load(), X)
    np.testing.assert_array_equal(found.ids, IDS)


def test_read_parquet_with_ids(tmp_path: Path) -> None:
    frame = polars.DataFrame(X, schema=["u0", "u1", "u2"])
    frame = frame.with_columns(polars.Series("id", range(6)))
    frame.write_parquet(tmp_path / "a.parquet")
    found = one(tmp_path / "a.parquet")
    np.testing.assert_array_equal(found.load(), X)
    np.testing.assert_array_equal(found.ids, range(6))


def test_wrong_shape_and_unknown_suffix_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3, 4)))
    with pytest.raises(InvalidInput, match=r"shape \(2, 3, 4\)"):
        read_files(tmp_path / "a.npy")
    (tmp_path / "a.txt").write_text("1 2")
    with pytest.raises(InvalidInput, match=r"'.txt' cannot be read"):
        read_files(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("name", "module", "first"),
    [("a.pt", "torch", "torch"), ("a.parquet", "pyarrow", "polars")],
)
def test_missing_extra_error_gives_the_install_command(
    tmp_path: Path, monkeypatch, name: str, module: str, first: str
) -> None:
    (tmp_path / name).write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=f"pip install '{first}") as caught:
        read_files(tmp_path / name)
    assert f"'{module}" in str(caught.value)  # also if it is not the first of its extra
