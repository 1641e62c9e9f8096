"""Reads each specimen as JSON values: what a user gets from the files."""

import csv
import hashlib
import json
import math
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

import similitude as sim
from old_files import commands
from old_files.commands import COMPARED, EXTRACTED, HERE, LATENT, said

Values = Any


def plain(value: Any) -> Values:
    """Arrays as lists; JSON writes floats with all digits."""
    if isinstance(value, torch.Tensor):
        value = value.detach().numpy()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def brief(array: Any) -> Values:
    """Long arrays as their first rows, their sum, and a hash of all values."""
    if array is None or np.size(array) <= 16:
        return plain(array)
    array = np.ascontiguousarray(array)
    about = f"{array.dtype} {array.shape} ".encode()
    digest = hashlib.sha256(about + array.tobytes()).hexdigest()
    found = {"first": plain(array[:3]), "sha256": digest}
    numbers = array.dtype.kind in "iuf"
    return found | ({"sum": math.fsum(array.ravel())} if numbers else {})


def table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows, and once what is the same in all of them."""
    same = {
        key: value
        for key, value in rows[0].items()
        if all(key in row and row[key] == value for row in rows)
    }
    rest = [{k: v for k, v in row.items() if k not in same} for row in rows]
    return {"same": same, "rows": rest}


def whole_rows(found: Values) -> Values:
    """Undo `table`, at any depth."""
    if isinstance(found, dict):
        if found.keys() == {"same", "rows"}:
            return [whole_rows(found["same"] | row) for row in found["rows"]]
        return {key: whole_rows(value) for key, value in found.items()}
    return [whole_rows(each) for each in found] if isinstance(found, list) else found


def representations(reps: Iterable[sim.Representation]) -> Values:
    names = ("name", "model", "layer", "step", "baseline", "twin_of", "n", "d")
    found = []
    for rep in sorted(reps, key=lambda rep: (rep.name, rep.step or 0, rep.sha256)):
        values = rep.load()
        if rep.domain == "outputs":
            parts = {k: getattr(values, k) for k in ("labels", "log_probs", "targets")}
        elif rep.domain == "softmax":
            parts = {k: getattr(values, k) for k in ("embeddings", "unembeddings")}
        else:
            parts = {"rows": values}
        about = {name: getattr(rep, name) for name in names}
        about |= {"domain": rep.domain, "sha256": rep.sha256}
        about |= {"fields": plain(dict(rep.fields))}
        about |= {"ids": brief(rep.ids), "blocks": brief(rep.blocks)}
        about["dtype"] = str(parts.get("rows", np.empty(0)).dtype)
        found.append(about | {name: brief(part) for name, part in parts.items()})
    return found


def store(name: str) -> Values:
    """The elements, verified; twins of baselines too."""
    said("store", "verify", name)
    opened = sim.store.open_store(name)
    return representations(map(opened.get, opened.ids()))


def shown(name: str) -> Values:
    return json.loads(said("show", name, "--json"))


def results(name: str) -> Values:
    found = shown(name)
    loaded = sim.Results.load(name)
    barcodes = {
        row.a + " - " + row.b: plain(loaded.barcodes(row))
        for row in loaded.rows
        if row.barcodes is not None
    }
    for part in ("within", "between"):
        if (Path(name) / part).is_dir():
            found[part] = shown(f"{name}/{part}")
    return found | ({"barcodes": barcodes} if barcodes else {})


def saved_map(name: str) -> Values:
    fitted = commands.load_map(name)
    x = np.load("inputs/old.npy" if name == "migrate" else "inputs/a.npy")[:8]
    arrays = {k: v for k, v in vars(fitted).items() if isinstance(v, np.ndarray)}
    facts = commands.load_facts(name)
    return plain({"kind": fitted.kind, "arrays": arrays, "facts": facts, "n": len(x)})


def saved_relative(name: str) -> Values:
    fitted = commands.load_relative(name)
    return plain({"transform": fitted.transform.to_json(), "state": fitted.state})


def relative_rows(name: str) -> Values:
    return representations(sim.load(name))


def unfinished_map() -> Values:
    """The finished blocks; `test_old_files.py` continues them."""
    folder = Path(".mapped.npy.parts")
    manifest = sim.store.read_sealed_json(folder / "parts.json", "write it again")
    blocks = {name: np.load(folder / name) for name in manifest["files"]}
    return plain(manifest | {"blocks": blocks})


def tuned() -> Values:
    network = commands.relative_network()
    commands.load_weights(network, "tuning/weights.safetensors")
    return plain(network.state_dict())


def cached_data() -> Values:
    with sim.config(cache_dir=Path("cache")):
        said("data", "verify", "mnist")
        found = {
            s: sim.networks.data.load_dataset("mnist", split=s)
            for s in ("train", "test")
        }
    return {
        split: {
            "fingerprint": data.fingerprint,
            "shape": list(data.inputs.shape),
            "labels": plain(data.labels),
            "sums": plain(data.inputs.reshape(len(data), -1).sum(axis=1)),
        }
        for split, data in found.items()
    }


def closeness(folder: Path = Path("lab/closeness")) -> Values:
    """Weights, losses, and the rows that `closeness` measured."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("checkpoints/*.safetensors")):
        if "optimizer" not in path.name:
            state = commands.load_model(path).state_dict()
            found[path.name] = {k: brief(v.numpy()) for k, v in state.items()}
    for path in sorted(folder.glob("metrics/*.json")):
        found[path.name] = json.loads(path.read_text())
    return found


def closeness_rows() -> Values:
    """Rows of finished measurements, which are not computed again."""
    folder, found = Path("lab/closeness"), {}
    for kind in ("accuracies", "distances"):
        with tempfile.TemporaryDirectory() as other:
            written = Path(other) / "rows.csv"
            commands.measure_closeness(folder, kind, written)
            with written.open(newline="") as file:
                found[kind] = list(csv.DictReader(file))
    return found


def images() -> Values:
    def fail(*_: object) -> None:
        raise AssertionError("a step was repeated")

    trained = commands.train_small_images(Path("lab/images"), fail)
    weights = trained.network().state_dict()
    sums = {k: float(v.double().sum()) for k, v in weights.items()}
    return {"log": [record.model_dump() for record in trained.log], "sums": sums}


def study(folder: str = "lab/study") -> Values:
    (record,) = commands.read_records(folder)
    found = plain(asdict(record) | {"folder": str(record.folder)})
    return json.loads(json.dumps(found))


def study_parts() -> Values:
    """The finished parts of a study."""

    def fail() -> Any:
        raise AssertionError("a part was computed again")

    paths = sorted(Path("lab/study-unfinished").rglob("parts/*/*.npz"))
    return {p.stem: plain(commands.Parts(p.parent).keep(p.stem, fail)) for p in paths}


READ: dict[str, Callable[[], Values]] = {
    **{
        name: lambda name=name: store(name)
        for name in (
            *EXTRACTED,
            *("store-steps", "store-files", "store-domains", "store-unfinished"),
            *("golden", "monitor", "relative-store"),
        )
    },
    **{
        name: lambda name=name: results(name)
        for name in (*COMPARED, "results-shards", "results-unfinished")
    },
    **{name: lambda name=name: saved_map(name) for name in LATENT if "map" in name},
    "stitching": lambda: shown("stitching"),
    "migrate": lambda: saved_map("migrate"),
    "relative-fit": lambda: saved_relative("relative-fit"),
    "relative-product": lambda: saved_relative("relative-product"),
    "relative.safetensors": lambda: relative_rows("relative.safetensors"),
    ".mapped.npy.parts": unfinished_map,
    "tuning": tuned,
    "cache": cached_data,
    "lab/closeness": closeness,
    "lab/closeness/results": closeness_rows,
    "lab/images": images,
    "lab/study": study,
    "lab/study-unfinished": study_parts,
}


def recorded() -> dict[str, Values]:
    """The values that 0.1.0 read, by specimen."""
    return {
        path.stem.replace("--", "/"): whole_rows(json.loads(path.read_text()))
        for path in sorted((HERE / "values").glob("*.json"))
    }


def shortened(found: Values) -> Values:
    """Tables in place of lists of rows."""
    if isinstance(found, dict):
        return {key: shortened(value) for key, value in found.items()}
    if isinstance(found, list) and len(found) > 1:
        if all(isinstance(each, dict) for each in found):
            return table(found)
    return found


def write_values(name: str, found: Values) -> None:
    path = HERE / "values" / f"{name.replace('/', '--')}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines(shortened(found))) + "\n")


def lines(found: Values) -> list[str]:
    """JSON text with one line per short value and per row of a table."""
    text = json.dumps(found)
    if len(text) < 90 or not isinstance(found, dict | list):
        return [text]
    if isinstance(found, list) and not isinstance(found[0], dict):
        return [text]
    pairs = found.items() if isinstance(found, dict) else enumerate(found)
    parts = []
    for key, value in pairs:
        first, *rest = lines(value) if isinstance(found, dict) else [json.dumps(value)]
        name = f"{json.dumps(key)}: " if isinstance(found, dict) else ""
        parts.append("\n".join([name + first, *rest]))
    body = ",\n".join(parts).splitlines()
    begin, end = "{}" if isinstance(found, dict) else "[]"
    return [begin, *(f" {line}" for line in body), end]
