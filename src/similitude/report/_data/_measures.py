"""Facts about the measures of the results, for the page."""

import math
from typing import Any

from ...engine import Results
from ...engine.text import claimed_range

FUNCTIONAL = ("outputs", "softmax")  # domains of measures of the networks' outputs


def measures_of(results: Results) -> list[dict[str, Any]]:
    """Label, kind, interpretation, range and domain of each measure."""
    domains = {rep.name: rep.domain for rep in results.representations}
    found = []
    for label in results.measures:
        rows = [row for row in results.rows if row.label == label]
        first = rows[0]
        pairs = {(row.a, row.b) for row in rows}
        low, high = claimed_range(rows, label)
        found.append(
            {
                "label": label,
                "kind": first.kind,
                "reading": first.reading,
                "low": low if math.isfinite(low) else None,
                "high": high if math.isfinite(high) else None,
                "functional": domains.get(first.a) in FUNCTIONAL,
                "directed": any((b, a) in pairs for a, b in pairs),
            }
        )
    return found
