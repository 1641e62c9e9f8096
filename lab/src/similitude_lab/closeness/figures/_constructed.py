"""Figures without trained models: constructed models, the KL table, the data."""

from typing import Any

from similitude.errors import InvalidInput
from similitude.plots import new_figure
from similitude.store import write_atomically

from ..data import radial_classification
from ..plots import plot_lengths, plot_radial_data, plot_term_bound
from ..results._authors import read_document, write_document
from ..results._constructed import kl_table, noise_sweep
from ._distances import TERMS
from ._request import Request

LABELS = (4, 5, 6, 10, 18)
SWEEP = ("noise", "d_llv", "t1", "t2", "d_f", "d_g", "d_fg")
TABLE = (
    "g_length",
    "KL_div",
    "d_prob",
    "mCCA_f",
    "mCCA_g",
    "max_d_rep_f",
    "max_d_rep_g",
)
PRINTED = ("g_length", "KL_div", "d_prob", "mCCA_f", "max_d_rep_f")


def draw_constructed(request: Request) -> None:
    """d_LLV_constructed: a constructed model and its noisy copies."""
    for labels in LABELS:
        stem = f"constructed_even_{labels}_classes_noisy"
        path = request.results / f"{stem}.json"
        columns = _made(
            request, path, SWEEP, lambda k=labels: noise_sweep(k, **_options(request))
        )
        figure = new_figure(13.5, 4.8)
        for ax, (which, x, y) in zip(figure.subplots(1, 3), TERMS, strict=True):
            plot_term_bound(
                columns[x],
                columns[y],
                dimension=2,
                which=which,  # type: ignore[arg-type]
                ax=ax,
            )
        figure.suptitle(f"K = {labels}: a constructed model and copies with noise")
        request.save(figure, f"{stem}_d_prob_vs_d_rep", _rows(columns, SWEEP))


def draw_table(request: Request) -> str:
    """KL_table: KL goes to 0, the other distances do not. Returns the LaTeX table."""
    path = request.results / "KL_table.json"
    columns = _made(request, path, TABLE, lambda: kl_table(**_options(request)))
    figure = new_figure(6.4, 3.8)
    plot_lengths(
        columns["g_length"],
        kl=columns["KL_div"],
        llv=columns["d_prob"],
        m_cca_f=columns["mCCA_f"],
        d_f=columns["max_d_rep_f"],
        ax=figure.subplots(),
    )
    request.save(figure, "KL_table", _rows(columns, TABLE))
    text = latex_table(columns)
    path = request.output / "KL_table.tex"
    write_atomically(path, lambda file: file.write(text.encode()))
    request.written.append(path)
    return text


def draw_data(request: Request) -> None:
    """synthetic_data: the 20,000 training points."""
    data = radial_classification(classes=request.num_classes, split="train")
    figure = new_figure(6.8, 6.0)
    plot_radial_data(data.points, data.labels, ax=figure.subplots())
    rows = [
        {"x1": x, "x2": y, "class": label}
        for (x, y), label in zip(data.points, data.labels.tolist(), strict=True)
    ]
    request.save(figure, f"train_data_illustration_cls{request.num_classes}", rows)


def latex_table(columns: dict[str, Any]) -> str:
    """The table in the authors' layout: four decimals, rules are ``\\hline``."""
    lines = [r"\begin{tabular}{" + "r" * len(PRINTED) + "}", r"\hline"]
    lines.append(" & ".join(name.replace("_", " ") for name in PRINTED) + r" \\")
    lines.append(r"\hline")
    for row in _rows(columns, PRINTED):
        length, *numbers = row.values()
        cells = [f"{length:g}", *(f"{number:.4f}" for number in numbers)]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _options(request: Request) -> dict[str, Any]:
    return {"seed": request.seed, "progress": request.progress}


def _made(request: Request, path: Any, keys: tuple[str, ...], make: Any) -> Any:
    """The columns of a file; with --compute they are made if it does not exist."""
    if path.is_file():
        return read_document(path, keys)
    if not request.compute:
        raise InvalidInput(
            f"{path} does not exist. Make it with the same command and --compute."
        )
    columns = make()
    write_document(path, columns)
    return columns


def _rows(columns: dict[str, Any], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        dict(zip(names, values, strict=True))
        for values in zip(*(columns[name] for name in names), strict=True)
    ]
