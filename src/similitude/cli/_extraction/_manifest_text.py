"""The manifest of an element as lines for people."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ..._printable import printable

WIDTH, LABEL = 80, 15


def described(element: str, manifest: Mapping[str, Any]) -> str:
    """The id, and one line per fact; long facts are wrapped."""
    lines = [element]
    for label, text in _facts(manifest):
        wrapped = textwrap.wrap(printable(text, 2000), WIDTH - LABEL - 2) or [""]
        lines.append(f"  {label:<{LABEL - 1}} {wrapped[0]}")
        lines += [" " * (LABEL + 2) + line for line in wrapped[1:]]
    return "\n".join(lines)


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
    if manifest.get("extraction") is not None:
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
