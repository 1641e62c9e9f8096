"""Distances, accuracies and canonical correlations of all models of an experiment."""

import functools
import itertools
import math
from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import Any, Literal, Unpack

from similitude.errors import InvalidInput
from similitude.plugins import check_at_least, check_not_negative, check_one_of, imap

from ..training._setting import Experiment, Setting
from ._evaluated import evaluate, load_samples
from ._pairs import Item, accuracy_row, distance_row, mcca_row
from ._request import File, Request, Where, as_request, check_folder
from ._rows import job_of
from ._table import ResultsTable

__all__ = ["measure_accuracies", "measure_distances", "measure_mcca"]


def measure_distances(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None = None,
    *,
    weight: float = 1e-5,
    aggregate: Literal["max", "sum"] = "max",
    reduce: Literal["max", "mean"] = "max",
    draws: int = 200,
    seed: int = 0,
    compat: bool = False,
    **where: Unpack[Where],
) -> ResultsTable:
    """d_LLV, d_fg and KL of all pairs of seeds of each setting.

    Each network is evaluated once. All pairs use the same random sets of inputs, except
    with `compat`.

    Parameters
    ----------
    experiment
        Data set, models and training: they give the names of the checkpoints.
    checkpoints
        Folder of the checkpoints, ours or the authors'.
    results
        Folder to which rows are written as they are computed; after an interruption,
        the same call computes the missing ones. By default nothing is written.
    date
        Date in the names of the checkpoints.
    split
        ``"test"`` or ``"train"``: the inputs at which models are compared.
    weight, aggregate, reduce, draws
        As in `similitude.identifiability.llv_distance`.
    seed
        Seed of the sets of inputs.
    compat
        Draw and choose the sets of inputs as the authors' code does after
        ``np.random.seed(seed)``: each pair of a setting draws in turn.
    existing
        Use the models that exist. By default a missing model is an error.
    device
        PyTorch device on which the networks run. Distances are computed on the CPU.
    progress
        Called with the stage, the number of finished pairs and their total.
    say
        Called with lines of text for the user.

    Returns
    -------
    ResultsTable
    """
    check_not_negative("weight", weight)
    check_one_of("aggregate", aggregate, ("max", "sum"))
    check_one_of("reduce", reduce, ("max", "mean"))
    check_at_least("draws", draws, 1)
    check_at_least("seed", seed, 0)
    options = {
        "weight": float(weight),
        "aggregate": aggregate,
        "reduce": reduce,
        "draws": draws,
        "draw_seed": seed,
        "input_sets": "RandomState" if compat else "default_rng",
    }
    sets = f"{draws}{'RandomState' if compat else 'sets'}{seed}"
    label = f"_{reduce}{aggregate}_w{float(weight)}_{sets}"
    request = as_request(
        experiment, checkpoints, results, where, options=options, label=label
    )
    return _measure(request, "distances", distance_row)


def measure_mcca(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None = None,
    **where: Unpack[Where],
) -> ResultsTable:
    """Mean canonical correlations of all pairs of seeds of each setting.

    See `measure_distances` for the parameters.
    """
    request = as_request(experiment, checkpoints, results, where)
    return _measure(request, "mcca", mcca_row)


def measure_accuracies(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None = None,
    **where: Unpack[Where],
) -> ResultsTable:
    """Accuracy and mean negative log-likelihood of each model.

    See `measure_distances` for the parameters.
    """
    request = as_request(experiment, checkpoints, results, where)
    return _measure(request, "accuracies", accuracy_row, together=1)


def _measure(
    request: Request, kind: str, compute: Callable[[Item], Any], *, together: int = 2
) -> ResultsTable:
    """All models or pairs of each setting; rows of the results folder are read."""
    found = _find(request)
    total = sum(math.comb(len(files), together) for files in found.values())
    if total == 0:
        raise InvalidInput(
            f"{request.checkpoints} has no two models of a setting, so there are no "
            f"pairs to compare. Give two seeds or more."
        )
    samples = load_samples(request)
    rows: list[Any] = []
    for setting, files in found.items():
        shared = request.described(setting, len(samples))
        contents = {}
        for number, chosen in enumerate(itertools.combinations(files, together)):
            content = shared | _names(*chosen)
            if shared.get("input_sets") == "RandomState":
                content["draw_number"] = number
            contents[chosen] = content | {"job": job_of(kind, content)}
        jobs = [content["job"] for content in contents.values()]
        with request.stored(kind, setting, files, jobs) as (known, keep):
            missing = {k: c for k, c in contents.items() if c["job"] not in known}
            model = functools.cache(partial(evaluate, request, setting, samples))
            items = (
                (content, samples.y.numpy(), *map(model, chosen))
                for chosen, content in missing.items()
            )
            done = len(rows) + len(contents) - len(missing)
            for number, computed in enumerate(imap(compute, items), 1):
                keep(computed)
                if kind == "distances" and computed.d_llv and computed.reason:
                    pair = f"{computed.seed_a} and {computed.seed_b}"
                    request.say(f"{setting}, seeds {pair}: {computed.reason}.")
                request.progress(kind, done + number, total)
            rows += [known[job] for job in jobs]
    return ResultsTable(kind, tuple(rows))


def _find(request: Request) -> dict[Setting, list[File]]:
    """All checkpoints, before the first is read."""
    from ...training._checkpoints import check_device

    check_device(request.device)
    check_folder(request.checkpoints)
    settings = request.experiment.settings()
    found = {setting: request.files(setting) for setting in settings}
    if not any(found.values()):
        raise InvalidInput(
            f"{request.checkpoints} has none of these models with the date "
            f"{request.date}. Give another folder or date, or train them."
        )
    return found


def _names(*files: File) -> dict[str, Any]:
    """The checkpoint of a row, or both checkpoints of a pair."""
    names: dict[str, Any] = {}
    for file, end in zip(files, ("_a", "_b") if files[1:] else ("",), strict=True):
        names |= {f"seed{end}": file.seed, f"checkpoint{end}": file.path.name}
        names[f"sha256{end}"] = file.sha256
    return names
