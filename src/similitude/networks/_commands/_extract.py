"""`similitude extract`: store the activations of models."""

from pathlib import Path
from typing import Annotated

from ...cli._option import argument, option
from ...cli._progress import progress
from ...cli._say import say
from ...cli._stopping import resume_line
from ...errors import InvalidInput
from ...store import check_writable
from .. import extraction
from ..extraction import Source
from ..extraction._named._user_code import load
from . import _image_options, _layer_options
from ._data import DataOptions, read_data


def extract(
    models: Annotated[
        list[str],
        argument(
            "MODEL [WEIGHTS]...",
            "PATH.py:function, FILE.onnx, hf:FOLDER, or encoder:NAME of "
            "`similitude data`. Further files are weights.",
        ),
    ],
    *,
    data: Annotated[
        str,
        option(
            "DATA",
            "NAME:SPLIT of `similitude data`, a folder of images, a text file of "
            "lines, an array file, or PATH.py:function that returns a loader.",
        ),
    ],
    out: Annotated[Path, option("-o --out DIR", "Store; created if missing.")],
    layers: _layer_options.LAYERS = None,
    reducer: _layer_options.REDUCER = None,
    weights: Annotated[
        list[str] | None,
        option(
            "FILE",
            "State dict in a .safetensors or .pt file, or encoder:NAME of "
            "`similitude data`; repeatable.",
        ),
    ] = None,
    untrained: Annotated[
        bool,
        option(
            "--untrained",
            "Also extract a twin with fresh weights, for the baseline untrained.",
        ),
    ] = False,
    name: Annotated[str | None, option("NAME", "Name of the model in tables.")] = None,
    rows: _layer_options.ROWS = None,
    language: Annotated[
        str | None,
        option(
            "LANGUAGES",
            "Language to use; with fr,en: French, only rows that also exist in "
            "English.",
        ),
    ] = None,
    truncate: _layer_options.TRUNCATE = False,
    batch_size: _layer_options.BATCH_SIZE = 256,
    batch_axis: Annotated[
        int | None, option("AXIS", "Axis of the samples in outputs.")
    ] = None,
    device: _layer_options.DEVICE = None,
    preprocessing: Annotated[
        str | None, option("PATH.py:F", "Function of each batch, before the model.")
    ] = None,
    resize: _image_options.RESIZE = None,
    mean: _image_options.MEAN = None,
    std: _image_options.STD = None,
    scale: _image_options.SCALE = None,
    layout: _image_options.LAYOUT = None,
    bgr: _image_options.BGR = False,
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
    images = _image_options.image_options(
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
    patterns = _layer_options.split_patterns(layers)
    reducers = _layer_options.reducers_of(reducer)
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
