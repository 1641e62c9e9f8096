"""The last section: settings, versions, origins of the representations, citations."""

import json
from typing import Any

from ... import __version__
from ...engine import Folder, Results
from .._data._items import shown

MOST_LISTED = 200  # representations in the table of origins


def provenance(results: Results) -> dict[str, Any]:
    """Settings and origins, as the results hold them."""
    rows = results.rows
    first = {row.label: row for row in reversed(rows)}
    versions = _versions(results)
    return {
        "version": __version__,
        "computed": sorted({row.version for row in rows}),
        "measures": [
            {
                "label": shown(label),
                "options": shown(json.dumps(first[label].options, default=str)),
                "version": versions.get(label, ""),
                "permutations": _values(results, label, "permutations"),
                "p": _values(results, label, "p_method"),
                "interval": _values(results, label, "interval_method"),
                "seed": _values(results, label, "seed"),
            }
            for label in results.measures
        ],
        "origins": [
            {
                "name": shown(rep.name),
                "path": "" if rep.path is None else shown(rep.path),
                "shape": " x ".join(f"{size:,}" for size in rep.shape or ()),
                "dtype": shown(rep.dtype or ""),
                "sha256": shown(rep.sha256)[:12],
            }
            for rep in results.representations[:MOST_LISTED]
        ],
        "more": max(0, len(results.representations) - MOST_LISTED),
        "bibtex": results.cite() if rows else "",
    }


def _versions(results: Results) -> dict[str, str]:
    """The version of each measure in the last run of a folder."""
    if results.path is None or not (results.path / "run.json").exists():
        return {}
    return {
        entry.label: shown(entry.version)
        for entry in Folder(results.path).run().measures
    }


def _values(results: Results, label: str, field: str) -> str:
    """The distinct values of a field over the rows of a measure."""
    found = dict.fromkeys(
        getattr(row, field) for row in results.rows if row.label == label
    )
    texts = [shown(value) for value in found if value is not None]
    return ", ".join(texts) or "-"
