"""Elements of extracted activations: equal fields, equal element; all are required."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from similitude import InvalidInput, Representation
from similitude.store import Extraction, Store, open_store
from store.extraction_fields import extraction

REP = Representation("net", np.arange(6.0).reshape(3, 2), ids=["a", "b", "c"])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store", create=True)


def paths(fields: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple]:
    """The path of every field; the content of `options` is free."""
    for name, value in fields.items():
        yield (*above, name)
        if isinstance(value, dict) and name != "options":
            yield from paths(value, (*above, name))


PATHS = list(paths(extraction()))


def parent(fields: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    for name in path[:-1]:
        fields = fields[name]
    return fields


def test_extraction_is_stored_and_returned(store: Store) -> None:
    element = store.put(REP, extraction=extraction())
    found = store.manifest(element)["extraction"]
    assert found == extraction()
    assert Extraction(**found) == Extraction(**extraction())
    assert store.put(REP, extraction=Extraction(**extraction())) == element
    assert store.put(REP) != element
    assert "extraction" not in store.manifest(store.put(REP))
    assert len(store.ids()) == 2
    assert store.verify() == []


OTHER_VALUES: dict[tuple[str, ...], Any] = {
    ("state_dict_sha256",): "a" * 64,
    ("model_class",): "package.module.Other",
    ("preprocessing", "name"): "other",
    ("preprocessing", "options"): {"mean": [0.5, 0.5], "resize": None},
    ("preprocessing", "probe_sha256"): "b" * 64,
    ("data_fingerprint",): "other",
    ("layer", "path"): "",
    ("layer", "call"): 2,
    ("reducer", "name"): "max",
    ("reducer", "options"): {},
    ("batches", "size"): 3,
    ("batches", "boundaries"): [0, 1, 3],
    ("model_dtype",): "float32",
    ("stored_dtype",): "<f4",
    ("versions", "torch"): "2.9.1",
    ("versions", "similitude"): "0.1.1",
    ("versions", "python"): "3.12.0",
}


def test_every_changed_field_gives_a_new_element(store: Store) -> None:
    leaves = [p for p in PATHS if not any(q[: len(p)] == p != q for q in PATHS)]
    assert set(leaves) == set(OTHER_VALUES)
    ids = [store.put(REP, extraction=extraction())]
    for path, value in OTHER_VALUES.items():
        fields = extraction()
        parent(fields, path)[path[-1]] = value
        values = REP.values.astype(np.float32 if path == ("stored_dtype",) else float)
        rep = Representation("net", values, ids=REP.ids)
        ids.append(store.put(rep, extraction=fields))
    assert len(set(ids)) == len(OTHER_VALUES) + 1
    changed_ids = Representation("net", REP.values, ids=["a", "b", "d"])
    assert store.put(changed_ids, extraction=extraction()) not in ids
    assert store.put(REP, extraction=extraction()) == ids[0]
    assert store.verify() == []


@pytest.mark.parametrize("path", PATHS, ids=".".join)
def test_missing_and_wrong_fields_are_refused(
    store: Store, path: tuple[str, ...]
) -> None:
    missing, null, extra = extraction(), extraction(), extraction()
    del parent(missing, path)[path[-1]]
    parent(null, path)[path[-1]] = None
    parent(extra, path)["other"] = 1
    for fields in (missing, null, extra):
        before = copy.deepcopy(fields)
        with pytest.raises(InvalidInput) as error:
            store.put(REP, extraction=fields)
        assert fields == before
        name = ".".join(("extraction", *path[:-1]))
        assert f"element 'net': {name}." in str(error.value)
    assert store.ids() == []


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("batches", "boundaries"), [0, 3], "boundaries must rise from 0"),
        (("batches", "boundaries"), [1, 3], "boundaries must rise from 0"),
        (("batches", "boundaries"), [0, 2, 2, 3], "boundaries must rise from 0"),
        (("batches", "boundaries"), [0, 2], "must end at 3, the number of rows"),
        (("batches", "boundaries"), [], "extraction.batches.boundaries: "),
        (("batches", "boundaries"), [0, 2.0, 3], "extraction.batches.boundaries.1: "),
        (("stored_dtype",), "<f4", "but the rows have dtype <f8"),
        (("stored_dtype",), "float64", "it is not a dtype string"),
        (("layer", "call"), 0, "extraction.layer.call: "),
        (("state_dict_sha256",), "A" * 64, "extraction.state_dict_sha256: "),
        (("model_class",), "", "extraction.model_class: "),
    ],
)
def test_inconsistent_fields_are_refused(
    store: Store, path: tuple[str, ...], value: Any, message: str
) -> None:
    fields = extraction()
    parent(fields, path)[path[-1]] = value
    with pytest.raises(InvalidInput) as error:
        store.put(REP, extraction=fields)
    assert message in str(error.value)


def test_extraction_without_ids_is_refused(store: Store) -> None:
    with pytest.raises(InvalidInput, match="an extracted element needs ids"):
        store.put(Representation("net", REP.values), extraction=extraction())
