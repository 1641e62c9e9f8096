"""`similitude latent`: relative representations, maps between spaces, stitching."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ...errors import InvalidInput
from ...training.stitching import cells_in
from .._compare import Paths
from .._inputs._paths import read_paths
from .._inputs._typed_names import split
from .._progress import progress
from .._stopping import says_what_is_kept
from . import _align, _relative, _stitch
from ._anchors import HELP
from ._same_stimuli import same_stimuli, some_rows

latent = typer.Typer(
    help="Do two networks speak the same language, up to a change of coordinates?",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Seed = Annotated[int, typer.Option(help="Of all that is drawn.")]
Rows = Annotated[str | None, typer.Option(help="Rows to use, as 0:300 or 3,5,8.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
CommonIds = Annotated[bool, typer.Option(help="Use the stimuli whose ids all have.")]
Labels = Annotated[
    Path | None,
    typer.Option(help="Classes: .npy, .csv, or 'labels' in .npz or .safetensors."),
]


@latent.command()
def relative(
    paths: Paths,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", help="A .npy, .npz or .safetensors file, or a store."
        ),
    ],
    anchors: Annotated[str | None, typer.Option("-a", "--anchors", help=HELP)] = None,
    anchors_from: Annotated[
        list[Path] | None,
        typer.Option(help="Embedded anchors, one file for each; in place of -a."),
    ] = None,
    transform: Annotated[
        str,
        typer.Option("-t", "--transform", help="As in robust:stats=train."),
    ] = "robust",
    labels: Labels = None,
    rows: Rows = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Describe rows by what they are to anchors.

    Anchors are the same stimuli in all files: matched by ids where the files have
    them, by place otherwise. Statistics of stats=train are those of all rows of a file.
    """
    reps, known = some_rows(read_paths(paths), labels, rows=rows)
    found = _relative.describe(
        reps, transform, spec=anchors, files=anchors_from, seed=seed, labels=known
    )
    _relative.write(found, out)
    if as_json:
        typer.echo(json.dumps(_relative.document(found, out), indent=1))
    else:
        typer.echo(_relative.text(found))
        typer.echo(f"Relative rows: {out}", err=True)


@latent.command()
def align(
    paths: Paths,
    *,
    source: Annotated[
        str | None, typer.Option("--from", help="Its name, if there are several.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--to", help="Its name, if there are several.")
    ] = None,
    maps: Annotated[
        list[str] | None,
        typer.Option("-m", "--maps", help="As in affine,linear:ridge=0.1."),
    ] = None,
    anchors: Annotated[
        str | None,
        typer.Option("-a", "--anchors", help=f"Fit to these rows only. {HELP}"),
    ] = None,
    folds: Annotated[int, typer.Option(help="Of the cross-validation.")] = 5,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A folder for the map.")
    ] = None,
    labels: Labels = None,
    rows: Rows = None,
    common_ids: CommonIds = False,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Fit maps from one space to another, and score them on rows they have not seen.

    Without -m all maps are fitted. Held-out scores are those of a cross-validation,
    or, with --anchors, of the rows that are not anchors.
    """
    reps = _align.two(read_paths(paths), source, target)
    chosen, (known,) = same_stimuli(reps, labels, rows=rows, common_ids=common_ids)
    names = split(maps or [])
    if out is not None and len(names) != 1:
        raise InvalidInput(f"--out {out}: it keeps one map; name it with -m.")
    found = _align.fit_all(
        chosen, names, spec=anchors, folds=folds, seed=seed, labels=known
    )
    if out is not None:
        _align.save(found[0], out)
    if as_json:
        typer.echo(json.dumps(_align.document(chosen, found), indent=1))
    else:
        typer.echo(_align.text(chosen, found))
    if out is not None:
        typer.echo(f"Map: {out}", err=True)


@latent.command()
def stitch(
    paths: Paths,
    *,
    labels: Annotated[
        Path,
        typer.Option(help="Classes: .npy, .csv, or 'labels' in .npz or .safetensors."),
    ],
    transforms: Annotated[
        list[str] | None,
        typer.Option("-t", "--transforms", help="Transforms and maps, with commas."),
    ] = None,
    anchors: Annotated[
        int | None,
        typer.Option("-a", "--anchors", help="How many; by default twice the units."),
    ] = None,
    test: Annotated[float, typer.Option(help="Share of rows that are tested.")] = 0.3,
    split_file: Annotated[
        Path | None,
        typer.Option("--split", help="train, test or anchor for every row: .csv."),
    ] = None,
    seeds: Annotated[
        str, typer.Option(help="Draws of anchors, with commas.")
    ] = "0,1,2",
    ordinal: Annotated[
        bool, typer.Option(help="Classes are places on a scale: report MAE.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The folder of cells; a stopped run goes on."),
    ] = None,
    rows: Rows = None,
    common_ids: CommonIds = False,
    seed: Annotated[int, typer.Option(help="Of the split into rows.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Read the rows of every encoder with the decoder of every other one.

    Files are the same stimuli, embedded by different encoders. A decoder is trained on
    the training rows of each, as they are and as every transform gives them, and then
    reads the test rows of all, untrained on any of them. "absolute" and "procrustes"
    are always there to compare with.
    """
    reps, (known, parts) = same_stimuli(
        read_paths(paths), labels, split_file, rows=rows, common_ids=common_ids
    )
    assert known is not None
    task = _stitch.task(reps, known, parts, test=test, seed=seed, ordinal=ordinal)
    folder = None if out is None else cells_in(out)
    with says_what_is_kept(folder), progress("cells") as report:
        table = _stitch.run(
            task,
            split(transforms or ["cosine", "robust"]),
            anchors=anchors,
            seeds=seeds,
            out=out,
            progress=report,
        )
    if as_json:
        typer.echo(json.dumps(table.to_dict(), indent=1))
    else:
        typer.echo(str(table))
        if out is not None:
            typer.echo(f"Cells: {out}", err=True)
