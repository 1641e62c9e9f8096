"""A stitching table as text."""

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._results import StitchingTable

SHOWN = {"accuracy": "accuracy %", "mae": "MAE x 100"}  # F1 is in the JSON
_FIELDS = ("encoder", "decoder", "seed")


def text(table: "StitchingTable") -> str:
    """Format means over seeds by encoder and decoder, and differences to absolute."""
    counts = [len({getattr(c, f) for c in table.cells}) for f in _FIELDS]
    rows = " or ".join(map(str, sorted({len(t) for t in table.targets.values()})))
    lines = [
        f"{counts[0]} encoders, {counts[1]} decoders, {rows} test rows, seeds: "
        f"{counts[2]}"
    ]
    for metric in (m for m in table.metrics if m in SHOWN):
        for transform in table.transforms:
            lines += ["", f"{transform}: {SHOWN[metric]}"]
            lines += _grid(table, transform, metric)
    lines += _differences(table)
    undefined = [c for c in table.cells if c.status != "ok"]
    if undefined:
        reason = undefined[0].reason
        note = f"-: {len(undefined)} cells are undefined. First reason: {reason}"
        lines += ["", textwrap.fill(note, 80)]
    for note in table.notes:
        lines += ["", textwrap.fill(f"Note: {note}", 80)]
    return "\n".join(lines)


def _grid(table: "StitchingTable", transform: str, metric: Any) -> list[str]:
    encoders = list(dict.fromkeys(c.encoder for c in table.cells))
    decoders = list(dict.fromkeys(c.decoder for c in table.cells))
    means = {
        (s.encoder, s.decoder): s.mean
        for s in table.summary(metric)
        if s.transform == transform
    }
    left = min(18, max(map(len, [*encoders, "encoder"])))
    room = max(6, min(14, (80 - left) // len(decoders) - 1))
    fit = max(1, (80 - left) // (room + 1))
    lines = []
    for start in range(0, len(decoders), fit):
        shown = decoders[start : start + fit]
        lines.append(
            f"{'encoder':{left}}" + "".join(f" {_cut(d, room):>{room}}" for d in shown)
        )
        for encoder in encoders:
            cells = [means.get((encoder, d)) for d in shown]
            numbers = "".join(
                f" {'-' if v is None else format(v, '.2f'):>{room}}" for v in cells
            )
            lines.append(f"{_cut(encoder, left):{left}}{numbers}")
    return lines


def _cut(name: str, room: int) -> str:
    """Shorten a long name in its middle, because names often differ at the ends."""
    if len(name) <= room:
        return name
    tail = room // 2
    return f"{name[: room - tail - 1]}~{name[-tail:]}"


def _differences(table: "StitchingTable") -> list[str]:
    """Format paired differences to absolute rows, for stitched cells only."""
    width = min(24, max(len("transform"), *map(len, table.transforms)))
    lines = [
        "Stitched cells: accuracy minus that of absolute rows, 95 % CI over test rows",
        f"{'encoder -> decoder':30} {'transform':{width}} {'mean':>7} {'low':>7} "
        f"{'high':>7}",
    ]
    found = table.differences("absolute", over="samples")
    for d in sorted(found, key=lambda d: (d.encoder, d.decoder)):
        (cell, *_) = table.where(encoder=d.encoder, decoder=d.decoder)
        if cell.stitched:
            pair = _cut(f"{d.encoder} -> {d.decoder}", 30)
            numbers = "".join(f" {_signed(v)}" for v in (d.mean, d.low, d.high))
            lines.append(f"{pair:30} {_cut(d.transform, width):{width}}{numbers}")
    return ["", *lines] if len(lines) > 2 else []


def _signed(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:>+7.2f}"
