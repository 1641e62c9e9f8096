"""Drawings of the seven figures: the studies, with the names of the authors' files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.networks.data import load_dataset

from ...study import Figure, Study, StudyResult, Table
from ..data import radial_classification
from ..results import (
    existing_rows,
    kl_table,
    measure_distances,
    measure_mcca,
    noise_sweep,
)
from ..results._authors import read_document
from ..results._authors_files import write_document
from ..studies import (
    _cifar10_reps,
    _constructed,
    _kl_table,
    _loss_vs_mcca,
    _synthetic_data,
    _trained_synthetic,
    _width,
)
from ..studies._image_models import Trained
from ..studies._models import MODEL, columns_in
from ..studies._pairs import Pairs, as_pairs
from ._found import experiments_in, measure_found
from ._request import FigureRequest

WIDTH_GROUPS = ((4, 6), (10,), (18,))  # classes that share a figure
DIMS = (2, 3, 5)
NAMES = {"ResNetCIFAR10": "resnet_cifar10"}
IMAGE_MODELS = ("SmallCIFAR10", "MedCIFAR10", "ResNetCIFAR10", "SmallResNetCIFAR10")
#: Columns of the KL table in the authors' code; some are printed.
PRINTED = ("g_length", "KL_div", "d_prob", "mCCA_f", "max_d_rep_f")
KL_TABLE = (*PRINTED, "mCCA_g", "max_d_rep_g")


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure, the name of its files, the table behind it, and texts for the user."""

    stem: str
    figure: Figure
    table: Table
    notes: Sequence[str] = ()
    text: str = ""  # a line of numbers
    latex: str = ""


def _drawing(
    stem: str, study: Study, result: StudyResult, table: str, text: str = ""
) -> Drawing:
    (figure,) = study.draw(result).values()
    return Drawing(stem, figure, result.tables[table], result.notes, text)


def cifar10_reps(request: FigureRequest) -> Iterator[Drawing]:
    """Embeddings and unembeddings of each seed; the first two seeds compared."""
    found = [
        Trained(experiment, request.checkpoints, date)
        for date, experiment in experiments_in(request, "cifar10")
        if experiment.variations.rep_dim == 2
    ]
    kind = request.one_type({one.experiment.variations.model_type for one in found})
    chosen = [one for one in found if one.experiment.variations.model_type == kind]
    if len(chosen) > 1:
        raise InvalidInput(
            f"{request.checkpoints} has models of {kind} with M = 2 of several dates, "
            f"widths, norms or steps; give a folder with one of them."
        )
    models, measured = _cifar10_reps.evaluated(chosen[0], request.split, request.say)
    names = load_dataset("cifar10", split="test").class_names
    stem = NAMES.get(kind, kind.lower())
    for number, (seed, model) in enumerate(models.items(), 1):
        figure = _cifar10_reps.draw_one(model, seed, names)
        table = _cifar10_reps.points([model], [seed])
        yield Drawing(f"{stem}_seed{seed}_embeddings_unembeddings", figure, table)
        request.progress("models", number, len(models))
    if len(models) < 2:
        request.say("one model: nothing to compare.")
        return
    result = _cifar10_reps.summarize(models, measured, names)
    a, b = list(models)[:2]
    text = (
        f"seeds {a} and {b}, {request.split} set: m_CCA of embeddings "
        f"{result.values['m_cca_0_1']:.4f}, KL {result.values['kl_0_1']:.4f} and "
        f"{result.values['kl_1_0']:.4f} nats"
    )
    name = f"{stem}_embedding_comparison_{a}_{b}"
    yield _drawing(name, _cifar10_reps.STUDY, result, "embeddings", text)


def constructed(request: FigureRequest) -> Iterator[Drawing]:
    """A constructed model and its noisy copies, one figure per number of labels."""
    for labels in _constructed.LABELS:
        stem = f"constructed_even_{labels}_classes_noisy"
        sweep = _made(request, stem, _constructed.COLUMNS, noise_sweep, labels)
        result = _constructed.summarize({labels: sweep})
        name = f"{stem}_d_prob_vs_d_rep"
        yield _drawing(name, _constructed.STUDY, result, "copies")


def trained_synthetic(request: FigureRequest) -> Iterator[Drawing]:
    """Distances of all pairs on radial data, with both bounds."""
    pairs = _radial_pairs(request)
    present = "_".join(map(str, np.unique(pairs.distances["classes"])))
    name = f"all_model_distances{_options(request)}_SmallMLP_all_cls{present}"
    subsets = {f"{name}_d_prob_vs_d_rep": pairs}
    if request.each_setting:
        rows = existing_rows(request.results, "distances", _chosen(request))
        dates = {tuple(row[name] for name in MODEL): row["date"] for row in rows}
        for setting, date in dates.items():
            k, width, f, g = setting
            norms = (f"_g_{g:g}" if g else "") + (f"_f_{f:g}" if f else "")
            name = f"{date}_model_distances{_options(request)}_SmallMLP{norms}_{width}"
            values = {name: [x] for name, x in zip(MODEL, setting, strict=True)}
            subset = pairs.where(**values)
            if len(subset.distances["d_llv"]):
                subsets[f"{name}_cls{k}_d_prob_vs_d_rep"] = subset
    for stem, chosen in subsets.items():
        result = _trained_synthetic.summarize(chosen)
        yield _drawing(stem, _trained_synthetic.STUDY, result, "distances")


def width(request: FigureRequest) -> Iterator[Drawing]:
    """Means over pairs of accurate models with free norms."""
    pairs = _radial_pairs(request)
    if not len(pairs.accuracies["seed"]):
        raise InvalidInput(
            f"{request.results} has no accuracies. Make them with `similitude "
            f"closeness accuracies`, or use --compute."
        )
    setting = _width.STUDY.settings["paper"]
    nothing = True
    for classes in WIDTH_GROUPS:
        result = _width.summarize(pairs.where(classes=classes), setting)
        present = np.unique(np.asarray(result.tables["pairs"]["classes"])).tolist()
        if not present:
            for note in result.notes[:-1]:
                request.say(note)
            request.say(f"no results for K = {', '.join(map(str, classes))}.")
            continue
        nothing = False
        numbers = "_".join(map(str, present))
        stem = f"d_prob_d_rep_vs_width{_options(request)}_SmallMLP_cls{numbers}"
        yield _drawing(stem, _width.STUDY, result, "means")
    if nothing:
        raise InvalidInput(
            f"{request.results} has no width with {setting.models} models whose "
            f"measured accuracy is above {setting.accuracy}. The lines above say what "
            f"each width lacks."
        )


def loss_vs_mcca(request: FigureRequest) -> Iterator[Drawing]:
    """Differences of losses against m_CCA: one panel per M, all pairs of seeds."""
    if request.compute:
        measure_found(request, "cifar10", measure_mcca)
    rows = existing_rows(request.results, "mcca", {"model_type": IMAGE_MODELS})
    kind = request.one_type({row["model_type"] for row in rows})
    where = (request.results, kind)
    parts = {
        dim: _loss_vs_mcca.existing_part(*where, dim, request.date) for dim in DIMS
    }
    for dim in [dim for dim, part in parts.items() if not len(part["m_cca"])]:
        request.say(f"no pairs of {kind} with M = {dim}.")
        del parts[dim]
    result = _loss_vs_mcca.summarize(parts)
    stem = "test_loss_diff_vs_embedding_mcca"
    yield _drawing(stem, _loss_vs_mcca.STUDY, result, "pairs")


def synthetic_data(request: FigureRequest) -> Iterator[Drawing]:
    """The 20,000 training points."""
    data = radial_classification(classes=request.num_classes, split="train")
    table = _synthetic_data.points(data, len(data.labels))
    result = StudyResult(values={}, tables={"points": table})
    stem = f"train_data_illustration_cls{request.num_classes}"
    yield _drawing(stem, _synthetic_data.STUDY, result, "points")


def kl_goes_to_0(request: FigureRequest) -> Iterator[Drawing]:
    """KL goes to 0, the other distances do not; also as a LaTeX table."""
    columns = _made(request, "KL_table", KL_TABLE, kl_table)
    renamed = _kl_table.renamed(columns)
    result = _kl_table.summarize(columns["g_length"], [renamed])
    (figure,) = _kl_table.STUDY.draw(result).values()
    table = {name: columns[name] for name in KL_TABLE}
    latex = latex_table(columns)
    yield Drawing("KL_table", figure, table, result.notes, latex, latex)


def latex_table(columns: dict[str, Any]) -> str:
    """The table in the authors' layout: four decimals, rules are ``\\hline``."""
    lines = [r"\begin{tabular}{" + "r" * len(PRINTED) + "}", r"\hline"]
    lines.append(" & ".join(name.replace("_", " ") for name in PRINTED) + r" \\")
    lines.append(r"\hline")
    for length, *numbers in zip(*(columns[name] for name in PRINTED), strict=True):
        cells = [f"{length:g}", *(f"{number:.4f}" for number in numbers)]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _radial_pairs(request: FigureRequest) -> Pairs:
    """The pairs of models on radial data; with --compute, missing ones are measured."""
    if request.compute:
        options = {"weight": request.weight, "seed": request.seed}
        measure_found(request, "radial_classification", measure_distances, **options)
    part = columns_in(request.results, _chosen(request), request.weight)
    pairs = as_pairs([part])
    if not len(pairs.distances["d_llv"]):
        raise InvalidInput(
            f"{request.results} has no distances of models on radial data with the "
            f"weight {request.weight:g} (max, max, {request.split}). Make them with "
            f"`similitude closeness distances`, or use --compute."
        )
    return pairs


def _chosen(request: FigureRequest) -> dict[str, list[str]]:
    """Fields of rows of models on radial data, of this split and date."""
    wanted = {"model_type": ["SmallMLP"], "split": [str(request.split)]}
    return wanted if request.date is None else wanted | {"date": [request.date]}


def _options(request: FigureRequest) -> str:
    weight = str(request.weight).replace(".", "_")
    return f"_{request.split}_maxmax_w{weight}"


def _made(
    request: FigureRequest,
    stem: str,
    names: Sequence[str],
    make: Callable[..., dict[str, Any]],
    *arguments: Any,
) -> dict[str, Any]:
    """The columns of a file; with --compute they are made if it does not exist."""
    path = request.results / f"{stem}.json"
    if path.is_file():
        return read_document(path, names)
    if not request.compute:
        raise InvalidInput(
            f"{path} does not exist. Make it with the same command and --compute."
        )
    columns = make(*arguments, seed=request.seed, progress=request.progress)
    write_document(path, columns)
    return columns
