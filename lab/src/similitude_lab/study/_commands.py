"""`similitude study`: run the experiments of papers."""

from pathlib import Path
from typing import Annotated, Any

import typer

from similitude.errors import InvalidInput
from similitude.plugins import progress, say

from .. import study as studies
from .._options import flag, option
from .._text import duration, write_text
from ._catalog import FACTS

study = typer.Typer(
    help="Run the experiments of papers, and judge their claims.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Scale = Annotated[
    str,
    option("SCALE", "Size: smoke (seconds), small (minutes) or paper (as published)."),
]
Out = Annotated[Path, option("DIR", "Folder of the results.")]
Data = Annotated[Path | None, option("DIR", "Folder with the official data.")]


@study.command("list")
def list_studies() -> None:
    """List the studies."""
    for name, facts in FACTS.items():
        say(f"{name:<28} {facts['title']}")


@study.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the study.")],
) -> None:
    """Show what a study computes, the claims about it, and the cost."""
    found = studies.find_study(name)
    say(f"{found.name}: {found.title}")
    say(f"{found.claim}")
    say(f"Paper: {found.paper}, {found.where}")
    from ..judging import claims_of

    say("Claims of the paper:")
    for claim, record in claims_of(name).items():
        say(f"  {claim} {record['says']} ({record['where']})")
    for erratum in found.errata:
        say(f"Erratum: {erratum}")
    if found.needs:
        say(f"Data: {', '.join(found.needs)}")
    costs = (f"{scale} {duration(found.seconds[scale])}" for scale in found.seconds)
    say(f"Time on two cores: {', '.join(costs)}")


@study.command()
def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAMES", help="Names of studies.")
    ] = None,
    *,
    every: Annotated[bool, flag("--all", "Run all studies.")] = False,
    scale: Scale = "small",
    out: Out = Path("studies"),
    seed: Annotated[int, option("SEED", "Seed of all random draws.", min=0)] = 0,
    results: Annotated[
        Path | None, option("DIR", "Existing results that replace training.")
    ] = None,
    data: Data = None,
    again: Annotated[bool, flag("--again", "Ignore old results.")] = False,
    device: Annotated[
        str, option("DEVICE", "PyTorch device for training, as cuda:0.")
    ] = "cpu",
    dry_run: Annotated[
        bool, flag("--dry-run", "Print the plan and run nothing.")
    ] = False,
) -> None:
    """Run studies; a killed run continues, and a finished study is not run again."""
    if every == bool(names):
        raise InvalidInput("name at least one study, or use --all, but not both.")
    chosen = [studies.find_study(name) for name in names or studies.STUDIES]
    if dry_run:
        for found in chosen:
            say(studies.plan_text(found, scale))  # type: ignore[arg-type]
        return
    for found in chosen:
        _run(
            found,
            scale,
            out=out,
            seed=seed,
            results=results,
            data=data,
            again=again,
            device=device,
        )


def _run(found: studies.Study, scale: str, **options: Any) -> None:
    expected = found.seconds.get(scale)  # type: ignore[call-overload]
    about = "" if expected is None else f", about {duration(expected)}"
    say(f"{found.name} at scale {scale}{about}", err=True)
    with progress("parts") as callback:
        record = studies.run_study(
            found.name,
            scale=scale,  # type: ignore[arg-type]
            progress=callback,
            **options,
        )
    _print(record)


@study.command()
def train(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAMES", help="Names of studies. [default: all]"),
    ] = None,
    *,
    scale: Annotated[str, option("SCALE", "Size: small or paper.")] = "small",
    threads: Annotated[int, option("N", "Threads of PyTorch.", min=1)] = 1,
    device: Annotated[str, option("DEVICE", "PyTorch device, such as cuda.")] = "cpu",
    data: Data = None,
    out: Out = Path("studies"),
    plan: Annotated[bool, flag("--plan", "Print the plan and train nothing.")] = False,
) -> None:
    """Train the networks that studies share, into the cache; a killed run continues.

    If the command runs in two terminals, both processes share the work. A named study
    that shares no networks trains them in its own run.
    """
    shared = names or list(studies.STUDIES)
    requests = studies.shared_trainings(shared, scale)  # type: ignore[arg-type]
    if requests:
        _train_shared(requests, threads, device, plan=plan)
    for found in map(studies.find_study, names or ()):
        if not found.trains:
            say(f"{found.name} trains no networks.")
        elif not found.trainings(found.settings[scale]):  # type: ignore[index]
            about = duration(found.seconds[scale])  # type: ignore[index]
            say(f"{found.name} trains its networks in its run, about {about} in all.")
            if not plan:
                _run(found, scale, out=out, data=data, device=device)


def _train_shared(requests: Any, threads: int, device: str, *, plan: bool) -> None:
    from ..training.images import plan_trainings, train_all, training_folder

    found = plan_trainings(requests, threads=threads, device=device)
    say(str(found))
    missing = len(found.missing)
    time = f", about {duration(found.seconds)} in one process" if missing else ""
    runs = f"{len(requests)} training runs in {training_folder()}"
    say(f"{runs}, {missing} to train{time}.")
    if missing and not plan:
        with progress("steps") as callback:
            trained = train_all(
                requests, threads=threads, device=device, progress=callback
            )
        for request, one in trained.items():
            say(f"accuracy {one.log[-1].accuracy:.3f}  {request}")


@study.command()
def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder with results of studies.")
    ],
    *,
    markdown: Annotated[Path, option("DIR", "Folder of the pages.")] = Path("pages"),
) -> None:
    """Judge the claims of the papers, and write a page in Markdown for each paper."""
    from ..judging import claim_pages

    for name, text in claim_pages(folder, markdown).items():
        write_text(markdown / name, text)
        say(str(markdown / name))


def _print(record: studies.StudyRecord) -> None:
    """What the run found: the outcome of each claim on its tables."""
    from ..judging import run_lines

    say(f"{record.study} ({record.scale}), {duration(record.seconds)}: {record.title}")
    for line in (*record.notes, *run_lines(record)):
        say(f"  {line}")
    say(f"  {record.folder}")
