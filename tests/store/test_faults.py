"""Killed writers and concurrent writers of a store."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from similitude import Representation
from similitude.store import Store, Writer, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store", create=True)


def random_rows(n: int = 20, d: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def test_remove_works_after_a_killed_remove(store: Store, monkeypatch) -> None:
    """The leftovers of a killed `remove` do not affect elements of the same name."""
    rep = Representation("a", random_rows())

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        element = store.put(rep)
        with monkeypatch.context() as patch:
            patch.setattr("shutil.rmtree", killed)
            with pytest.raises(KeyboardInterrupt):
                store.remove(element)
        assert store.ids() == []
    assert len(store.leftovers()) == 2
    element = store.put(rep)
    store.remove(element)
    assert store.ids() == []
    assert store.verify() == []


WRITE_MANY = """
import sys
import numpy as np
from similitude import Representation
from similitude.store import open_store
first = int(sys.argv[2])
print("ready", flush=True)
store = open_store(sys.argv[1], create=True)
for i in range(first, first + int(sys.argv[3])):
    x = np.random.default_rng(i).normal(size=(2000, 50))
    store.put(Representation(f"r{i}", x, ids=np.arange(2000)))
"""


def writer(path: Path, first: int, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITE_MANY, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def assert_intact(store: Store) -> None:
    assert store.verify() == []
    for rep in store.select():
        index = int(rep.name[1:])
        expected = np.random.default_rng(index).normal(size=(2000, 50))
        np.testing.assert_array_equal(rep.load(), expected)


KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))


def test_killed_writer_leaves_only_complete_elements(tmp_path: Path) -> None:
    """Several writers are killed in turn; the store is intact after each of them."""
    path = tmp_path / "store"
    rng = np.random.default_rng(0)
    for kill in range(KILLS):
        with writer(path, 10_000 * kill, 10**6) as run:
            assert run.stdout is not None
            run.stdout.readline()
            time.sleep(rng.uniform(0, 0.3))
            run.send_signal(signal.SIGKILL)
        if path.exists() and (path / "store.json").exists():
            assert_intact(open_store(path))
    store = open_store(path, create=True)
    store.put(Representation("r7", np.random.default_rng(7).normal(size=(2000, 50))))
    assert_intact(store)  # the store can still be written


def test_two_concurrent_writers_create_one_intact_store(tmp_path: Path) -> None:
    """Both create the store, and some of their elements are equal."""
    path = tmp_path / "store"
    runs = [writer(path, first, 12) for first in (0, 6)]
    assert [run.communicate() and run.returncode for run in runs] == [0, 0]
    store = open_store(path)
    assert sorted(int(rep.name[1:]) for rep in store.select()) == list(range(18))
    assert_intact(store)
    assert store.leftovers() == []


def test_two_writers_of_equal_content_store_it_once(store: Store) -> None:
    first = Writer(store.elements, "x")
    second = Writer(store.elements, "x")
    with first, second:
        for one in (first, second):
            one.append(random_rows())
        assert first.commit() == second.commit()
    assert len(store.ids()) == 1
    assert store.verify() == []


def test_values_are_read_on_load(store: Store, monkeypatch) -> None:
    """Values are not read before `load`, which reads them and does not map them."""
    element = store.put(Representation("a", random_rows(), ids=np.arange(20)))
    shard = store.elements / element / "rows-00000.npy"
    read, opened = Path.open, []
    monkeypatch.setattr(
        Path, "open", lambda p, *a, **k: opened.append(p) or read(p, *a, **k)
    )
    rep = store.get(element)
    expected = Representation("b", random_rows(), ids=np.arange(20))
    assert (rep.n, rep.d, rep.sha256) == (20, 3, expected.sha256)
    assert shard not in opened
    loaded = rep.load()
    assert opened[-1] == shard
    assert not isinstance(loaded, np.memmap)
    assert not loaded.flags.writeable
    shard.write_bytes(b"")  # a mapped file would now be unreadable
    np.testing.assert_array_equal(loaded, random_rows())


def test_values_are_aligned_as_in_a_memory_map(store: Store) -> None:
    for d in range(1, 9):
        loaded = store.get(store.put(Representation("a", random_rows(5, d)))).load()
        assert loaded.ctypes.data % 64 == 0
