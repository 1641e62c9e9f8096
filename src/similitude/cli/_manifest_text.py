"""The manifest of an element as lines for people."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._base._printable import printable, wrapped
from .._base._table import Column, table

WIDTH, LABEL = 80, 15
SCREEN = 40  # lines


def described(element: str, manifest: Mapping[str, Any]) -> str:
    """The id, and one line per fact; long facts are wrapped."""
    lines = [element]
    for label, text in _facts(manifest):
        start = f"  {label:<{LABEL - 1}} "
        lines.append(wrapped(printable(text, 2000), WIDTH, start) or start)
    return "\n".join(lines)


def summarized(manifests: Mapping[str, Mapping[str, Any]]) -> str:
    """One line per model: its layers, sizes, reducers and twins."""
    models: dict[str, list[Mapping[str, Any]]] = {}
    for manifest in manifests.values():
        models.setdefault(manifest.get("model") or manifest["name"], []).append(
            manifest
        )
    lines: list[tuple[str, ...]]
    lines = [("model", "layers", "rows", "units", "reducer", "twins")]
    for model, found in models.items():
        mains = [m for m in found if m.get("baseline") is None] or found
        rows, units = zip(*map(_shape, mains), strict=True)
        reducers = [m["extraction"]["reducer"]["name"] for m in mains if _extracted(m)]
        twins = [m["baseline"] for m in found if m.get("baseline") is not None]
        cells = ([m.get("layer") or "-" for m in mains], rows, units, reducers, twins)
        lines.append((printable(model), *map(_span, cells)))
    columns = [Column(head, of, left=True) for head, *of in zip(*lines, strict=True)]
    shown = table(columns)
    if len(shown) > SCREEN:
        more = len(shown) - SCREEN + 5
        shown[-more:] = [f"... and {more:,} more models"]
    return "\n".join(shown)


def _span(values: Sequence[str]) -> str:
    """The different values; of more than three, the first and the last."""
    texts = [printable(text) for text in dict.fromkeys(values)]
    if len(texts) > 3:
        return f"{texts[0]} ... {texts[-1]} ({len(texts)})"
    return ", ".join(texts)


def _shape(manifest: Mapping[str, Any]) -> tuple[str, str]:
    """Rows and columns; outputs and softmax models have other arrays."""
    arrays = manifest["arrays"]
    shape = (arrays.get("rows") or next(iter(arrays.values())))["shape"]
    return f"{shape[0]:,}", " x ".join(f"{size:,}" for size in shape[1:]) or "1"


def _extracted(manifest: Mapping[str, Any]) -> bool:
    return manifest.get("extraction") is not None


def _facts(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "name", manifest["name"]
    for key in ("model", "layer", "step", "baseline", "twin_of"):
        if manifest.get(key) is not None:
            yield key.replace("_", " "), repr(manifest[key])
    for name, entry in sorted(manifest["arrays"].items()):
        shape = " x ".join(f"{size:,}" for size in entry["shape"])
        shards = len(entry["shards"])
        files = "1 file" if shards == 1 else f"{shards} files"
        yield name, f"{shape} {entry['dtype']}, {files}"
    if _extracted(manifest):
        yield from _extraction(manifest["extraction"], manifest.get("meta", {}))
    elif manifest.get("meta"):
        yield "meta", json.dumps(manifest["meta"])
    yield "content", f"sha256 {manifest['content'][:16]}..."


def _extraction(fields: Mapping[str, Any], meta: Mapping[str, Any]) -> Iterator:
    yield "class", f"{fields['model_class']} in {fields['model_dtype']}"
    yield "weights", f"sha256 {fields['state_dict_sha256'][:16]}..."
    calls = meta.get("calls", 1)
    if calls > 1:
        yield "call", f"{fields['layer']['call']} of {calls} in a forward pass"
    if meta.get("aliases"):
        yield "other names", ", ".join(meta["aliases"])
    if meta.get("sample_shape"):
        yield "output", " x ".join(map(str, meta["sample_shape"])) + " per sample"
    yield "reducer", _with_options(fields["reducer"])
    yield "preprocessing", _with_options(fields["preprocessing"])
    yield "data", f"sha256 {fields['data_fingerprint'][:16]}..."
    batches = fields["batches"]
    count = len(batches["boundaries"]) - 1
    rows = f"{batches['boundaries'][-1]:,} rows"
    yield "batches", f"{count:,} of at most {batches['size']:,} rows, {rows} together"
    yield "versions", ", ".join(f"{k} {v}" for k, v in fields["versions"].items())


def _with_options(record: Mapping[str, Any]) -> str:
    options = ", ".join(f"{k}={json.dumps(v)}" for k, v in record["options"].items())
    return f"{record['name']}({options})" if options else record["name"]
