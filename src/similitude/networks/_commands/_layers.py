"""`similitude layers`: the names, shapes and sizes of the layers of a model."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..._base._table import Column, table
from ...cli._manifest_text import SCREEN
from ...cli._option import argument, option
from ...cli._say import say, say_json
from ...errors import InvalidInput
from ..extraction import LayerSummary, Source, summarize_layers
from ._data import DataOptions, read_data
from ._image_options import BGR, LAYOUT, MEAN, RESIZE, SCALE, STD, image_options

TEXT = "a short text"


def layers(
    model: Annotated[
        str,
        argument("MODEL", "PATH.py:function, FILE.onnx, hf:FOLDER or encoder:NAME."),
    ],
    *,
    data: Annotated[
        str | None, option("DATA", "Data for the shapes, as for `extract`.")
    ] = None,
    shape: Annotated[
        str | None,
        option("SHAPE", "Shape of one input instead of data, as in 3,32,32."),
    ] = None,
    every: Annotated[
        bool, option("--all", "List all layers of a large model.")
    ] = False,
    as_json: Annotated[bool, option("--json", "Print JSON.")] = False,
    resize: RESIZE = None,
    mean: MEAN = None,
    std: STD = None,
    scale: SCALE = None,
    layout: LAYOUT = None,
    bgr: BGR = False,
) -> None:
    """List the layers of a model.

    `extract --layers` takes their names. Shapes need --data or --shape; a model with a
    tokenizer gets a short text. `*` marks the layers of `auto`. Of more than 40 layers,
    only these are listed.
    """
    source = Source(model)
    images = image_options(
        resize=resize, mean=mean, std=std, scale=scale, layout=layout, bgr=bgr
    )
    inputs = _inputs(source, data, shape, DataOptions(batch_size=2, images=images))
    found = summarize_layers(source.build(), inputs)
    if as_json:
        rows = [_row(layer) for layer in found]
        say_json({"schema": 1, "rows": rows})
        return
    total = len(found)
    if total > SCREEN and not every:
        found = [layer for layer in found if layer.auto][:SCREEN] or found[:SCREEN]
    names = [
        f"{'*' if layer.auto else ' '} {layer.name or repr('')}" for layer in found
    ]
    shapes = [" x ".join(map(str, la.shape)) if la.shape else "-" for la in found]
    values = ["-" if la.values is None else f"{la.values:,}" for la in found]
    columns = [
        Column("  layer", names, left=True),
        Column("shape", shapes, left=True, least=16),
        Column("values", values, least=11),
        Column("weights", [f"{layer.parameters:,}" for layer in found], least=11),
        Column("kind", [layer.kind for layer in found], left=True),
    ]
    say("\n".join(table(columns)))
    if len(found) < total:
        say(f"{len(found)} of {total:,} layers; --all lists all.")
    if data is None and shape is None and inputs is not None:
        say(f"Shapes: of the text {TEXT!r}.")


def _inputs(
    source: Source, data: str | None, shape: str | None, options: DataOptions
) -> Any:
    if shape is not None:
        try:
            sizes = tuple(int(part) for part in shape.split(","))
        except ValueError:
            raise InvalidInput(
                f"--shape {shape!r}: write whole numbers, as in 3,32,32."
            ) from None
        return np.zeros((2, *sizes), dtype=np.float32)
    if data is None:
        return [TEXT] if source.huggingface else None
    found = read_data(data, source, options)
    if isinstance(found.data, Mapping):
        return {key: value[:2] for key, value in found.data.items()}
    if hasattr(found.data, "shape"):
        first = found.data[:2]
        return first if found.preprocessing is None else found.preprocessing(first)
    batch = next(iter(found.data))
    return [batch if found.preprocessing is None else found.preprocessing(batch)]


def _row(layer: LayerSummary) -> dict[str, Any]:
    return {
        "name": layer.name,
        "kind": layer.kind,
        "parameters": layer.parameters,
        "shape": None if layer.shape is None else list(layer.shape),
        "auto": layer.auto,
    }
