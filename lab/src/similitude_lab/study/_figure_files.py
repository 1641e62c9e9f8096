"""Files of figures."""

from pathlib import Path

from similitude.store import write_atomically

from ._study import Figure

METADATA = {"png": {"Software": None}, "pdf": {"CreationDate": None}}


def write_figure(figure: Figure, folder: Path, name: str) -> tuple[Path, Path]:
    """Write a figure as PNG and PDF, without dates: equal data give equal bytes."""
    paths = folder / f"{name}.png", folder / f"{name}.pdf"
    for path, (kind, metadata) in zip(paths, METADATA.items(), strict=True):
        options = {"format": kind, "dpi": 110, "metadata": metadata}
        write_atomically(path, lambda file, o=options: figure.savefig(file, **o))  # type: ignore[misc]
        figure.set_layout_engine(None)  # the places of the PNG, which are found slowly
    return paths
