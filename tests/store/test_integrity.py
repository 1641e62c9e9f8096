"""`verify` detects every changed byte, and unreadable elements are not committed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from similitude import InvalidInput, Outputs, Representation
from similitude.cli import main
from similitude.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store", create=True)


def random_rows(n: int = 20, d: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def verify(path: Path) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["store", "verify", str(path)])
    return int(stop.value.code or 0)


def test_verify_detects_every_damaged_byte(store: Store, capsys) -> None:
    """Damages each byte of store.json, the manifest, values, ids and blocks in turn."""
    rep = Representation(
        "a", random_rows(3, 1), ids=["x", "y", "ü"], blocks=[0, 0, 1], baseline="seed"
    )
    element = store.put(rep)
    files = [store.path / "store.json", *(store.elements / element).iterdir()]
    assert {file.name for file in files} == {
        *("store.json", "manifest.json", "rows-00000.npy", "ids-00000.npy"),
        "blocks-00000.npy",
    }
    rng = np.random.default_rng(0)
    for file in files:
        sound = file.read_bytes()
        for place in range(len(sound)):
            damaged = bytearray(sound)
            damaged[place] ^= 1 << rng.integers(8)
            file.write_bytes(damaged)
            try:
                problems = open_store(store.path).verify()
            except InvalidInput as error:  # store.json is damaged
                problems = [str(error)]
            assert len(problems) == 1, (file.name, place)
            assert problems[0].isprintable()
        assert verify(store.path) == 2
        printed = capsys.readouterr()
        assert (printed.out, printed.err.count("\n")) == ("", 1)
        file.write_bytes(sound[:-1])
        assert verify(store.path) == 2
        capsys.readouterr()
        file.write_bytes(sound)
    assert verify(store.path) == 0


def test_changed_manifest_is_refused(store: Store) -> None:
    element = store.put(Representation("a", random_rows()))
    path = store.elements / element / "manifest.json"
    path.write_text(path.read_text().replace('"name": "a"', '"name": "b"'))
    for read in (store.get, store.manifest):
        with pytest.raises(InvalidInput, match=r"manifest\.json has changed since"):
            read(element)


def rewrite(folder: Path, change) -> None:
    """Change a manifest and update its checksum, as another program might write it."""
    from similitude.store._json import json_text
    from similitude.store._manifest import checksum

    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    manifest["checksum"] = checksum(manifest)
    path.write_bytes(json_text(manifest))


def rows_of(manifest: dict[str, Any]) -> dict[str, Any]:
    return manifest["arrays"]["rows"]


def shard_of(manifest: dict[str, Any]) -> dict[str, Any]:
    return rows_of(manifest)["shards"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.pop("name"), "name: Field required"),
        (lambda m: m.pop("arrays"), "arrays: Field required"),
        (lambda m: m["arrays"].pop("rows"), "the arrays of points must be rows"),
        (lambda m: m.update(arrays=[1]), "arrays: Input should be a valid dict"),
        (lambda m: m.update(name=["a"]), "name: Input should be a valid string"),
        (lambda m: m.update(name="a\nb"), "name: a line of text is needed"),
        (lambda m: m.update(step=1.0), "step: Input should be a valid integer"),
        (lambda m: m.update(step=True), "step: Input should be a valid integer"),
        (lambda m: m.update(layer=3), "layer: Input should be a valid string"),
        (lambda m: m.update(meta=[]), "meta: Input should be a valid dict"),
        (lambda m: m.update(other=1), "other: Extra inputs are not permitted"),
        (lambda m: m.update(twin_of="a"), "twin_of is given without baseline"),
        (lambda m: m.update(domain="pictures"), "domain: Input should be"),
        (lambda m: m.update(content="0" * 63), "content: String should match"),
        (lambda m: m.update(extraction={}), "extraction.state_dict_sha256: Field"),
        (lambda m: rows_of(m).update(shape=[30, 3]), "30 rows"),
        (lambda m: rows_of(m).update(shape=[20, -3]), "arrays.rows.shape.1: "),
        (lambda m: rows_of(m).update(shape=[20, 10**30]), "arrays.rows.shape.1: "),
        (lambda m: rows_of(m).update(shape="20"), "arrays.rows.shape: "),
        (lambda m: rows_of(m).update(shape=[20, 2**60]), "has changed since"),
        (lambda m: rows_of(m).update(dtype="O"), "arrays.rows.dtype: it is not a"),
        (lambda m: rows_of(m).update(dtype="f8,("), "arrays.rows.dtype: it is not a"),
        (lambda m: rows_of(m).update(dtype="<f7"), "arrays.rows.dtype: it is not a"),
        (lambda m: rows_of(m).update(dtype="<U99999999"), "must hold real numbers"),
        (lambda m: rows_of(m).update(dtype="<c8"), "rows must hold real numbers"),
        (lambda m: rows_of(m).update(dtype="<i8"), "shape (20, 3) and dtype int64"),
        (lambda m: rows_of(m).update(dtype="<f4"), "dtype float32 of its manifest"),
        (lambda m: rows_of(m).update(shards=[]), "arrays.rows.shards: List should"),
        (lambda m: rows_of(m).pop("shards"), "arrays.rows.shards: Field required"),
        (lambda m: shard_of(m).pop("sha256"), "arrays.rows.shards.0.sha256: Field"),
        (lambda m: shard_of(m).update(sha256="0" * 64), "has changed since"),
        (lambda m: shard_of(m).update(rows="20"), "arrays.rows.shards.0.rows: "),
        (lambda m: shard_of(m).update(file="../../x.npy"), "rows.shards.0.file: "),
        (lambda m: shard_of(m).update(file="gone.npy"), "gone.npy is missing"),
        (lambda m: m["arrays"]["ids"].update(dtype="<U0"), "arrays.ids.dtype: it is"),
        (lambda m: m["arrays"]["ids"].update(dtype="<f8"), "ids must hold whole"),
        (lambda m: m.update(schema=3), "has schema 3, but this version reads schema 2"),
    ],
)
def test_invalid_manifest_with_valid_checksum_is_refused(
    store: Store, change, message: str
) -> None:
    element = store.put(Representation("a", random_rows(), ids=np.arange(20)))
    rewrite(store.elements / element, change)
    np.save(store.path / "x.npy", random_rows())
    with pytest.raises(InvalidInput) as error:
        store.get(element).load()
    assert message in str(error.value)
    assert element in str(error.value)
    assert str(error.value).isprintable()
    assert len(store.verify()) == 1


def test_invalid_commit_is_refused_and_store_stays_readable(store: Store) -> None:
    kept = store.put(Representation("kept", random_rows()))
    x, labels = random_rows(6, 2), np.arange(6)
    wrong = [
        ("points", {}),
        ("points", {"labels": labels}),
        ("points", {"rows": x, "labels": labels}),
        ("points", {"rows": x[:, 0]}),
        ("points", {"rows": x[:, :0]}),
        ("points", {"rows": x.astype(str)}),
        ("points", {"rows": x + 1j}),
        ("points", {"rows": x, "ids": labels[:5]}),
        ("points", {"rows": x, "ids": labels // 2}),  # repeated ids
        ("points", {"rows": x, "ids": labels / 2}),
        ("points", {"rows": x, "blocks": x}),
        ("outputs", {"rows": x}),
        ("outputs", {"labels": labels, "targets": labels[:5]}),
        ("outputs", {"labels": labels, "log_probs": np.abs(x)}),
        ("softmax", {"embeddings": x}),
        ("softmax", {"embeddings": x, "unembeddings": random_rows(4, 3)}),
        ("pictures", {"rows": x}),
    ]
    for domain, arrays in wrong:
        with store.writer("wrong") as writer:
            for name, array in arrays.items():
                writer.append(array, name)
            with pytest.raises(InvalidInput):
                writer.commit(domain)
        assert store.ids() == [kept]
        assert store.leftovers() == []
    for value in (object(), np.nan):
        with store.writer("wrong", meta={"x": value}) as writer:
            writer.append(x)
            with pytest.raises(InvalidInput, match="must be JSON"):
                writer.commit()
    for name in ("", "a\nb"):
        with store.writer(name) as writer:
            writer.append(x)
            with pytest.raises(InvalidInput, match="a line of text"):
                writer.commit()
    assert [rep.name for rep in store.select()] == ["kept"]
    assert store.verify() == []


def test_paths_are_not_accepted_as_element_ids(store: Store) -> None:
    element = store.put(Representation("a", random_rows()))
    for path in (f"../elements/{element}", f"{element}/", ".", "..", "", "/"):
        with pytest.raises(InvalidInput, match="there is no element"):
            store.remove(path)
    assert store.ids() == [element]


def test_stored_outputs_can_be_loaded(store: Store) -> None:
    store.put(Representation("o", Outputs(labels=np.arange(6) % 2)))
    assert store.get(store.ids()[0]).load().n == 6
