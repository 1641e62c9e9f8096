"""Rows that arrive in batches: a stopped writer continues after its last batch."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from similitude import InvalidInput, Representation
from similitude.store import Rows, Store, _resumable, _shard_file, open_store

ROWS = {"a": np.arange(60.0).reshape(20, 3), "b": np.arange(40.0).reshape(20, 2)}
PLAN = {key: Rows(20, rows.shape[1], "float64") for key, rows in ROWS.items()}


class Stopped(Exception):
    pass


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store", create=True)


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards of 7 rows of "a", and of 10 rows of "b"."""
    monkeypatch.setattr(_shard_file, "SHARD_BYTES", 7 * 3 * 8)


def write(store: Store, *, stop: int = 4, size: int = 5) -> int:
    """Write batches until batch `stop`, then the elements; the first batch written."""
    with store.resumable("key") as writer:
        first = writer.start(PLAN)
        for i in range(first, 4):
            if i == stop:
                raise Stopped
            writer.append({k: r[size * i : size * i + size] for k, r in ROWS.items()})
        for key, rows in ROWS.items():
            ids = [f"{i}" for i in range(20)]
            rep = Representation(key, rows, ids=ids, meta={"from": "test"})
            writer.commit(key, rep, reducer="mean")
    return first


def stopped(store: Store, batches: int) -> Path:
    """The folder of a writer that stopped after some batches."""
    with pytest.raises(Stopped):
        write(store, stop=batches)
    (folder,) = store.leftovers()
    return folder


def files(store: Store) -> dict[str, bytes]:
    return {
        str(path.relative_to(store.path)): path.read_bytes()
        for path in sorted(store.path.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("batches", [0, 1, 2, 3])
def test_a_stopped_writer_continues_to_the_same_files(
    store: Store, tmp_path: Path, batches: int
) -> None:
    whole = open_store(tmp_path / "whole", create=True)
    assert write(whole) == 0
    stopped(store, batches)
    assert store.ids() == []
    assert write(store) == batches
    assert files(store) == files(whole)
    assert store.leftovers() == []
    for rep in store.select():
        np.testing.assert_array_equal(rep.load(), ROWS[rep.name])
        assert rep.meta == {"from": "test", "reducer": "mean"}


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)


def _shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


@pytest.mark.parametrize("damage", [_flip, _shorten, Path.unlink])
@pytest.mark.parametrize("name", ["00000/rows-00000.npy", "00001/rows-00001.npy"])
def test_rows_that_changed_on_the_disk_are_written_again(
    store: Store, damage: Callable[[Path], None], name: str
) -> None:
    """A complete shard of "a", and the open shard of "b"."""
    folder = stopped(store, 3)
    damage(folder / name)
    assert write(store) == 0
    assert [rep.name for rep in store.select()] == ["a", "b"]
    assert store.verify() == []


def test_rows_after_the_last_line_of_the_journal_are_cut_off(store: Store) -> None:
    """A kill between the rows of a batch and its line leaves more rows than lines."""
    folder = stopped(store, 3)
    with (folder / "00001" / "rows-00001.npy").open("ab") as file:
        file.write(bytes(16))
    with (folder / "journal").open("ab") as file:
        file.write(b"0123 torn")
    assert write(store) == 3
    assert store.verify() == []
    for rep in store.select():
        np.testing.assert_array_equal(rep.load(), ROWS[rep.name])


def test_lines_after_a_damaged_line_of_the_journal_are_ignored(store: Store) -> None:
    path = stopped(store, 3) / "journal"
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b"rows", b"rowz")
    path.write_bytes(b"\n".join(lines))
    assert write(store) == 1
    assert store.verify() == []


def test_another_plan_starts_again(store: Store) -> None:
    stopped(store, 2)
    with store.resumable("key") as writer:
        assert writer.start({"a": Rows(20, 4, "float64")}) == 0


def test_fewer_elements_of_the_same_plan_continue(store: Store) -> None:
    """Elements that were stored meanwhile are not asked for again."""
    stopped(store, 2)
    with store.resumable("key") as writer:
        assert writer.start({"b": PLAN["b"]}) == 2
        for i in (2, 3):
            writer.append({"b": ROWS["b"][5 * i : 5 * i + 5]})
        writer.commit("b", Representation("b", ROWS["b"]))
    np.testing.assert_array_equal(store.select()[0].load(), ROWS["b"])


@pytest.mark.parametrize("batches", [3, 4])
def test_a_committed_element_is_not_written_again(store: Store, batches: int) -> None:
    """Its rows are in the store; the journal must say that they were complete."""
    with pytest.raises(Stopped), store.resumable("key") as writer:  # noqa: PT012
        writer.start(PLAN)
        for i in range(batches):
            writer.append({k: r[5 * i : 5 * i + 5] for k, r in ROWS.items()})
        if batches == 4:
            writer.commit("a", Representation("a", ROWS["a"]))
        else:
            (writer._folder / "00000").rename(store.elements / "a-elsewhere")
        raise Stopped
    with store.resumable("key") as writer:
        assert writer.start(PLAN, stored={"a"}) == (4 if batches == 4 else 0)


def test_two_writers_of_the_same_elements_are_refused(store: Store) -> None:
    with store.resumable("key"):
        with pytest.raises(InvalidInput, match="another process writes the same"):
            store.resumable("key").__enter__()
        with store.resumable("other") as other:
            assert other.start(PLAN) == 0


def test_rows_are_flushed_to_the_disk_from_time_to_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_resumable, "SYNC_SECONDS", -1.0)
    flushed = []
    flush = _resumable.os.fsync
    monkeypatch.setattr(
        _resumable.os, "fsync", lambda fd: flushed.append(fd) or flush(fd)
    )
    with pytest.raises(Stopped):
        write(store, stop=1)
    assert len(set(flushed)) >= 3  # rows of "a" and "b", and the journal
    assert write(store) == 1


def test_rows_are_read_in_batches_across_shards(store: Store) -> None:
    write(store)
    rep = next(rep for rep in store.select() if rep.name == "a")
    found = [batch.copy() for batch in rep.values.batches(6)]
    assert [len(batch) for batch in found] == [6, 6, 6, 2]
    np.testing.assert_array_equal(np.concatenate(found), ROWS["a"])


@pytest.mark.parametrize("damage", [_flip, _shorten, Path.unlink])
def test_batches_of_a_changed_shard_are_refused(
    store: Store, damage: Callable[[Path], None]
) -> None:
    write(store)
    rep = next(rep for rep in store.select() if rep.name == "a")
    (path,) = store.elements.glob("a-*/rows-00001.npy")
    damage(path)
    with pytest.raises(InvalidInput, match=f"{path}.*(has changed|is missing)"):
        list(rep.values.batches(6))
