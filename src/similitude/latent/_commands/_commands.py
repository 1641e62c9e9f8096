"""`similitude latent`: relative representations, maps between spaces, stitching."""

from pathlib import Path
from typing import Annotated

import typer

from ..._base._printable import terminal_width
from ...cli._inputs._paths import Paths, read_paths
from ...cli._inputs._typed_names import split
from ...cli._option import option
from ...cli._progress import progress
from ...cli._say import say, say_json
from ...cli._stopping import resume_hint
from ...errors import InvalidInput
from ...store import COLUMN_FILES, check_writable
from ..stitching import Duplicates, cells_in, stitch_all
from . import _align, _relative
from ._anchors import HELP
from ._same_stimuli import same_stimuli, some_rows
from ._typed_options import find_transforms
from ._typed_options import seeds as numbers

latent = typer.Typer(
    help="Relative representations, maps between spaces, and stitching.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Seed = Annotated[int, option("SEED", "Random seed.")]
Rows = Annotated[str | None, option("ROWS", "Rows to use: 0:300 or 3,5,8.")]
AsJson = Annotated[bool, option("--json", "Print JSON.")]
CommonIds = Annotated[
    bool, option("--common-ids", "Use only stimuli whose ids are in all files.")
]
LABELS_HELP = f"File of classes, one per row: {', '.join(COLUMN_FILES)}."
Labels = Annotated[Path | None, option("FILE", LABELS_HELP)]


@latent.command()
def relative(
    paths: Paths,
    *,
    out: Annotated[
        Path,
        option("-o --out PATH", f"A file ({', '.join(_relative.FILES)}), or a store."),
    ],
    anchors: Annotated[str | None, option("-a --anchors ANCHORS", HELP)] = None,
    anchors_from: Annotated[
        list[Path] | None,
        option("FILES", "Files with embedded anchors, one per input; instead of -a."),
    ] = None,
    transform: Annotated[
        str, option("-t --transform NAME", "Transform and its options.")
    ] = "robust",
    labels: Labels = None,
    rows: Rows = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Compute relative representations: each row relative to the anchors.

    Anchors are the same stimuli in all files, matched by ids if all files have ids,
    otherwise by position. An example of a transform with options is
    'robust(stats=train)', which takes its statistics from all rows of a file.
    """
    check_writable(out, "-o")
    reps, label_values = some_rows(read_paths(paths), labels, rows=rows)
    found = _relative.describe(
        reps,
        transform,
        spec=anchors,
        files=anchors_from,
        seed=seed,
        labels=label_values,
    )
    _relative.write(found, out)
    if as_json:
        say_json(_relative.document(found, out))
    else:
        say(_relative.text(found))
        say(f"Relative rows: {out}", err=True)


@latent.command()
def align(
    paths: Paths,
    *,
    source: Annotated[
        str | None, option("--from NAME", "Source, if there are more than two.")
    ] = None,
    target: Annotated[
        str | None, option("--to NAME", "Target, if there are more than two.")
    ] = None,
    maps: Annotated[
        list[str] | None,
        option(
            "-m --maps NAMES", "Maps, as in 'affine,linear(ridge=0.1)'. [default: all]"
        ),
    ] = None,
    anchors: Annotated[
        str | None, option("-a --anchors ANCHORS", f"Fit to these rows only. {HELP}")
    ] = None,
    folds: Annotated[int, option("N", "Folds of the cross-validation.")] = 5,
    out: Annotated[
        Path | None, option("-o --out DIR", "New folder for the map; needs one -m.")
    ] = None,
    labels: Labels = None,
    rows: Rows = None,
    common_ids: CommonIds = False,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Fit maps from one space to another, and score them on held-out rows.

    Held-out scores come from a cross-validation. With --anchors they come from the
    rows that are not anchors.
    """
    if out is not None:
        check_writable(out, "-o")
    reps = _align.two(read_paths(paths), source, target)
    chosen, (label_values,) = same_stimuli(
        reps, labels, rows=rows, common_ids=common_ids
    )
    names = split(maps or [])
    if out is not None and len(names) != 1:
        raise InvalidInput(f"--out {out} saves one map; name it with -m.")
    found = _align.fit_all(
        chosen, names, spec=anchors, folds=folds, seed=seed, labels=label_values
    )
    if out is not None:
        _align.save(found[0], out)
    if as_json:
        say_json(_align.document(chosen, found))
    else:
        say(_align.text(chosen, found))
    if out is not None:
        say(f"Map: {out}", err=True)


@latent.command()
def stitch(
    paths: Paths,
    *,
    labels: Annotated[Path, option("FILE", LABELS_HELP)],
    transforms: Annotated[
        list[str] | None,
        option("-t --transforms NAMES", "Transforms and maps, separated by commas."),
    ] = None,
    anchors: Annotated[
        int | None,
        option("-a --anchors K", "Number of anchors. [default: twice the units]"),
    ] = None,
    duplicates: Annotated[
        Duplicates,
        option("drop|keep", "Whether rows that equal an earlier row may be anchors."),
    ] = "drop",
    test: Annotated[float, option("SHARE", "Share of test rows.")] = 0.3,
    split_file: Annotated[
        Path | None,
        option(
            "--split FILE",
            f"Train, test or anchor for each row: {', '.join(COLUMN_FILES)}.",
        ),
    ] = None,
    seeds: Annotated[
        str, option("SEEDS", "Seeds of the anchor draws, separated by commas.")
    ] = "0,1,2",
    ordinal: Annotated[
        bool,
        option("--ordinal", "Classes are ordered: report the mean absolute error."),
    ] = False,
    within: Annotated[
        bool,
        option("--within-models", "Also stitch layers of one model with each other."),
    ] = False,
    out: Annotated[
        Path, option("-o --out DIR", "Results folder; created if missing.")
    ] = Path("similitude-stitching"),
    rows: Rows = None,
    common_ids: CommonIds = False,
    seed: Annotated[int, option("SEED", "Seed of the train-test split.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Test the decoder of each encoder on the rows of every other encoder.

    Each file holds the same stimuli, embedded by one encoder. For each encoder and
    each transform, a decoder is trained on the training rows. It is then tested on the
    test rows of all encoders without further training. The baselines "absolute" and
    "procrustes" are always included. The table shows the chance level, and the cost of
    stitching: the accuracy minus that of the same decoder at home, with its own
    encoder.

    Layers of one model are not stitched with each other. Twins in a store are a
    baseline: untrained networks are stitched with each other, in the same pairs.

    To resume an interrupted run, run the same command again: finished cells are in the
    results folder. Exit code 3: finished, but some cells failed.
    """
    check_writable(out, "-o")
    reps, (label_values, parts) = same_stimuli(
        read_paths(paths), labels, split_file, rows=rows, common_ids=common_ids
    )
    assert label_values is not None
    with resume_hint(cells_in(out)), progress("cells") as bar:

        def report(stage: str, done: int, total: int) -> None:
            if done == 0:  # all options are valid, and the folder exists
                again = "to resume after an interruption, run the same command again"
                say(f"Cells: {out}; {again}.", err=True)
            bar(stage, done, total)

        table = stitch_all(
            reps,
            label_values,
            find_transforms(split(transforms or ["cosine", "robust"])),
            seeds=numbers(seeds),
            anchors=anchors,
            split=parts,
            test=test,
            rng=seed,
            ordinal=ordinal,
            duplicates=duplicates,
            within=within,
            out=out,
            progress=report,
        )
    if as_json:
        say_json(table.to_dict())
    else:
        say(table.table(terminal_width()))
    tables = (table, *table.baselines.values())
    if any(cell.status == "failed" for each in tables for cell in each.cells):
        raise typer.Exit(3)
