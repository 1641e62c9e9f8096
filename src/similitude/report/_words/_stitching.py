"""The stitching section: tables of encoders and decoders."""

from typing import Any, Protocol

from .._data._items import shown

METRICS = {"accuracy": "Accuracy in %", "mae": "Mean absolute error x 100"}
MOST_DIFFERENCES = 40


class Stitching(Protocol):
    """A stitching table of `similitude.latent.stitching.stitching_table`."""

    @property
    def encoders(self) -> list[str]: ...

    @property
    def transforms(self) -> list[str]: ...

    @property
    def metrics(self) -> Any: ...

    @property
    def cells(self) -> Any: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def baselines(self) -> dict[str, Any]: ...

    @property
    def approaches(self) -> dict[str, str]: ...

    def summary(self, metric: Any = ...) -> Any: ...

    def overall(self, metric: Any = ...) -> Any: ...

    def differences(self, *, over: Any = ...) -> Any: ...

    def chance(self, metric: Any = ...) -> float: ...


def stitching_section(table: Stitching | None) -> dict[str, Any] | None:
    """The means over seeds by transform, and the cost of stitching."""
    if table is None:
        return None
    undefined: dict[tuple[str, str], list[Any]] = {}
    for cell in (c for t in (table, *table.baselines.values()) for c in t.cells):
        if cell.status != "ok":
            undefined.setdefault((cell.transform, cell.reason), []).append(cell)
    return {
        "metrics": [_metric(table, m) for m in table.metrics if m in METRICS],
        "differences": _differences(table),
        "seeds": len({cell.seed for cell in table.cells}),
        "notes": list(map(shown, table.notes)),
        "undefined": [
            f"{shown(transform)}: {shown(reason)} {len(cells)} cells, such as "
            f"{shown(cells[0].encoder)} to {shown(cells[0].decoder)}."
            for (transform, reason), cells in undefined.items()
        ][:20],
    }


def stitching_finding(table: Stitching) -> str:
    """One sentence: the mean of each transform, with home and chance."""
    metric = next(m for m in table.metrics if m in METRICS)
    overall = table.overall(metric)
    parts = [
        f"{shown(name)} {means['stitched']:.1f}"
        for name, means in overall.items()
        if means["stitched"] is not None
    ]
    own = [means["own"] for means in overall.values() if means["own"] is not None]
    home = f"{max(own):.1f}" if own else "-"
    return (
        f"Zero-shot stitching, {METRICS[metric].lower()} on the rows of other "
        f"encoders: {', '.join(parts)}. Decoders on their own encoder reach {home}; "
        f"chance is {table.chance(metric):.1f}.{_twins(table, metric)}"
    )


def _twins(table: Stitching, metric: str) -> str:
    """One sentence for each baseline: the best stitched mean of its transforms."""
    text = ""
    for name, twins in table.baselines.items():
        means = [m["stitched"] for m in twins.overall(metric).values()]
        found = [mean for mean in means if mean is not None]
        if found:
            best = min(found) if metric == "mae" else max(found)
            text += f" Stitched twins ({shown(name)}) reach {best:.1f}."
    return text


def _metric(table: Stitching, metric: str) -> dict[str, Any]:
    cells = list(table.cells)
    encoders = table.encoders
    decoders = list(dict.fromkeys(cell.decoder for cell in cells))
    homes = {cell.decoder: cell.home for cell in cells}
    means = {(s.encoder, s.decoder, s.transform): s for s in table.summary(metric)}
    overall = table.overall(metric)
    return {
        "title": METRICS[metric],
        "chance": table.chance(metric),
        "encoders": [shown(name) for name in encoders],
        "decoders": [shown(name) for name in decoders],
        "transforms": [
            {
                "name": shown(transform),
                "words": shown(table.approaches.get(transform, "")),
                "own": overall[transform]["own"],
                "stitched": overall[transform]["stitched"],
                "rows": [
                    [
                        {
                            "summary": means.get((encoder, decoder, transform)),
                            "home": homes[decoder] == encoder,
                        }
                        for decoder in decoders
                    ]
                    for encoder in encoders
                ],
            }
            for transform in table.transforms
        ],
    }


def _differences(table: Stitching) -> list[dict[str, Any]]:
    """The cost of stitching with intervals, if there are not too many pairs."""
    if "accuracy" not in table.metrics:
        return []
    found = table.differences(over="samples") or table.differences(over="seeds")
    if len(found) > MOST_DIFFERENCES:
        return []
    return [
        {
            "transform": shown(d.transform),
            "pair": f"{shown(d.encoder)} to {shown(d.decoder)}",
            "mean": d.mean,
            "low": d.low,
            "high": d.high,
            "over": "test rows" if d.over == "samples" else "seeds",
        }
        for d in found
    ]
