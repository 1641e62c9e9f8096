"""A stitching table as text."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..._base._printable import shortened, wrapped
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
    return "\n".join(_wrapped(line, width) for line in lines)


def _wrapped(line: str, width: int) -> str:
    """Wrap sentences; lines of tables are short enough."""
    if len(line) <= width:
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    deeper = f"{indent}  " if indent else ""
    return wrapped(line, width, later=deeper)


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
    left = min(24, max(map(len, [*encoders, "encoder"])))
    room = max(8, min(18, max(map(len, decoders))))
    fit = max(1, (width - left - 2) // (room + 1))
    lines = []
    for start in range(0, len(decoders), fit):
        shown = decoders[start : start + fit]
        lines.append(f"  {'':{left}} {'decoder':>{room}}")
        heads = "".join(f" {shortened(d, room):>{room}}" for d in shown)
        lines.append(f"  {'encoder':{left}}{heads}")
        for encoder in encoders:
            cells = ""
            for decoder in shown:
                mean = means.get((encoder, decoder))
                number = _number(mean) if (encoder, decoder) in tested else ""
                home = homes[decoder] == encoder
                cells += f" {f'[{number}]' if home else f'{number} ':>{room}}"
            lines.append(f"  {shortened(encoder, left):{left}}{cells}".rstrip())
    return lines


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
    names = max(len("transform"), *map(len, table.transforms))
    column = min(24, names)
    if len(found) > MOST_DIFFERENCES:
        lines.append(f"  {'transform':{column}} {'pairs':>6} {'mean':>7} {'worst':>7}")
        for transform in table.transforms:
            means = [d.mean for d in found if d.transform == transform]
            if means:
                mean = sum(means) / len(means)
                numbers = f"{len(means):>6} {_signed(mean)} {_signed(min(means))}"
                lines.append(f"  {shortened(transform, column):{column}} {numbers}")
        option = either(python="differences()", shell="--json")
        return [*lines, f"  {option} lists all pairs."]
    over = "test rows" if found[0].over == "samples" else "seeds"
    lines[-1] += f" 95 % CI over {over}."
    pair = min(
        width - column - 28, max(len(f"{d.encoder} -> {d.decoder}") for d in found)
    )
    pair = max(pair, len("encoder -> decoder"))
    head = f"  {'transform':{column}} {'encoder -> decoder':{pair}}"
    lines.append(f"{head} {'mean':>7} {'low':>7} {'high':>7}")
    order = {name: i for i, name in enumerate(table.transforms)}
    for d in sorted(found, key=lambda d: order[d.transform]):
        where = shortened(f"{d.encoder} -> {d.decoder}", pair)
        numbers = " ".join(_signed(v) for v in (d.mean, d.low, d.high))
        lines.append(
            f"  {shortened(d.transform, column):{column}} {where:{pair}} {numbers}"
        )
    return lines


def _baselines(table: "StitchingTable") -> list[str]:
    """Means over stitched cells of the networks and of their twins."""
    if not table.baselines or "accuracy" not in table.metrics:
        return []
    tables = {"networks": table, **table.baselines}
    column = min(24, max(len("transform"), *map(len, table.transforms)))
    heads = "".join(f"  {shortened(name, 20):>20}" for name in tables)
    lines = [
        "",
        "Baselines: mean accuracy of stitched encoders, and at home in brackets. "
        "Untrained twins are stitched with each other; other twins with the decoder of "
        "their network.",
        f"  {'transform':{column}}{heads}",
    ]
    means = {name: each.overall() for name, each in tables.items()}
    for transform in table.transforms:
        cells = ""
        for by_transform in means.values():
            found = by_transform.get(transform, {})
            stitched, own = (_number(found.get(kind)) for kind in ("stitched", "own"))
            cells += f"  {f'{stitched} [{own}]':>20}"
        lines.append(f"  {shortened(transform, column):{column}}{cells}")
    return lines


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


def _signed(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:>+z7.2f}"
