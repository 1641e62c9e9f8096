"""Files with wrong bytes in them are read, or refused in one line; nothing else."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import polars
import pytest
import torch
from safetensors.numpy import save_file

from similitude import InvalidInput, SimilitudeError
from similitude.engine import check_values
from similitude.store import _arrays, _tables, read_files

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


def damage(sound: bytes, rng: np.random.Generator) -> bytes:
    """Cut short, bits flipped, a header written over, or eight bytes moved."""
    bytes_, kind = bytearray(sound), rng.integers(4)
    if kind == 0:
        return sound[: rng.integers(len(sound))]
    if kind == 1:
        for _ in range(rng.integers(1, 6)):
            bytes_[rng.integers(len(sound))] ^= 1 << rng.integers(8)
    elif kind == 2:
        for _ in range(rng.integers(1, 4)):
            bytes_[rng.integers(min(len(sound), 256))] = rng.integers(256)
    else:
        here, there = rng.integers(len(sound) - 8, size=2)
        bytes_[here : here + 8] = bytes_[there : there + 8]
    return bytes(bytes_)


CASES = {".npy": 200, ".npz": 200, ".safetensors": 200, ".pt": 100, ".csv": 200}


@pytest.mark.parametrize("suffix", [*CASES, ".parquet"])
def test_random_damage(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    sound = write(tmp_path / f"sound{suffix}")
    path, said = tmp_path / f"x{suffix}", []
    cases = CASES.get(suffix, 8)  # a process for each parquet
    for _ in range(cases):
        path.unlink(missing_ok=True)  # a map of it may still be open
        path.write_bytes(damage(sound, rng))
        try:
            check_values(read_files(path))
        except SimilitudeError as error:
            said.append(str(error))
    assert cases / 4 < len(said) <= cases
    assert all(text.isprintable() for text in said)
    assert max(map(len, said)) < 400 + len(str(path))


@pytest.mark.parametrize("end", ["import os; os.abort()", "raise SystemExit(1)"])
def test_a_reader_that_dies_is_one_line(end: str, tmp_path: Path, monkeypatch) -> None:
    """polars panics on some damage, and aborts the process on other."""
    path = tmp_path / "a.parquet"
    write(path)
    monkeypatch.setattr(_tables, "_READ", end)
    assert refusal(path).endswith("a.parquet cannot be read: it is damaged.")


@pytest.mark.parametrize("suffix", [*CASES, ".parquet"])
@pytest.mark.parametrize("share", [0.0, 0.4, 0.98])
def test_cut_short(suffix: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"cut{suffix}"
    sound = write(path)
    end = int(share * len(sound))
    if suffix == ".csv" and end:  # a shorter last number is a number
        end = sound.rindex(b",", 0, end)
    path.write_bytes(sound[:end])
    refusal(path)


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00\x76\x00" + text.ljust(117).encode() + b"\n"


HEADERS = {
    "brackets": header("(((((", "[[[(((("),
    "a trillion rows": header("(1000000000000, 3)"),
    "too many to count": header("(4611686018427387904, 4611686018427387904)"),
    "a negative number": header("(-2, 3)"),
    "names instead of numbers": header("('n', 3)"),
    "no dtype": header("(4, 3)", "'nonsense'"),
    "objects": header("(4, 3)", "'|O'"),
    "deep": b"\x93NUMPY\x01\x00\x76\x00" + b"(" * 117 + b"\n",
    "a later version": b"\x93NUMPY\x09" + header("(4, 3)")[7:],
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers_that_lie(case: str, tmp_path: Path) -> None:
    content = HEADERS[case] + b"\x00" * 96
    (tmp_path / "a.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("h.npy", content)
    for name in ("a.npy", "a.npz"):
        refusal(tmp_path / name)


def test_a_shape_is_checked_before_it_is_allocated(tmp_path: Path, monkeypatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("h.npy", HEADERS["a trillion rows"] + b"\x00" * 96)
    read = np.lib.format.read_array
    asked = []
    monkeypatch.setattr(
        np.lib.format, "read_array", lambda *a, **k: asked.append(a) or read(*a, **k)
    )
    assert "(1000000000000, 3)" in refusal(tmp_path / "a.npz")
    assert asked == []


def test_zeros_that_grow_are_refused(tmp_path: Path, monkeypatch) -> None:
    np.savez_compressed(tmp_path / "a.npz", h=np.zeros((20_000, 50)))
    assert read_files(tmp_path / "a.npz")[0].n == 20_000  # of 8 MB: who minds
    monkeypatch.setattr(_arrays, "_LARGE", 2**20)
    assert "save it uncompressed" in refusal(tmp_path / "a.npz")


def test_other_things_in_an_archive(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, X)
    path = tmp_path / "a.npz"
    for names in (["notes.txt"], ["h.npy", "notes.txt"], ["sub/"]):
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, buffer.getvalue() if "npy" in name else b"")
        assert "is no .npy" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("h.npy", buffer.getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("h.npy", buffer.getvalue())
    assert "two arrays called 'h'" in refusal(path)


class Bomb:
    """Unpickling it would leave a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return (os.mkdir, (str(self.trace),))


def test_nothing_unpickles(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    bomb = Bomb(trace)
    objects = np.array([[bomb]], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "a.npz", x=objects)
    np.savez(tmp_path / "ids.npz", x=X[:1], ids=objects[0])
    torch.save({"h": bomb}, tmp_path / "a.pt")
    torch.save(bomb, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("p.npy", "p.npz", "p.pt", "p.safetensors", "p.parquet", "p.csv"):
        (tmp_path / name).write_bytes(pickle.dumps(bomb))
    for path in sorted(tmp_path.iterdir()):
        refusal(path)
        assert not trace.exists()
    pickle.loads(pickle.dumps(bomb))
    assert trace.exists()  # it would have left one


def test_what_is_not_a_file(tmp_path: Path) -> None:
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
def test_arrays_that_are_no_representation(tmp_path: Path, array, message: str) -> None:
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
def test_numbers_of_any_kind_are_read(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", h=array)
    for name in ("a.npy", "a.npz"):
        found = read_files(tmp_path / name)
        check_values(found)
        np.testing.assert_array_equal(found[0].load(), array)


def test_tensors_that_are_no_table(tmp_path: Path) -> None:
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


def test_names_that_no_terminal_shows(tmp_path: Path) -> None:
    path = tmp_path / "a b\n\x1b[31mü.npz"
    np.savez(path, **{"x\ny": X, "z": X})
    names = [rep.name for rep in read_files(path)]
    assert names == ["a b\\n\\x1b[31mü/x\\ny", "a b\\n\\x1b[31mü/z"]
    latin = os.fsdecode(os.fsencode(tmp_path) + b"/\xe9.npy")
    np.save(latin, X)
    (rep,) = read_files(latin)
    assert rep.name == "\\udce9"
