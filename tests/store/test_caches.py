"""All stores of a process together keep arrays within a share of the memory budget."""

import gc
from pathlib import Path

import numpy as np
import pytest
from similitude.engine.machines._request import Element

import similitude as sim
from similitude import Representation, config
from similitude.store import _verified, open_store, read_element, release_arrays

COUNT, BUDGET = 12, 2**23


@pytest.fixture(autouse=True)
def no_arrays_of_other_tests() -> None:
    gc.collect()
    release_arrays()


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    store = open_store(tmp_path / "store", create=True)
    values = np.random.default_rng(0).normal(size=(COUNT, 4000, 8))
    elements = [store.put(Representation(f"r{i}", x)) for i, x in enumerate(values)]
    return [store.folder(element) for element in elements]


def as_workers_open_them(folder: Path) -> Representation:
    sha256 = read_element(folder).sha256
    return Element(str(folder), sha256, folder.name).open()


OPENED = {
    "as workers do": as_workers_open_them,
    "one by one": read_element,
    "each from its own store": lambda folder: open_store(folder.parents[1]).get(
        folder.name
    ),
}


@pytest.mark.parametrize("opened", OPENED.values(), ids=OPENED)
def test_loaded_elements_keep_an_eighth_of_the_budget(opened, folders) -> None:
    with config(memory_budget=BUDGET):
        reps = [opened(folder) for folder in folders]
        for _ in range(2):
            for rep in reps:
                rep.load()
        kept = _verified.held_bytes()
        assert 0 < kept <= BUDGET // 8 < COUNT * 4000 * 8 * 8
    del reps, rep
    gc.collect()
    assert _verified.held_bytes() == 0  # a later store can keep its arrays


def test_small_files_keep_an_eighth_of_the_budget(tmp_path: Path) -> None:
    for i in range(COUNT):
        np.save(tmp_path / f"r{i}.npy", np.ones((4000, 8)))
    with config(memory_budget=BUDGET):
        reps = sim.load(tmp_path)
    held = [rep.values.held for rep in reps if rep.values.held is not None]
    assert 0 < sum(array.nbytes for array in held) <= BUDGET // 8
