"""`similitude compare`: compare representations in files and print a table."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import engine
from .._base import _config
from ..errors import InvalidInput
from ..measures import DEFAULT, Measure, find_measure
from ..store import ReadLimits, check_writable
from ._inputs._paths import PATHS_HELP, read_inputs, read_paths, read_twins
from ._inputs._run_file import RunFile, read_run_file
from ._inputs._steps import announced, needed_pairs, with_steps
from ._inputs._typed_names import complete_measures, split
from ._machines import Machines
from ._option import argument, option
from ._progress import progress
from ._results_output import Colors, Csv, Json, Latex, Long, Plot, Report, WaysOut
from ._say import say
from ._stopping import resume_hint

_MEASURES_HELP = (
    f"Measures, separated by commas, with options in parentheses: "
    f"'{DEFAULT[0]}(kernel=rbf),{DEFAULT[3]}'. "
    f"[default: {', '.join(DEFAULT)}]"
)


_MOST_LISTED = 3  # pairs whose stimuli are listed


def compare(
    paths: Annotated[list[Path] | None, argument("PATHS", PATHS_HELP)] = None,
    *,
    measures: Annotated[
        list[str] | None,
        option("-m --measures NAMES", _MEASURES_HELP, autocompletion=complete_measures),
    ] = None,
    config: Annotated[
        Path | None, option("TOML", "File with [[measure]] tables and settings.")
    ] = None,
    reference: Annotated[
        str | None,
        option(
            "NAME",
            "Compare only pairs with this representation, or each layer with the "
            "same layer of this model or of the `first` or `last` step.",
        ),
    ] = None,
    step: Annotated[
        str | None,
        option(
            "PATTERN",
            "Checkpoints: where names have the step, as 'step(\\d+)'; none for no "
            "steps. [default: guessed]",
        ),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        option(
            "NAME=PATH",
            "Twins for a baseline column: untrained=twins/ or seed=other.npy.",
        ),
    ] = None,
    inputs: Annotated[
        Path | None,
        option(
            "PATH",
            "Inputs of the networks: adds scores beyond the similarity of the inputs.",
        ),
    ] = None,
    within: Annotated[
        str | None,
        option(
            "FILE",
            "Labels of the stimuli: adds scores without class means, and of class "
            "means. Or the name of a field, such as label.",
        ),
    ] = None,
    stimuli: Annotated[
        bool, option("--stimuli", "Also list the stimuli that differ most and least.")
    ] = False,
    outputs: Annotated[
        list[str] | None,
        option(
            "[NAME=]PATH",
            "Outputs of classifiers: predicted classes, logits or probabilities.",
        ),
    ] = None,
    targets: Annotated[
        Path | None, option("FILE", "True classes of the stimuli, for the outputs.")
    ] = None,
    out: Annotated[
        Path, option("-o --out DIR", "Results folder; created if missing.")
    ] = Path("similitude-results"),
    as_json: Json = False,
    latex: Latex = False,
    csv: Csv = None,
    plot: Plot = None,
    colors: Colors = "range",
    report: Report = None,
    long: Long = False,
    permutations: Annotated[
        int | None,
        option(
            "B",
            "Permutations for the null distribution. [default: exact moments if "
            "available, else 0 to 199, by cost]",
        ),
    ] = None,
    rows: Annotated[str | None, option("ROWS", "Rows to use: 0:300 or 3,5,8.")] = None,
    drop_nonfinite: Annotated[
        bool, option("--drop-nonfinite", "Drop rows with NaN or inf.")
    ] = False,
    common_ids: Annotated[
        bool, option("--common-ids", "Use only stimuli whose ids are in all files.")
    ] = False,
    seed: Annotated[
        int | None, option("SEED", "Random seed. [default: 0]", min=0)
    ] = None,
    workers: Annotated[
        int | None, option("N", "Worker processes; the results do not depend on it.")
    ] = None,
    shard: Annotated[
        str | None,
        option(
            "I/N",
            "Compute one of N parts, I from 0 to N - 1; for several machines with "
            "one results folder.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        option(
            "ADDRESS",
            "Compute on the workers of this Dask scheduler, as tcp://127.0.0.1:8786.",
        ),
    ] = None,
    backend: Annotated[str | None, option("NAME", "Removed.", hidden=True)] = None,
    scheduler: Annotated[str | None, option("ADDRESS", "Removed.", hidden=True)] = None,
) -> None:
    """Compare representations in files and print a table of scores.

    A folder inside a folder is a model, and its files are its layers.

    Columns: score; 95 % CI, the confidence interval; null, the mean score of randomly
    paired rows; p, the p-value of the permutation test; one column per baseline;
    biased, the value of the biased estimator.

    Baselines use twins: the same networks untrained, or trained with another seed.
    The column "untrained" is the score of the two untrained twins with each other.
    Any other baseline is the mean score of each network with its own twin.

    To resume an interrupted run, run the same command again: finished rows are in
    the results folder. Exit code 3: some pairs failed, or memory ran out for them.
    """
    ways = WaysOut(
        as_json=as_json,
        latex=latex,
        csv=csv,
        plot=plot,
        long=long,
        report=report,
        colors=colors,
    )
    check_writable(out, "-o")
    if not paths and not outputs:
        raise InvalidInput("give files, folders or stores to compare, or --outputs.")
    machines = Machines(shard, dask, workers, removed=backend or scheduler)
    file = RunFile() if config is None else read_run_file(config)
    chosen = _measures(measures, file)
    limits = ReadLimits()
    twins = read_twins(baseline or [], limits)
    reps = read_paths(paths or [], limits, outputs=outputs or [], targets=targets)
    stepped = with_steps(reps, step)
    if stepped is not None:
        reps = stepped
        say(announced(reps), err=True)
        if len({rep.model for rep in reps}) == 1:
            permutations = _first(permutations, 0)  # p says nothing within one run
    network_inputs = read_inputs(inputs, limits)
    join_ids: engine.Join = "common" if common_ids else "exact"
    selection = engine.Selection(_first(rows, file.rows), drop_nonfinite, join_ids)
    settings = {} if workers is None else {"workers": workers}
    hint = resume_hint(engine.Folder(out))
    with _config.config(**settings), hint, progress() as bar:
        results = engine.compare(
            reps,
            chosen,
            reference=_first(reference, file.reference),
            keep=None if stepped is None or reference else needed_pairs(reps),
            baselines=twins,
            inputs=network_inputs,
            within=within,
            permutations=_first(permutations, file.permutations, "auto"),
            rng=_first(seed, file.seed, 0),
            out=out,
            **vars(selection),
            shard=shard,
            dask=dask,
            progress=ways.during_run(bar, out),
            started=None if ways.for_programs else _say_header,
            scored=None if ways.for_programs else bar.keep,
        )
    if dropped := results.dropped:
        rows_text = "1 row" if dropped == 1 else f"{dropped} rows"
        say(f"dropped {rows_text} with NaN or infinite values", err=True)
    if not ways.for_programs:
        say()
    ways.write(results, header=False, stimuli=stimuli)
    if stimuli and not ways.for_programs:
        _say_stimuli(results, out)
    if not ways.for_programs:
        say(f"Results: {out}", err=True)
    machines.say_what_is_missing(results, out)
    if results.unfinished or any(row.status == "failed" for row in results.rows):
        raise typer.Exit(3)


def _say_stimuli(results: engine.Results, out: Path) -> None:
    pairs = list(dict.fromkeys(frozenset(pair) for pair in results.pairs()))
    if len(pairs) > _MOST_LISTED:
        say(f"Stimuli of a pair: similitude show {out} --stimuli A B")
        return
    for a, b in [pair for pair in results.pairs() if frozenset(pair) in pairs]:
        if frozenset((a, b)) in pairs:
            pairs.remove(frozenset((a, b)))
            say(f"\n{results.stimuli(a, b)}")


def _say_header(results: engine.Results) -> None:
    try:
        say(results.header())
        for note in results.notes:
            say(note)
        sys.stdout.flush()
    except BrokenPipeError:
        pass  # compute and keep the rows; printing the table then fails again


def _first(*values: Any) -> Any:
    """Return the first value that is not None."""
    return next((value for value in values if value is not None), None)


def _measures(names: list[str] | None, file: RunFile) -> Mapping[str, Measure] | None:
    chosen = [find_measure(name) for name in split(names or [])]
    if names and not chosen:
        raise InvalidInput(
            "-m is empty; name a measure, or omit -m for the default ones."
        )
    return {**{m.label: m for m in chosen}, **file.measures()} or None
