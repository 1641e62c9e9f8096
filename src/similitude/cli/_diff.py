"""`similitude diff`: a model before and after a change."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import engine
from ..errors import InvalidInput
from ..measures import DIFF, DIFF_OUTPUTS
from ._extraction._data import DataOptions, read_data
from ._extraction._image_options import (
    BGR,
    LAYOUT,
    MEAN,
    RESIZE,
    SCALE,
    STD,
    image_options,
)
from ._extraction._layer_options import reducers_of, split_patterns
from ._extraction._models import Source
from ._extraction._user_code import is_code
from ._progress import progress
from ._results_output import Json, Latex, check_file
from ._say import say, say_json

CODES = {None: 0, "pass": 0, "fail": 1, "inconclusive": 4}


def diff(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE",
            help="PATH.py:function, PATH.py:function=WEIGHTS, FILE.onnx, hf:FOLDER, "
            "encoder:NAME, a store, STORE:model, a file, or a folder.",
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The same.")],
    *,
    data: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="As for `extract`, if a model must be run."),
    ] = None,
    layers: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERNS", help="Layers, as for `extract`."),
    ] = None,
    after_layers: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERNS", help="Layers of AFTER, if they differ."),
    ] = None,
    reducer: Annotated[
        list[str] | None, typer.Option(metavar="REDUCER", help="As for `extract`.")
    ] = None,
    layer_map: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="A=B",
            help="Layer A before is layer B after; repeatable, or with commas. "
            "[default: by name, then by the best calibrated match]",
        ),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(
            metavar="LAYER", help="The layer of logits; predictions are compared too."
        ),
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help=f"Limits for the exit code, as {DIFF[0]}=0.99,{DIFF_OUTPUTS[0]}=0.01.",
        ),
    ] = None,
    as_json: Json = False,
    latex: Latex = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")
    ] = False,
    junit: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the verdicts as JUnit XML."),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(metavar="START:STOP", help="Samples to use, as in 0:2000."),
    ] = None,
    batch_size: Annotated[
        int, typer.Option(metavar="N", min=1, help="Samples per forward pass.")
    ] = 256,
    device: Annotated[
        str | None, typer.Option(metavar="DEVICE", help="Device, such as cuda:0.")
    ] = None,
    repeats: Annotated[
        bool,
        typer.Option(
            "--repeats/--no-repeats",
            help="Run a model again with other batch sizes, for the noise floor.",
        ),
    ] = True,
    resize: RESIZE = None,
    mean: MEAN = None,
    std: STD = None,
    scale: SCALE = None,
    layout: LAYOUT = None,
    bgr: BGR = False,
) -> None:
    """Compare a model before and after a change, layer by layer.

    Prints one line per layer, the first layer that differs beyond the noise floor, and
    the stimuli that moved most.

    With --allow, each limit is an equivalence test: it passes only if the 95 %
    interval lies within the limit. Measures without an interval are tested on these
    rows only. Exit codes: 0 pass, 1 fail, 2 error, 4 inconclusive.
    """
    if sum((as_json, latex, markdown)) > 1:
        raise InvalidInput("choose one of --json, --latex and --markdown.")
    if junit is not None:
        if allow is None:
            raise InvalidInput("--junit writes verdicts; give limits by --allow.")
        check_file("--junit", junit)
    sides = [_Side(before), _Side(after)]
    source = next((side.source for side in sides if side.source is not None), None)
    options: dict[str, Any] = {}
    if source is not None:
        if data is None:
            raise InvalidInput(f"{source.text} is a model; give --data.")
        images = image_options(
            resize=resize, mean=mean, std=std, scale=scale, layout=layout, bgr=bgr
        )
        reading = DataOptions(batch_size=batch_size, rows=rows, images=images)
        inputs = read_data(data, source, reading)
        if inputs.note:
            say(inputs.note, err=True)
        options = {
            "data": inputs.data,
            "ids": inputs.ids,
            "preprocessing": inputs.preprocessing,
        }
    patterns: Any = split_patterns(layers)
    if after_layers is not None:
        patterns = {"before": patterns, "after": split_patterns(after_layers)}
    with progress("pairs") as report:
        found = engine.diff(
            sides[0].value(),
            sides[1].value(),
            layers=patterns,
            reducer=reducers_of(reducer),
            map=_pairs(layer_map or []),
            outputs=outputs,
            allow=allow,
            batch_size=batch_size,
            device=device,
            repeats=repeats,
            progress=report,
            **options,
        )
    if junit is not None:
        junit.write_text(found.to_junit(f"{before} - {after}"), encoding="utf-8")
    if as_json:
        say_json({"before": before, "after": after, **found.to_dict()})
    elif latex or markdown:
        say(found.to_latex() if latex else found.to_markdown())
    else:
        say(f"before: {before}\nafter: {after}\n\n{found}")
    raise typer.Exit(CODES[found.outcome])


class _Side:
    """One word of the command line: a model, or a path of stored values."""

    def __init__(self, text: str) -> None:
        self.text, self.weights = text, []
        code, equals, weights = text.partition("=")
        if equals and is_code(code):
            text, self.weights = code, [weights]
        is_model = is_code(text) or text.startswith(("hf:", "encoder:"))
        named = is_model or text.endswith(".onnx")
        self.source = Source(text) if named else None

    def value(self) -> Any:
        """The model, or the path."""
        if self.source is None:
            return self.text
        named = self.source.models(self.weights, name=None, untrained=False)
        return next(iter(named)).model


def _pairs(words: list[str]) -> dict[str, str]:
    found = {}
    for part in ",".join(words).split(",") if words else []:
        a, equals, b = part.partition("=")
        if not equals or a.strip() in found:
            raise InvalidInput(f"--map {part}: write BEFORE=AFTER, each layer once.")
        found[a.strip()] = b.strip()
    return found
