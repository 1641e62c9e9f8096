"""`load`: read all representations and outputs in paths."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..._base._natural import natural_layer
from ..._base._printable import printable
from ...errors import InvalidInput
from ...representation import Representation, gather
from .._files import read_files
from .._formats import ReadLimits
from .._store import open_store
from ._distinct_names import Found, with_distinct_names
from ._folders import is_store, sources, with_column
from ._outputs import read_outputs

Paths = str | Path | Iterable[str | Path]


def load(
    paths: Paths = (),
    *,
    outputs: Paths | Mapping[str, str | Path] = (),
    targets: str | Path | None = None,
    limits: ReadLimits | None = None,
) -> list[Representation]:
    """Read all representations in files, folders of files, and stores.

    ``similitude compare`` reads its paths with this function.

    Parameters
    ----------
    paths
        A path, or several. A file holds one representation, or one for each of its
        arrays; `similitude.store.read_files` lists the formats. ``FILE:name`` reads
        one array or column of a file. In a folder, a nested
        folder is a model, and its files are the layers: ``reps/resnet/layer1.npy`` is
        the layer ``layer1`` of the model ``resnet``. Hidden files, and results folders
        inside a folder, are left out.
    outputs
        Files or folders with outputs of classifiers, one classifier per file, or a
        mapping of names to files. The values are predicted classes (n integers), or
        logits or probabilities (n x K). Named arrays are called ``predictions``,
        ``logits``, ``probabilities``, ``log_probs`` or ``targets``; other arrays of
        such a file are left out. A matrix without a name holds probabilities if its
        rows are not negative and sum to 1, otherwise logits.
    targets
        A file with the true class of each stimulus, for all outputs.
    limits
        Counts the memory of all files that are read with it.

    Returns
    -------
    list of Representation
        Equal names get as much of their path as is needed to make them distinct.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np, similitude as sim
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "resnet").mkdir()
    >>> for layer in ("layer1", "layer2"):
    ...     np.save(folder / "resnet" / f"{layer}.npy", np.eye(4))
    >>> [rep.name for rep in sim.load(folder)]
    ['resnet/layer1', 'resnet/layer2']
    """
    limits = limits or ReadLimits()
    found = [item for path in _listed(paths) for item in _read(path, limits)]
    reps = gather(with_distinct_names(found))
    if targets is not None and not outputs:
        raise InvalidInput(f"targets {targets}: they need outputs.")
    if outputs:
        files = _output_files(outputs)
        column = None if targets is None else Path(targets)
        reps += read_outputs(files, column, limits, taken={rep.name for rep in reps})
    return gather(reps)


def _output_files(
    outputs: Paths | Mapping[str, str | Path],
) -> list[tuple[str | None, Path, tuple[str, ...]]]:
    """The name of each classifier if it is given, its file, and nested folders."""
    if not isinstance(outputs, Mapping):
        return [(None, *found) for path in _listed(outputs) for found in sources(path)]
    files: list[tuple[str | None, Path, tuple[str, ...]]] = []
    for name, path in outputs.items():
        found = sources(Path(path))
        if len(found) > 1:
            raise InvalidInput(
                f"{path} has outputs of {len(found)} classifiers; name each file, or "
                f"give the folder without a name."
            )
        files.append((name, *found[0]))
    return files


def _listed(paths: Paths) -> list[Path]:
    if isinstance(paths, str | Path):
        return [Path(paths)]
    return [Path(path) for path in paths]


def _read(path: Path, limits: ReadLimits) -> list[Found]:
    """The representations of one path, with the file of each."""
    found = []
    path, column = with_column(path)
    for file, inner in sources(path):
        if is_store(file):
            store = open_store(file)
            elements = store.ordered(store.ids())
            pairs = [(file / name, rep) for name, rep in elements]
            inner = ()  # elements of a store have their own names
        else:
            reps = read_files(file, limits=limits, column=column)
            names = [rep.name for rep in reps]
            if names == sorted(names):  # the format has no order of its own
                reps.sort(key=lambda rep: natural_layer(rep.layer or rep.name))
            pairs = [(file, rep) for rep in reps]
        found += [
            Found(path.resolve(), one.resolve(), _in_model(rep, inner), len(inner))
            for one, rep in pairs
        ]
    if not found:
        raise InvalidInput(f"{path} is a store without representations.")
    return found


def _in_model(rep: Representation, inner: tuple[str, ...]) -> Representation:
    """A file in a nested folder is a layer; a file with several layers is a model."""
    if not inner:
        return rep
    folder = "/".join(map(printable, inner))
    name = f"{folder}/{rep.name}"
    if rep.model == rep.name:  # the file holds one array
        return replace(rep, name=name, model=folder, layer=rep.name)
    return replace(rep, name=name, model=f"{folder}/{rep.model}")
