"""Stored barcodes of topological measures, for the page."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine import Results, Row
from ...errors import InvalidInput
from ._columns import singles

MOST_BYTES = 3_000_000  # of all bars; the bars of later pairs are left out


def topology_of(results: Results) -> dict[str, Any]:
    """The parts and the bars of each row that has them, and how many are left out."""
    found: dict[str, Any] = {}
    room, left_out, damaged = MOST_BYTES, 0, 0
    for place, row in enumerate(results.rows):
        parts = _parts(row.details)
        if not parts:
            continue
        try:
            bars = results.barcodes(row)
        except InvalidInput:
            bars, damaged = {}, damaged + 1
        size = sum(8 * len(one) for one in bars.values())
        if size > room:
            bars, left_out = {}, left_out + 1
        room -= size if bars else 0
        found[str(place)] = parts | {"bars": _encoded(bars), "batch": _batch(row)}
    return {"rows": found, "left_out": left_out, "damaged": damaged}


def _parts(details: Mapping[str, Any]) -> dict[str, float]:
    """The length of all bars from spanning trees and from loops, and per direction."""
    names = ("mst_part", "loop_part", "x_to_y", "y_to_x")
    found = {name: details[name] for name in names if _is_number(details.get(name))}
    return found if "mst_part" in found else {}


def _batch(row: Row) -> list[int]:
    """The points of a batch, and the number of batches; bars are of the first one."""
    counts = [row.details.get(name, 0) for name in ("batch", "batches")]
    return [count if isinstance(count, int) else 0 for count in counts]


def _encoded(bars: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Births and deaths in turn, from the longest bar to the shortest."""
    found = {}
    for direction, pairs in bars.items():
        order = np.argsort(pairs[:, 0] - pairs[:, 1], kind="stable")
        found[direction] = singles(pairs[order])
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and bool(np.isfinite(value))
