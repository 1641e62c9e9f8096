"""Stored representations are read back unchanged; invalid data are refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from similitude import InvalidInput, Outputs, Representation, SoftmaxModel
from similitude.store import Extraction, Store, _element, open_store
from store.extraction_fields import extraction

ARCHIVE = Path(__file__).parent / "archive"
ARCHIVED_ROWS = np.array([[0.5, 1.0], [1.5, -2.0], [0, 3.25]])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store", create=True)


def random_rows(n: int = 20, d: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def test_stored_points_are_read_back_unchanged(store: Store) -> None:
    rep = Representation(
        "net/layer 1",
        random_rows().astype(np.float32),
        ids=[f"img-{i}" for i in range(20)],
        blocks=np.arange(20) // 4,
        model="net",
        layer="layer 1",
        step=7,
        meta={"note": "ä"},
    )
    element = store.put(rep, data="abc", reducer="mean")
    found = store.get(element)
    np.testing.assert_array_equal(found.load(), rep.values)
    assert found.load().dtype == np.float32
    assert not found.load().flags.writeable
    np.testing.assert_array_equal(found.ids, rep.ids)
    np.testing.assert_array_equal(found.blocks, rep.blocks)
    assert (found.name, found.model, found.layer, found.step) == (
        "net/layer 1",
        "net",
        "layer 1",
        7,
    )
    assert found.meta == {"note": "ä", "reducer": "mean"}
    assert found.sha256 == rep.sha256
    manifest = store.manifest(element)
    assert (manifest["data"], manifest["reducer"]) == ("abc", "mean")


def test_stored_outputs_and_softmax_models_are_read_back_unchanged(
    store: Store,
) -> None:
    logits = random_rows(6, 4)
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    outputs = Representation("o", Outputs(log_probs, targets=np.arange(6) % 4))
    model = Representation(
        "s", SoftmaxModel(random_rows(5, 2), random_rows(3, 2, seed=1))
    )
    found = store.get(store.put(outputs)).load()
    np.testing.assert_array_equal(found.log_probs, log_probs)
    np.testing.assert_array_equal(found.targets, np.arange(6) % 4)
    softmax = store.get(store.put(model))
    assert (softmax.domain, softmax.n, softmax.d) == ("softmax", 5, 2)
    np.testing.assert_array_equal(
        softmax.load().unembeddings, random_rows(3, 2, seed=1)
    )
    assert store.verify() == []


def test_fields_of_stimuli_are_read_back_unchanged(store: Store) -> None:
    fields = {
        "text": np.array(["naïve café", "", "a\nb"]),
        "label": np.array([3, 1, 2], np.int16),
        "seen": np.array([True, False, True]),
        "score": np.array([0.5, np.nan, -1.0]),
        "caption": np.array(["x", None, "z"], object),
        "mixed": np.array([1, "two", None], object),
        "odd / name": np.array(["a", "b", "c"]),
    }
    x = np.arange(6.0).reshape(3, 2)
    plain = store.put(Representation("x", x, ids=["p", "q", "r"]))
    element = store.put(Representation("x", x, ids=["p", "q", "r"], fields=fields))
    assert store.manifest(plain)["content"] == store.manifest(element)["content"]
    assert "fields" not in store.manifest(plain)
    found = open_store(store.path).get(element)
    assert list(found.fields) == list(fields)
    for name, values in fields.items():
        assert found.fields[name].dtype == values.dtype
        np.testing.assert_array_equal(found.fields[name], values)
    np.testing.assert_array_equal(found.load(), x)
    taken = found.take(np.array([2, 0]))
    assert taken.fields["caption"].tolist() == ["z", "x"]
    missing = Representation("m", x, fields={"t": np.array(["a", np.nan, "c"], object)})
    assert store.get(store.put(missing)).fields["t"].tolist() == ["a", None, "c"]
    assert store.verify() == []


def test_damaged_fields_are_noticed(store: Store) -> None:
    text = np.array(["a", "b", "c"])
    element = store.put(Representation("x", np.eye(3), fields={"text": text}))
    (file,) = store.folder(element).glob("field-0-*.npy")
    content = file.read_bytes()
    file.write_bytes(content[:-4] + b"z\0\0\0")
    with pytest.raises(InvalidInput, match="field-0"):
        store.get(element)
    assert len(store.verify()) == 1


def test_fields_of_unknown_objects_are_refused(store: Store) -> None:
    odd = Representation("x", np.eye(2), fields={"y": np.array([{1}, {2}], object)})
    with pytest.raises(InvalidInput, match="the field 'y' must have numbers or texts"):
        store.put(odd)
    assert store.ids() == []


def test_equal_elements_are_stored_once_and_different_ones_twice(store: Store) -> None:
    x = random_rows()
    first = store.put(Representation("a", x))
    assert store.put(Representation("a", x)) == first
    other = store.put(Representation("a", x, ids=np.arange(20)))
    assert other != first
    assert store.get(other).ids is not None
    assert len(store.ids()) == 2
    store.remove(first)
    assert store.ids() == [other]
    with pytest.raises(InvalidInput, match="there is no element"):
        store.get(first)


def test_select_filters_by_model_and_layer(store: Store) -> None:
    for model in ("m1", "m2"):
        for layer in ("a", "b"):
            rep = Representation(
                f"{model}/{layer}", random_rows(), model=model, layer=layer
            )
            store.put(rep)
    assert {r.layer for r in store.select(model="m1")} == {"a", "b"}
    assert len(store.select()) == 4
    assert [r.name for r in store.select(model="m2", layer="b")] == ["m2/b"]


def test_writer_appends_rows_in_several_shards(store: Store, monkeypatch) -> None:
    monkeypatch.setattr(_element, "SHARD_BYTES", 100)
    x = random_rows(50, 3)
    with store.writer("parts", model="m") as writer:
        writer.append(x[:20])
        writer.append(x[20:])
        element = writer.commit()
    assert len(store.manifest(element)["arrays"]["rows"]["shards"]) > 5
    np.testing.assert_array_equal(store.get(element).load(), x)
    assert store.get(element).sha256 == Representation("any", x).sha256
    assert store.verify() == []


def test_writer_refuses_rows_of_another_width(store: Store) -> None:
    with store.writer("x") as writer:
        writer.append(random_rows(3, 2))
        with pytest.raises(InvalidInput, match="cannot"):
            writer.append(random_rows(3, 4))
    assert store.ids() == []
    assert store.leftovers() == []  # the writer removed its folder


def test_writer_refuses_python_objects(store: Store) -> None:
    with store.writer("x") as writer, pytest.raises(InvalidInput, match="objects"):
        writer.append(np.array([{}], dtype=object))


@pytest.mark.parametrize("schema", [1, 3, 0, True, 2.0, "2", None])
def test_unknown_schema_is_refused(schema: object, store: Store) -> None:
    (store.path / "store.json").write_text(json.dumps({"schema": schema}))
    with pytest.raises(InvalidInput, match=f"schema {schema!r}, but this"):
        open_store(store.path)


def test_folder_without_store_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not a store"):
        open_store(tmp_path)


def test_archived_files_of_schema_2_can_be_read() -> None:
    store = open_store(ARCHIVE / "schema-2")
    assert store.verify() == []
    by_domain = {rep.domain: rep for rep in store.select()}
    assert set(by_domain) == {"points", "outputs", "softmax"}
    points = by_domain["points"]
    np.testing.assert_array_equal(points.load(), [[0.5, 1.0], [1.5, -2.0], [0, 3.25]])
    np.testing.assert_array_equal(points.ids, ["a", "b", "ç"])
    np.testing.assert_array_equal(points.blocks, [0, 0, 1])
    assert points.meta == {"note": "kept", "reducer": "mean"}
    assert (points.model, points.layer, points.step) == ("net", "conv1", 100)
    np.testing.assert_array_equal(by_domain["outputs"].load().labels, [0, 1, 1])
    assert by_domain["softmax"].load().unembeddings.shape == (4, 2)


def test_archived_baselines_of_schema_2_can_be_read() -> None:
    store = open_store(ARCHIVE / "schema-2-baselines")
    assert store.verify() == []
    found = {(r.name, r.baseline, r.twin_of): r.load()[1, 1] for r in store.select()}
    assert found == {
        ("net", None, None): -2.0,
        ("net", "untrained", None): 4.0,
        ("other", "seed", "net"): 8.0,
    }


def test_archived_extraction_of_schema_2_can_be_read() -> None:
    store = open_store(ARCHIVE / "schema-2-extraction")
    assert store.verify() == []
    (element,) = store.ids()
    np.testing.assert_array_equal(store.get(element).load(), ARCHIVED_ROWS)
    assert store.manifest(element)["extraction"] == extraction()


def test_elements_are_found_by_their_extraction(store: Store) -> None:
    store.put(Representation("other", random_rows(3)))
    fields = extraction()
    rep = Representation("net", random_rows(3), ids=["a", "b", "c"])
    element = store.put(rep, extraction=fields)
    assert store.find(Extraction(**fields)) == [element]
    assert store.find({"model_dtype": "bfloat16"}) == [element]
    assert store.find({"model_dtype": "float32"}) == []


def test_some_rows_are_read_from_their_shards(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_element, "SHARD_BYTES", 100)
    rows = random_rows(20, 3)
    found = store.get(store.put(Representation("net", rows)))
    wanted = np.array([19, 0, -2, 7, 7])
    np.testing.assert_array_equal(found.values.take(wanted), rows[wanted])
    np.testing.assert_array_equal(found.load(), rows)
    np.testing.assert_array_equal(found.values.take(wanted), rows[wanted])


def test_a_file_is_not_a_folder_for_a_new_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="is not a folder; give the folder of a"):
        open_store(tmp_path / "file", create=True)


def test_names_that_differ_only_in_case_are_refused(tmp_path) -> None:
    """Files with such names are the same file on macOS and Windows."""
    store = open_store(tmp_path / "store", create=True)
    store.put(Representation("Layer 1", np.eye(3)))
    with pytest.raises(InvalidInput, match="'layer 1' differs from 'Layer 1'"):
        store.put(Representation("layer 1", np.eye(4)))
    store.put(Representation("Layer 1", np.eye(4)))
    store.put(Representation("layer-1", np.eye(5)))
    assert len(store.ids()) == 3
    assert [p.name for p in store.leftovers()] == []
