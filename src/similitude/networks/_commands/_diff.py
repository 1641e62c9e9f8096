"""`similitude diff`: a model before and after a change."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...cli._option import argument, option
from ...cli._progress import progress
from ...cli._results_output import Json, Latex, Report, WaysOut, check_file
from ...cli._say import say, say_json
from ...errors import InvalidInput
from ...measures import DIFF, DIFF_OUTPUTS
from ...store import write_atomically
from ..diff import diff as diff_models
from ..extraction import Source, is_model
from . import _image_options, _layer_options
from ._data import DataOptions, read_data

CODES = {None: 0, "pass": 0, "fail": 1, "inconclusive": 4}


def diff(
    before: Annotated[
        str,
        argument(
            "BEFORE",
            "PATH.py:function, PATH.py:function=WEIGHTS, FILE.onnx, hf:FOLDER, "
            "encoder:NAME, a store, STORE:model, a file, or a folder.",
        ),
    ],
    after: Annotated[str, argument("AFTER", "The same.")],
    *,
    data: Annotated[
        str | None, option("DATA", "As for `extract`, if a model must be run.")
    ] = None,
    layers: _layer_options.LAYERS = None,
    after_layers: Annotated[
        list[str] | None, option("PATTERNS", "Layers of AFTER, if they differ.")
    ] = None,
    reducer: _layer_options.REDUCER = None,
    layer_map: Annotated[
        list[str] | None,
        option(
            "--map A=B",
            "Layer A before is layer B after; repeatable, or with commas. "
            "[default: by name, then by the best calibrated match]",
        ),
    ] = None,
    outputs: Annotated[
        str | None,
        option("LAYER", "The layer of logits; predictions are compared too."),
    ] = None,
    allow: Annotated[
        str | None,
        option(
            "LIMITS",
            f"Limits for the exit code, as {DIFF[0]}=0.99,{DIFF_OUTPUTS[0]}=0.01.",
        ),
    ] = None,
    allow_like: Annotated[
        str | None,
        option(
            "WHAT",
            "Measured limits: `repeats` of the same model, or a folder or store "
            "of other seeds.",
        ),
    ] = None,
    allow_missing: Annotated[
        list[str] | None,
        option("PATTERNS", "Layers of either side that may have no partner."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        option(
            "NAME=MODEL",
            "A column of scores with another model, as seed=net.py:make=b.pt; "
            "repeatable.",
        ),
    ] = None,
    as_json: Json = False,
    latex: Latex = False,
    markdown: Annotated[
        bool, option("--markdown", "Print Markdown, for a pull request.")
    ] = False,
    plot: Annotated[
        Path | None,
        option("FILE", "Also draw the profile over depth: .png, .pdf or .svg."),
    ] = None,
    report: Report = None,
    junit: Annotated[
        Path | None, option("FILE", "Also write the verdicts as JUnit XML.")
    ] = None,
    truncate: _layer_options.TRUNCATE = False,
    rows: _layer_options.ROWS = None,
    batch_size: _layer_options.BATCH_SIZE = 256,
    device: _layer_options.DEVICE = None,
    repeats: Annotated[
        bool,
        option(
            "--repeats/--no-repeats",
            "Run a model again with other batch sizes, for the noise floor.",
        ),
    ] = True,
    resize: _image_options.RESIZE = None,
    mean: _image_options.MEAN = None,
    std: _image_options.STD = None,
    scale: _image_options.SCALE = None,
    layout: _image_options.LAYOUT = None,
    bgr: _image_options.BGR = False,
) -> None:
    """Compare a model before and after a change, layer by layer.

    Prints one line per layer, the first layer that differs beyond the noise floor, and
    the stimuli that moved most.

    With --allow, each limit is an equivalence test: it passes only if the 95 %
    interval lies within the limit. Measures without an interval are tested on these
    rows only. --allow-like measures the limits instead. Exit codes: 0 pass, 1 fail,
    2 error, 4 inconclusive.
    """
    if sum((as_json, latex, markdown)) > 1:
        raise InvalidInput("choose one of --json, --latex and --markdown.")
    WaysOut(plot=plot, report=report)  # checks the files
    if allow_missing and allow is None and allow_like is None:
        raise InvalidInput("--allow-missing needs a gate: --allow or --allow-like.")
    if junit is not None:
        if allow is None and allow_like is None:
            raise InvalidInput(
                "--junit writes verdicts; give limits by --allow or --allow-like."
            )
        check_file("--junit", junit)
    twins = _pairs(baseline or [], "--baseline", "NAME=MODEL")
    sides = [before, after, *twins.values(), *([allow_like] if allow_like else [])]
    options: dict[str, Any] = {}
    if named := [side for side in sides if is_model(side)]:
        if data is None:
            raise InvalidInput(f"{named[0]} is a model; give --data.")
        images = _image_options.image_options(
            resize=resize, mean=mean, std=std, scale=scale, layout=layout, bgr=bgr
        )
        reading = DataOptions(batch_size=batch_size, rows=rows, images=images)
        # A tokenizer of any side needs the texts themselves.
        sources = [Source(side) for side in named]
        tokenizing = [source for source in sources if source.huggingface]
        inputs = read_data(data, [*tokenizing, *sources][0], reading)
        if inputs.note:
            say(inputs.note, err=True)
        options = {
            "data": inputs.data,
            "ids": inputs.ids,
            "preprocessing": inputs.preprocessing,
        }
    patterns: Any = _layer_options.split_patterns(layers)
    if after_layers is not None:
        after_patterns = _layer_options.split_patterns(after_layers)
        patterns = {"before": patterns, "after": after_patterns}
    split_missing = (
        _layer_options.split_patterns(allow_missing) if allow_missing else ()
    )
    with progress("pairs") as bar:
        found = diff_models(
            _cut(before, truncate=truncate),
            _cut(after, truncate=truncate),
            layers=patterns,
            reducer=_layer_options.reducers_of(reducer),
            map=_pairs(layer_map or [], "--map", "BEFORE=AFTER"),
            outputs=outputs,
            allow=allow,
            allow_like=allow_like,
            allow_missing=split_missing,
            baselines={k: _cut(v, truncate=truncate) for k, v in twins.items()},
            batch_size=batch_size,
            device=device,
            repeats=repeats,
            progress=bar,
            **options,
        )
    if junit is not None:
        document = found.to_junit(f"{before} - {after}").encode()
        write_atomically(junit, lambda file: file.write(document))
    if plot is not None:
        from ...plots import new_figure
        from ...plots._pictures import save_picture

        picture = new_figure(max(4.0, 1.5 + 0.3 * len(found.changes)), 4.5)
        found.plot(picture.subplots(2, sharex=True))
        save_picture(picture, plot)
    if report is not None:
        found.report(report)
    for what, path in (("Verdicts", junit), ("Figure", plot), ("Report", report)):
        if path is not None:
            say(f"{what}: {path}", err=True)
    if as_json:
        say_json({"before": before, "after": after, **found.to_dict()})
    elif latex or markdown:
        say(found.to_latex() if latex else found.to_markdown())
    else:
        say(f"{before} > {after}\n{found}")
    raise typer.Exit(CODES[found.outcome])


def _cut(side: str, *, truncate: bool) -> Any:
    """A side; with `truncate`, a language model that cuts long texts."""
    source = Source(side, truncate=True) if truncate and is_model(side) else None
    return source.build() if source is not None and source.huggingface else side


def _pairs(words: list[str], option: str, form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in ",".join(words).split(",") if words else []:
        a, equals, b = part.partition("=")
        if not equals or a.strip() in found:
            raise InvalidInput(f"{option} {part}: write {form}, each name once.")
        found[a.strip()] = b.strip()
    return found
