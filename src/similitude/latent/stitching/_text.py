"""A stitching table as text."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..._base import _table
from ..._base._printable import shortened, wrapped_lines
from ...errors import either

if TYPE_CHECKING:
    from ._results import StitchingTable

SHOWN = {"accuracy": "Accuracy in %", "mae": "Mean absolute error x 100"}  # F1: JSON
CONSTANT = {"accuracy": "the most frequent class", "mae": "the median"}
MOST_DIFFERENCES = 24  # more are summarized


def text(table: "StitchingTable", width: int = 80) -> str:
    """Format means over seeds by encoder and decoder, and differences to home."""
    encoders = table.encoders
    decoders = _names(table, "decoder")
    rows = " or ".join(map(str, sorted({len(t) for t in table.targets.values()})))
    anchors = "" if table.anchors is None else f", {table.anchors} anchors"
    lines = [
        f"{len(encoders)} encoders, {len(decoders)} decoders, {rows} test rows"
        f"{anchors}, seeds: {len(_names(table, 'seed'))}",
        "",
        "Each decoder is trained on the rows of its own encoder (its home, in "
        "brackets) and tested on the rows of every encoder, without further training.",
    ]
    tested = {(c.encoder, c.decoder) for c in table.cells}
    if len(tested) < len(encoders) * len(decoders):
        lines.append("Pairs that were not stitched, as layers of one model, are empty.")
    for metric in (m for m in table.metrics if m in SHOWN):
        lines += [
            "",
            f"{SHOWN[metric]}, mean over seeds. Chance (always {CONSTANT[metric]}): "
            f"{table.chance(metric):.2f}",
        ]
        for transform in table.transforms:
            words = table.approaches.get(transform)
            lines += ["", f"{transform}: {words}" if words else transform]
            lines += _grid(table, transform, metric, width)
    lines += _baselines(table)
    lines += _differences(table, width)
    lines += _undefined(table)
    for note in table.notes:
        lines += ["", f"Note: {note}"]
    return "\n".join(wrapped_lines(lines, width))


def _names(table: "StitchingTable", field: str) -> list[Any]:
    return list(dict.fromkeys(getattr(c, field) for c in table.cells))


def _grid(
    table: "StitchingTable", transform: str, metric: Any, width: int
) -> list[str]:
    """Encoders in rows, decoders in columns; more columns than fit are continued."""
    encoders, decoders = table.encoders, _names(table, "decoder")
    homes = {c.decoder: c.home for c in table.cells}
    tested = {(c.encoder, c.decoder) for c in table.cells}
    means = {
        (s.encoder, s.decoder): s.mean
        for s in table.summary(metric)
        if s.transform == transform
    }
    columns = [_left("encoder", encoders)]
    for decoder in decoders:
        cells = []
        for encoder in encoders:
            home = homes[decoder] == encoder
            number = _number(means.get((encoder, decoder)))
            shown = f"[{number}]" if home else f"{number} "
            cells.append(shown if (encoder, decoder) in tested else "")
        columns.append(_table.Column(shortened(decoder, 18), cells, least=8))
    head = f"  {'':{columns[0].width}} {'decoder':>{columns[1].width}}"
    return [
        head,
        *_indented(_table.table(columns, width - 2, gap=" ", between=[head[2:]])),
    ]


def _left(heading: str, names: Sequence[str], longest: int = 24) -> _table.Column:
    return _table.Column(
        heading, [shortened(name, longest) for name in names], left=True
    )


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _differences(table: "StitchingTable", width: int) -> list[str]:
    """Format paired differences to the decoder at home, or their means if many."""
    if "accuracy" not in table.metrics:
        return []
    found = table.differences(over="samples") or table.differences(over="seeds")
    if not found:
        return []
    lines = [
        "",
        "Cost of stitching: accuracy minus that of the same decoder at home, through "
        "the same transform.",
    ]
    if len(found) > MOST_DIFFERENCES:
        means = {
            t: [d.mean for d in found if d.transform == t] for t in table.transforms
        }
        means = {name: values for name, values in means.items() if values}
        columns = [
            _left("transform", list(means)),
            _table.Column(
                "pairs", [str(len(values)) for values in means.values()], least=6
            ),
            _signed("mean", [sum(values) / len(values) for values in means.values()]),
            _signed("worst", [min(values) for values in means.values()]),
        ]
        option = either(python="differences()", shell="--json")
        shown = _indented(_table.table(columns, gap=" "))
        return [*lines, *shown, f"  {option} lists all pairs."]
    over = "test rows" if found[0].over == "samples" else "seeds"
    lines[-1] += f" 95 % CI over {over}."
    order = {name: i for i, name in enumerate(table.transforms)}
    found = sorted(found, key=lambda d: order[d.transform])
    first = _left("transform", [d.transform for d in found])
    pairs = [f"{d.encoder} -> {d.decoder}" for d in found]
    longest = max(width - first.width - 28, len("encoder -> decoder"))
    columns = [
        first,
        _left("encoder -> decoder", pairs, longest),
        _signed("mean", [d.mean for d in found]),
        _signed("low", [d.low for d in found]),
        _signed("high", [d.high for d in found]),
    ]
    return [*lines, *_indented(_table.table(columns, gap=" "))]


def _baselines(table: "StitchingTable") -> list[str]:
    """Means over stitched cells of the networks and of their twins."""
    if not table.baselines or "accuracy" not in table.metrics:
        return []
    tables = {"networks": table, **table.baselines}
    columns = [_left("transform", table.transforms)]
    for name, each in tables.items():
        means = each.overall()
        cells = []
        for transform in table.transforms:
            found = means.get(transform, {})
            cells.append(
                f"{_number(found.get('stitched'))} [{_number(found.get('own'))}]"
            )
        columns.append(_table.Column(shortened(name, 20), cells, least=20))
    return [
        "",
        "Baselines: mean accuracy of stitched encoders, and at home in brackets. "
        "Untrained twins are stitched with each other; other twins with the decoder of "
        "their network.",
        *_indented(_table.table(columns)),
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _undefined(table: "StitchingTable") -> list[str]:
    """One line per reason, with the transforms and the number of cells."""
    every = [c for t in (table, *table.baselines.values()) for c in t.cells]
    cells = [c for c in every if c.status != "ok"]
    if not cells:
        return []
    by_reason = Counter(c.reason for c in cells)
    lines = ["", f"-: {len(cells)} of {len(every)} cells have no score:"]
    for reason, count in by_reason.most_common():
        where = [c for c in cells if c.reason == reason]
        names = ", ".join(dict.fromkeys(c.transform for c in where))
        pairs = list(dict.fromkeys(f"{c.encoder} -> {c.decoder}" for c in where))
        more = f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else ""
        lines.append(f"  {count} x {names} ({', '.join(pairs[:3])}{more}): {reason}")
    return lines


def _signed(heading: str, values: Sequence[float | None]) -> _table.Column:
    cells = ["-" if value is None else f"{value:+z.2f}" for value in values]
    return _table.Column(heading, cells, least=7)
