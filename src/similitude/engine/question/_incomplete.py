"""Baselines that some pairs do not have, in words."""

from collections.abc import Sequence

from .._rows import Row
from .._run_record import RepresentationRecord
from ._baselines import Baseline

NO_TWIN = "no twin"  # in the note of each incomplete baseline
_NAMED = 5


def incomplete_baselines(
    rows: Sequence[Row],
    records: Sequence[RepresentationRecord],
    baselines: Sequence[Baseline],
) -> tuple[str, ...]:
    """A note for each baseline whose twins do not serve all pairs of these rows."""
    index = {record.name: i for i, record in enumerate(records)}
    pairs = {
        (index[row.a], index[row.b])
        for row in rows
        if row.baseline_of is None and row.a in index and row.b in index
    }
    found = []
    for baseline in baselines:
        compared = {i for pair in pairs for i in pair if i < len(baseline.twins)}
        without = [i for i in sorted(compared) if baseline.twins[i] is None]
        if not without:
            continue
        served = sum(bool(baseline.pairs(a, b)) for a, b in pairs)
        who = _named(without, [records[i] for i in sorted(compared)], records)
        verb = "have" if len(who) > 1 else "has"
        more = f" and {len(who) - _NAMED} more" if len(who) > _NAMED else ""
        found.append(
            f"{baseline.name}: {served:,} of {len(pairs):,} pairs; "
            f"{', '.join(who[:_NAMED])}{more} {verb} {NO_TWIN}."
        )
    return tuple(found)


def _named(
    without: Sequence[int],
    compared: Sequence[RepresentationRecord],
    records: Sequence[RepresentationRecord],
) -> list[str]:
    """Models without any twin, and other representations without one."""
    missing = {records[i].name for i in without}
    names = []
    for i in without:
        record = records[i]
        layers = [r.name for r in compared if r.model == record.model]
        alone = record.model is None or not missing.issuperset(layers)
        names.append(record.name if alone else str(record.model))
    return list(dict.fromkeys(names))
