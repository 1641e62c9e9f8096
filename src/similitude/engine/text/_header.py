"""The first lines of a table: the representations that are compared."""

from collections import Counter
from collections.abc import Sequence

from ..._base._printable import counted, printable, shortened, wrapped_lines
from ..._base._table import Column, table
from .._findings import reducers_of
from .._run_record import RepresentationRecord

_LISTED = 6  # lines for representations or models; more are summarized
_LONGEST_NAME = 40


def header(
    compared: Sequence[RepresentationRecord],
    twins: Sequence[RepresentationRecord],
    width: int,
) -> list[str]:
    """The number of stimuli, and the shape and dtype of each representation."""
    records = [record for record in compared if record.shape is not None]
    if not records:
        return []
    n = _span([record.shape[0] for record in records if record.shape], "row")
    beside = f", and {counted(len(twins), 'twin')}" if twins else ""
    lines = [f"{counted(len(records), 'representation')}{beside}; n = {n}"]
    if reducers := Counter(reducers_of(records).values()):
        texts = [f"{name} ({count:,})" for name, count in reducers.items()]
        lines[0] += f"; reducer: {', '.join(texts if len(texts) > 1 else reducers)}"
    models = _by_model(records)
    if 0 < len(models) <= _LISTED:
        lines += [f"  {_model(name, layers)}" for name, layers in models.items()]
    else:
        shown = records if len(records) <= _LISTED + 1 else records[:_LISTED]
        lines += _listed(shown)
        if rest := records[len(shown) :]:
            lines.append(f"  and {len(rest):,} more: {_shapes(rest)}")
    if all(_wide(record) for record in records):
        lines.append(
            "hint: every representation has more columns than rows. Rows must be "
            "stimuli and columns units; are the files transposed?"
        )
    return wrapped_lines(lines, width)


def _wide(record: RepresentationRecord) -> bool:
    shape = record.shape
    return shape is not None and record.domain == "points" and shape[1] > shape[0]


def _listed(records: Sequence[RepresentationRecord]) -> list[str]:
    columns = [
        Column("", [shortened(r.name, _LONGEST_NAME) for r in records], left=True),
        Column("", [_shape(r) for r in records]),
        Column("", [_dtypes([r]) for r in records], left=True),
    ]
    return [f"  {line}" for line in table(columns)]


def _by_model(
    records: Sequence[RepresentationRecord],
) -> dict[str, list[RepresentationRecord]]:
    """The layers of each model; empty if a representation does not have a model."""
    models: dict[str, list[RepresentationRecord]] = {}
    for record in records:
        models.setdefault(record.model or "", []).append(record)
    return {} if "" in models or len(models) == len(records) else models


def _model(name: str, layers: Sequence[RepresentationRecord]) -> str:
    start = f"{shortened(name, _LONGEST_NAME)}: "
    if len(layers) > _LISTED:
        return f"{start}{counted(len(layers), 'layer')}, {_shapes(layers)}"
    shapes = [f"{shortened(r.layer or r.name, 20)} {_shape(r)}" for r in layers]
    return f"{start}{', '.join(shapes)}; {_dtypes(layers)}"


def _shapes(records: Sequence[RepresentationRecord]) -> str:
    columns = _span([record.shape[1] for record in records if record.shape], "column")
    return f"{columns}, {_dtypes(records)}"


def _dtypes(records: Sequence[RepresentationRecord]) -> str:
    return ", ".join(dict.fromkeys(printable(str(r.dtype), 20) for r in records))


def _shape(record: RepresentationRecord) -> str:
    return " x ".join(f"{size:,}" for size in record.shape or ())


def _span(sizes: Sequence[int], unit: str) -> str:
    low, high = min(sizes), max(sizes)
    return counted(low, unit) if low == high else f"{low:,} to {counted(high, unit)}"
