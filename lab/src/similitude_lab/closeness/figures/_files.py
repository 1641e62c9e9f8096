"""Files of a figure: PNG, PDF, and the CSV with the numbers behind it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.store import write_atomically

from ..results._table import write_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 150


def save_figure(
    figure: "Figure", folder: Path, stem: str, rows: Sequence[Mapping[str, Any]]
) -> list[Path]:
    """Write the CSV first, then the pictures, each atomically."""
    paths = [folder / f"{stem}{suffix}" for suffix in (".csv", ".png", ".pdf")]
    write_csv(paths[0], [_plain(row) for row in rows])
    for path, options in zip(paths[1:], ({"dpi": DPI}, {"dpi": 2 * DPI}), strict=True):
        kind = path.suffix.removeprefix(".")
        about = {"CreationDate": None} if kind == "pdf" else {"Software": "similitude"}

        def write(file: Any, kind: str = kind, options: Any = options) -> None:
            figure.savefig(file, format=kind, metadata=about, **options)  # noqa: B023

        write_atomically(path, write)
    return paths


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Coordinates of networks, in numpy types, with the seven digits of float32."""
    return {
        key: f"{value:.7g}" if isinstance(value, np.floating) else value
        for key, value in row.items()
    }
