"""`similitude extract`: store the activations of models."""

from pathlib import Path
from typing import Annotated

import typer

from ... import extraction
from ...errors import InvalidInput
from ...extraction import REDUCERS, Source
from ...extraction._named._user_code import load
from ...store import check_writable
from .._progress import progress
from .._say import say
from .._stopping import resume_line
from ._data import DataOptions, read_data
from ._image_options import BGR, LAYOUT, MEAN, RESIZE, SCALE, STD, image_options
from ._layer_options import reducers_of, split_patterns

_REDUCER_HELP = (
    f"How outputs with more than two axes become rows: {', '.join(REDUCERS)}, with "
    f"options as in random_projection:size=64. PATTERN=REDUCER is for some layers."
)


def extract(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL [WEIGHTS]...",
            help="PATH.py:function, FILE.onnx, hf:FOLDER, or encoder:NAME of "
            "`similitude data`. Further files are weights.",
        ),
    ],
    *,
    data: Annotated[
        str,
        typer.Option(
            metavar="DATA",
            help="NAME:SPLIT of `similitude data`, a folder of images, a text file of "
            "lines, an array file, or PATH.py:function that returns a loader.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="DIR", help="Store; created if missing."),
    ],
    layers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERNS",
            help="Names of layers, separated by commas: globs, or re: and a regular "
            "expression. [default: auto, the blocks]",
        ),
    ] = None,
    reducer: Annotated[
        list[str] | None, typer.Option(metavar="REDUCER", help=_REDUCER_HELP)
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="State dict in a .safetensors or .pt file, or encoder:NAME of "
            "`similitude data`; repeatable.",
        ),
    ] = None,
    untrained: Annotated[
        bool,
        typer.Option(
            "--untrained",
            help="Also extract a twin with fresh weights, for the baseline untrained.",
        ),
    ] = False,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the model in tables.")
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(metavar="START:STOP", help="Samples to use, as in 0:2000."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGES",
            help="Language to use; with fr,en: French, only rows that also exist in "
            "English.",
        ),
    ] = None,
    truncate: Annotated[
        bool,
        typer.Option(
            "--truncate", help="Cut texts that are too long for a model of hf:FOLDER."
        ),
    ] = False,
    batch_size: Annotated[
        int, typer.Option(metavar="N", min=1, help="Samples per forward pass.")
    ] = 256,
    batch_axis: Annotated[
        int | None,
        typer.Option(metavar="AXIS", help="Axis of the samples in outputs."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="DEVICE", help="Device, such as cuda:0.")
    ] = None,
    preprocessing: Annotated[
        str | None,
        typer.Option(
            metavar="PATH.py:F", help="Function of each batch, before the model."
        ),
    ] = None,
    resize: RESIZE = None,
    mean: MEAN = None,
    std: STD = None,
    scale: SCALE = None,
    layout: LAYOUT = None,
    bgr: BGR = False,
) -> None:
    """Run models over data, and store the activations of layers.

    All layers are extracted in one pass. Elements that are stored already are not
    extracted again; changed weights, data or options make new elements.

    To resume an interrupted run, run the same command again: complete batches are in
    the store.
    """
    check_writable(out, "-o")
    source, *more = models
    model = Source(source, truncate=truncate)
    images = image_options(
        resize=resize, mean=mean, std=std, scale=scale, layout=layout, bgr=bgr
    )
    if images is not None and preprocessing is not None:
        raise InvalidInput("--preprocessing replaces the options of images; give one.")
    function = None if preprocessing is None else load(preprocessing, "--preprocessing")
    options = DataOptions(
        batch_size=batch_size,
        rows=rows,
        images=images,
        function=function,
        languages=None if language is None else tuple(language.split(",")),
    )
    patterns, reducers = split_patterns(layers), reducers_of(reducer)
    inputs = read_data(data, model, options)
    if inputs.note:
        say(inputs.note, err=True)
    files = [*(weights or []), *more]
    for named in model.models(files, name=name, untrained=untrained):
        twin = "" if named.baseline is None else f" ({named.baseline})"
        say(f"{named.name}{twin}", err=True)
        kept = f"complete batches are kept in {out}"
        with resume_line(kept), progress("samples") as report:
            extraction.extract(
                named.model,
                inputs.data,
                layers=patterns,
                reducer=reducers,
                out=out,
                batch_size=batch_size,
                ids=inputs.ids,
                device=device,
                batch_axis=batch_axis,
                preprocessing=inputs.preprocessing,
                name=named.name,
                baseline=named.baseline,
                progress=report,
            )
    say(f"Store: {out}", err=True)
