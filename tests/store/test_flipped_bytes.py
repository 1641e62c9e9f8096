"""Readers never use damaged bytes: flips, cuts and additions in files of a store."""

import hashlib
import io
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from cli.command import run
from similitude import InvalidInput, Outputs, Representation
from similitude._base import _config
from similitude.representation import arrays_of
from similitude.store import Store, _element, _verified, open_store
from store.extraction_fields import extraction

FLIPS = 120  # per file


@pytest.fixture
def store(tmp_path: Path, monkeypatch) -> Store:
    """Two elements; the rows of one are in several shards."""
    monkeypatch.setattr(_element, "SHARD_BYTES", 32)
    store = open_store(tmp_path / "store", create=True)
    x = np.random.default_rng(0).normal(size=(3, 2))
    rep = Representation(
        "net", x, ids=["x", "y", "ü"], blocks=[0, 0, 1], meta={"note": "ä"}
    )
    store.put(rep, extraction=extraction())
    store.put(Representation("out", Outputs(labels=np.arange(4) % 2)))
    return store


def everything(path: Path) -> list[object]:
    """All facts that readers get from a store."""
    store = open_store(path)
    found: list[object] = []
    for element in store.ids():
        rep = store.get(element)
        arrays = [(name, a.tolist()) for name, a in arrays_of(rep.load())]
        labels = [None if v is None else v.tolist() for v in (rep.ids, rep.blocks)]
        found.append((element, store.manifest(element), arrays, labels, rep.sha256))
    return found


def refusal(path: Path) -> str:
    """The error message of the readers; asserts that it is one printable line."""
    with pytest.raises(InvalidInput) as error:
        everything(path)
    message = str(error.value)
    assert message.isprintable()
    assert message.endswith(".")
    return message


def files(store: Store) -> list[Path]:
    return sorted(path for path in store.path.rglob("*") if path.is_file())


def flips(sound: bytes) -> Iterator[bytes]:
    rng = np.random.default_rng(len(sound))
    count = min(FLIPS, len(sound))
    for place in rng.choice(len(sound), count, replace=False):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << rng.integers(8)
        yield bytes(damaged)


def test_every_flip_in_every_file_is_refused_by_name(store: Store) -> None:
    before = everything(store.path)
    assert len(files(store)) == 8
    for file in files(store):
        sound = file.read_bytes()
        for damaged in flips(sound):
            file.write_bytes(damaged)
            assert str(file) in refusal(store.path)
        file.write_bytes(sound)
    assert everything(store.path) == before


def test_cut_and_extended_files_are_refused_by_name(store: Store) -> None:
    for file in files(store):
        sound = file.read_bytes()
        for damaged in (
            b"",
            sound[:1],
            sound[:-1],
            sound + b"\0",
            sound + b" " * 2**17,
        ):
            file.write_bytes(damaged)
            assert str(file) in refusal(store.path)
        file.write_bytes(sound)


def test_missing_shard_and_shard_that_is_a_folder_are_refused(store: Store) -> None:
    for file in [path for path in files(store) if path.suffix == ".npy"]:
        sound = file.read_bytes()
        file.unlink()
        assert f"{file} is missing or not a file" in refusal(store.path)
        file.mkdir()
        assert f"{file} is missing or not a file" in refusal(store.path)
        file.rmdir()
        file.write_bytes(sound)


def test_commands_refuse_a_flipped_shard_and_rm_removes_it(
    store: Store, tmp_path: Path, capsys
) -> None:
    element = store.put(Representation("other", np.eye(3)))
    store.put(Representation("third", np.eye(3)[::-1]))
    shard = store.elements / element / "rows-00001.npy"
    damaged = bytearray(shard.read_bytes())
    damaged[-1] ^= 1
    shard.write_bytes(damaged)
    store.remove(next(name for name in store.ids() if name.startswith("out")))
    options = ("-m", "cka", "--permutations", "0", "-o", str(tmp_path / "out"))
    path = str(store.path)
    for command in (
        ("compare", path, *options),
        ("advise", path),
        ("store", "verify", path),
    ):
        said = run(capsys, *command)
        assert said.code == 2
        assert said.out == ""
        assert f"{shard} has changed since it was written" in said.err
        assert said.err.count("\n") == 1
    manifest = store.elements / element / "manifest.json"
    manifest.write_bytes(b"{")  # `rm` must work on a damaged element
    assert run(capsys, "store", "rm", str(store.path), element).code == 0
    assert run(capsys, "store", "verify", str(store.path)).code == 0


def test_bytes_that_change_after_their_verification_are_not_used(
    store: Store, monkeypatch
) -> None:
    """The file is damaged at the moment when its hash is known."""
    element = next(name for name in store.ids() if name.startswith("net"))
    shard = store.elements / element / "rows-00000.npy"
    expected = open_store(store.path).get(element).load()
    sha256, sound = hashlib.sha256, shard.read_bytes()

    def damage(data: bytes = b"") -> object:
        if bytes(data) == sound:
            shard.write_bytes(b"\xff" * len(sound))
        return sha256(data)

    rep = store.get(element)
    monkeypatch.setattr("similitude.store._shards.hashlib.sha256", damage)
    for _ in range(2):  # verified values stay in memory
        np.testing.assert_array_equal(rep.load(), expected)
    assert shard.read_bytes() != sound
    for reader in (
        open_store(store.path).get(element),
        pickle.loads(pickle.dumps(rep)),
    ):
        with pytest.raises(InvalidInput, match=r"rows-00000\.npy has changed since"):
            reader.load()


def test_values_beyond_the_limit_are_verified_on_every_load(
    store: Store, monkeypatch
) -> None:
    _verified.release_arrays()  # of other tests
    share = _config.current().memory_budget // 48  # the rows of one element
    monkeypatch.setattr(_verified, "SHARE", share)
    elements = [store.put(Representation(n, np.ones((3, 2)))) for n in "ab"]
    kept, other = (store.get(element) for element in elements)
    for rep in (kept, other):
        rep.load()
    for element in elements:
        (store.elements / element / "rows-00000.npy").write_bytes(b"")
    np.testing.assert_array_equal(kept.load(), np.ones((3, 2)))
    with pytest.raises(InvalidInput, match=r"rows-00000\.npy has changed since"):
        other.load()


def test_an_element_that_was_replaced_is_not_read(store: Store) -> None:
    """Scores are stored under the hash that `get` returned."""
    first, second = (
        store.put(Representation("a", np.full((2, 2), v))) for v in (1.0, 2.0)
    )
    rep = store.get(first)
    store.remove(first)
    store.folder(second).rename(store.elements / first)
    with pytest.raises(InvalidInput, match=r"manifest\.json has changed since"):
        rep.load()
    store.remove(first)
    with pytest.raises(InvalidInput, match=r"manifest\.json is missing"):
        rep.load()


@pytest.mark.parametrize("name", ["store.json", "manifest.json"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[" * 10**6, "is nested deeper than the limit of 32 levels"),
        (b'{"a": ' * 40 + b"1" + b"}" * 40, "is nested deeper than the limit"),
        (b'{"schema": 2, "a": "' + b"[" * 99 + b'"}', "a"),  # brackets in a string
        (b'"' + b'\\"' * 10**5, "is damaged"),
        (b" " * (2**24 + 1), "is larger than the limit of 16,777,216 bytes"),
        (b'{"schema": 2, "schema": 2}', ""),
        (b'{"schema": NaN}', "NaN is not JSON"),
        (b'{"schema": ' + b"9" * 5000 + b"}", "is damaged"),
        (b"\xff", "is damaged"),
        (b"null", "has schema None"),
        (b'{"schema": 2, "x": 1}', ""),
        (b'{"schema": [2]}', "has schema [2]"),
    ],
)
def test_hostile_json_is_refused(
    store: Store, name: str, text: bytes, message: str
) -> None:
    file = next(path for path in files(store) if path.name == name)
    file.write_bytes(text)
    found = refusal(store.path)
    assert str(file) in found
    assert message in found
    assert len(found) < 400 + len(str(file))


def test_writer_refuses_a_manifest_that_readers_would_refuse(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    deep: list[object] = []
    for _ in range(40):
        deep = [deep]
    for fields, message in (
        ({"meta": {"x": deep}}, "nested deeper"),
        ({"meta": {"x": "y" * 2**24}}, "larger than the limit"),
        ({"meta": ["x"]}, "meta: "),
        ({"other": 1}, "other: Extra inputs"),
        ({"step": "1"}, "step: "),
    ):
        with store.writer("a", **fields) as writer:
            writer.append(np.eye(2))
            with pytest.raises(InvalidInput, match=message) as error:
                writer.commit()
        assert str(error.value).startswith("element 'a'")
    assert store.ids() == store.leftovers() == []


def test_a_write_that_the_disk_changed_is_not_committed(
    tmp_path: Path, monkeypatch
) -> None:
    store = open_store(tmp_path, create=True)

    def damage(file: BinaryIO) -> None:
        file.seek(-1, io.SEEK_END)
        file.write(b"\xff")
        file.flush()

    monkeypatch.setattr(_element, "flush", damage)
    with pytest.raises(InvalidInput, match=r"rows-00000\.npy has changed since"):
        store.put(Representation("a", np.eye(2)))
    assert store.ids() == store.leftovers() == []
