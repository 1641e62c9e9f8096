"""Figures of image models: rays of embeddings, and losses against m_CCA."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similitude.data import load_dataset
from similitude.errors import InvalidInput
from similitude.identifiability import kl, m_cca
from similitude.inputs import SoftmaxModel
from similitude.plots import new_figure

from ..data import CloseDistName
from ..plots import plot_embeddings, plot_loss_differences
from ..results import measure_accuracies, measure_mcca
from ..results._authors import loss_document, write_document
from ..results._evaluated import evaluate, find_files, load_part
from ..training._setting import Experiment, Setting
from ._collect import image_correlations
from ._found import experiments_in
from ._request import Request

DIMS = (2, 3, 5)
NAMES = {"ResNetCIFAR10": "resnet_cifar10"}


def draw_representations(request: Request) -> str:
    """cifar10_reps: embeddings and unembeddings of each seed; seeds 0 and 1 compared.

    Returns a line with m_CCA and KL of the two models.
    """
    date, experiment, setting = _planar_models(request)
    seeds = experiment.variations.random_seeds
    files = find_files(
        setting, seeds, request.checkpoints, date, existing=False, say=request.say
    )
    part = load_part(experiment, request.split)
    labels = load_dataset("cifar10", split="test").class_names
    models: dict[int, SoftmaxModel] = {}
    name = NAMES.get(setting.model_type, setting.model_type.lower())
    for number, file in enumerate(files, 1):
        model = models[file.seed] = evaluate(file, setting, part)
        figure = new_figure(10.4, 4.4)
        axes = figure.subplots(1, 2)
        for ax, side, title in zip(
            axes, "fg", ("embeddings f", "unembeddings g"), strict=True
        ):
            plot_embeddings(
                model,
                side=side,  # type: ignore[arg-type]
                names=labels,
                title=f"seed {file.seed}: {title}",
                legend=side == "g",
                ax=ax,
            )
        stem = f"{name}_seed{file.seed}_embeddings_unembeddings"
        request.save(figure, stem, _points(model, labels, "fg"))
        request.progress("models", number, len(files))
    if len(files) < 2:
        return "one model: nothing to compare."
    (a, p), (b, q) = list(models.items())[:2]
    figure = new_figure(10.4, 4.4)
    axes = figure.subplots(1, 2)
    for ax, seed, model in ((axes[0], a, p), (axes[1], b, q)):
        title = f"seed {seed}: embeddings"
        plot_embeddings(model, names=labels, title=title, legend=seed == b, ax=ax)
    rows = [
        {"seed": seed} | row
        for seed, model in ((a, p), (b, q))
        for row in _points(model, labels, "f")
    ]
    request.save(figure, f"{name}_embedding_comparison_{a}_{b}", rows)
    return (
        f"seeds {a} and {b}, {request.split} set: m_CCA of embeddings "
        f"{m_cca(p.f, q.f):.4f}, KL {kl(p, q):.4f} and {kl(q, p):.4f} nats"
    )


def draw_losses(request: Request) -> None:
    """loss_diff_vs_mcca: one panel per M, all pairs of seeds."""
    if request.compute:
        for date, experiment in experiments_in(
            request.checkpoints, "cifar10", request.date
        ):
            where = (experiment, request.checkpoints, request.results)
            options: dict[str, Any] = {
                "date": date,
                "progress": request.progress,
                "say": request.say,
            }
            if len(experiment.variations.random_seeds) > 1:
                measure_mcca(*where, **options)
            measure_accuracies(*where, **options)
    found = {dim: image_correlations(request.results, dim) for dim in DIMS}
    kind = _one_type({kind for by_type in found.values() for kind in by_type}, request)
    shown = {dim: types[kind] for dim, types in found.items() if kind in types}
    for dim in DIMS:
        if dim not in shown:
            request.say(f"no pairs of {kind} with M = {dim}.")
    figure = new_figure(4.4 * len(shown), 4.0)
    axes = figure.subplots(1, len(shown), sharex=True, sharey=True, squeeze=False)[0]
    rows = []
    for ax, (dim, pairs) in zip(axes, shown.items(), strict=True):
        plot_loss_differences(
            [pair["m_cca_f"] for pair in pairs],
            [pair["loss_difference"] for pair in pairs],
            title=f"{kind}, M = {dim}: {len(pairs)} pairs",
            ax=ax,
        )
        ax.label_outer()
        rows += [{"model_type": kind, "dim": dim} | pair for pair in pairs]
    request.save(figure, "test_loss_diff_vs_embedding_mcca", rows)


def last_losses(results: Path, metrics: Path, date: str) -> None:
    """Write the last logged losses of the authors' image models, if they are missing.

    They are read from the metrics that training writes.
    """
    for dim in DIMS:
        path = results / f"loss_cifar_fd{dim}.json"
        found = {}
        for file in metrics.glob(f"{date}trained_cifar10_ResNetCIFAR10_*_metrics.json"):
            name = CloseDistName.parse(file.name.removesuffix("_metrics.json"))
            if name.dim == dim:
                found[name.seed] = file
        if found and not path.is_file():
            seeds = sorted(found)
            document = loss_document(seeds, [found[seed] for seed in seeds])
            write_document(path, document)


def _planar_models(request: Request) -> tuple[str, Experiment, Setting]:
    found = [
        (date, experiment, next(experiment.settings()))
        for date, experiment in experiments_in(
            request.checkpoints, "cifar10", request.date
        )
        if experiment.variations.rep_dim == 2
    ]
    kind = _one_type({setting.model_type for _, _, setting in found}, request)
    chosen = [item for item in found if item[2].model_type == kind]
    if len(chosen) > 1:
        raise InvalidInput(
            f"{request.checkpoints} has models of {kind} with M = 2 of several dates, "
            f"widths, norms or steps; give a folder with one of them."
        )
    return chosen[0]


def _one_type(kinds: set[str], request: Request) -> str:
    if request.model_type is not None and request.model_type in kinds:
        return request.model_type
    if request.model_type is None and len(kinds) == 1:
        return kinds.pop()
    if request.model_type is None and kinds:
        raise InvalidInput(
            f"there are models of the types {', '.join(sorted(kinds))}; choose one "
            f"with --model-type."
        )
    raise InvalidInput(
        f"neither {request.results} nor {request.checkpoints} has what this figure "
        f"needs. Train image models with `similitude closeness train`; then "
        f"`similitude closeness mcca` and `accuracies` make the results, or --compute."
    )


def _points(
    model: SoftmaxModel, names: Sequence[str], sides: str
) -> list[dict[str, Any]]:
    rows = []
    for side in sides:
        points = model.f if side == "f" else model.g[model.labels]
        labels = model.predictions() if side == "f" else model.labels
        rows += [
            {"side": side, "label": names[label], "x": x, "y": y}
            for label, (x, y) in zip(labels.tolist(), points, strict=True)
        ]
    return rows
