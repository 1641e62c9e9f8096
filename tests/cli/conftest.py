"""A folder with valid files and many kinds of invalid files."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

N = 40


@pytest.fixture(scope="session")
def some_files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    z = rng.normal(size=(N, 3))

    def rows(d: int) -> np.ndarray:
        return z @ rng.normal(size=(3, d)) + rng.normal(size=(N, d))

    np.save(folder / "a.npy", rows(5))
    np.save(folder / "b.npy", rows(30))
    save_file({"h": rows(30)}, folder / "c.safetensors")
    np.save(folder / "short.npy", rows(5)[:30])
    bad = rows(5)
    bad[7, 3] = np.nan
    np.save(folder / "nan.npy", bad)
    for name, ids in (("i", np.arange(N)), ("j", np.arange(3, N + 3))):
        np.savez(folder / f"{name}.npz", h=rows(4), ids=ids)
    for model in ("m1", "m2"):
        layers = {f"layer{i}": rows(6) for i in range(3)}
        np.savez(folder / f"{model}.npz", **layers)
    torch.save(torch.tensor(rows(4)), folder / "t.pt")
    (folder / "notes.txt").write_text("not numbers")
    (folder / "broken.npy").write_bytes(b"\x93NUMPY nonsense")
    for name in ("text.npy", "text.pt"):
        (folder / name).write_text("hello")
    spoil(folder, rows)
    return folder


def spoil(folder: Path, rows) -> None:
    """Write further kinds of invalid files."""
    x, sound = rows(4), (folder / "a.npy").read_bytes()
    np.save(folder / "bool.npy", x > 0)
    np.save(folder / "complex.npy", x + 1j)
    np.save(folder / "objects.npy", x.astype(object), allow_pickle=True)
    np.save(folder / "flat.npy", x[:, 0])
    (folder / "empty.npy").write_bytes(b"")
    header = b"{'descr': [[[((((".ljust(118)
    (folder / "header.npy").write_bytes(sound[:10] + header + sound[128:])
    for name in ("m1.npz", "c.safetensors", "t.pt"):
        whole = (folder / name).read_bytes()
        (folder / f"cut-{name}").write_bytes(whole[: len(whole) // 2])
    np.savez(folder / "bytes.npz", h=x, ids=[b"\xff%d" % i for i in range(N)])
    np.savez(folder / "twice.npz", h=x, ids=np.arange(N) // 2)
    for size in (2, 4):
        np.savez(folder / f"by{size}.npz", h=x, blocks=np.arange(N) // size)
    (folder / "latin.toml").write_bytes(b"# h\xf6he\n")
    (folder / "pair.toml").write_text(
        '[[measure]]\nname = "cka"\n[[measure]]\nname = "cka"\nas = "mine"\n'
    )
    (folder / "nothing").mkdir()


@pytest.fixture
def files(some_files: Path, monkeypatch) -> Path:
    """Change into the folder; assert afterwards that tests did not write into it."""
    monkeypatch.chdir(some_files)
    before = sorted(some_files.iterdir())
    yield some_files
    assert sorted(some_files.iterdir()) == before
