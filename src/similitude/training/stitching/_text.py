"""A stitching table as text."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._results import StitchingTable

UNITS = {"accuracy": "accuracy %", "f1": "F1 %", "mae": "MAE x 100"}


def text(table: "StitchingTable") -> str:
    """Means of own and stitched cells, and what each transform adds to absolute."""
    width = max(map(len, table.transforms))
    seeds = sorted({c.seed for c in table.cells})
    lines = [
        f"{len({c.encoder for c in table.cells})} encoders x "
        f"{len({c.decoder for c in table.cells})} decoders x {len(seeds)} seeds"
    ]
    for metric in table.metrics:
        lines.append(f"{UNITS[metric]:{width}}      own  stitched  minus absolute")
        against = table.differences("absolute", metric=metric)
        for name, means in table.overall(metric).items():
            numbers = [_number(means[kind]) for kind in ("own", "stitched")]
            gaps = [d for d in against if d.transform == name and _stitched(table, d)]
            lines.append(f"  {name:{width}} {numbers[0]}    {numbers[1]}  {_gap(gaps)}")
    undefined = [c for c in table.cells if c.status != "ok"]
    if undefined:
        lines.append(f"{len(undefined)} cells undefined, e.g.: {undefined[0].reason}")
    return "\n".join(lines)


def _stitched(table: "StitchingTable", difference: object) -> bool:
    place = {k: getattr(difference, k) for k in ("encoder", "decoder", "transform")}
    return any(c.stitched for c in table.where(**place))


def _number(value: float | None) -> str:
    return f"{value:6.2f}" if value is not None else "     -"


def _gap(gaps: list) -> str:
    """Mean over cells, and how many cells' intervals exclude 0 on either side."""
    if not gaps:
        return ""
    mean = np.mean([g.mean for g in gaps])
    known = [g for g in gaps if g.low is not None]
    if not known:
        return f"{mean:+6.2f}  (one seed: no intervals)"
    above, below = sum(g.low > 0 for g in known), sum(g.high < 0 for g in known)
    return (
        f"{mean:+6.2f}  (95 % intervals: {above} above 0, {below} below, "
        f"{len(known) - above - below} across)"
    )
