"""The class of the package torch_cka (PyTorch-Model-Compare)."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from .._base._progress import reporting
from ..errors import InvalidInput, require
from ..networks.extraction._data._loaders import check_loader
from ._changed import warn_changed
from ._hsic_sums import HsicSums
from ._layer_rows import LayerRows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CKA"]


class CKA:
    """CKA between the layers of two PyTorch models, from minibatches.

    The score of two layers is `similitude.minibatch_cka` with the batches of the
    loader: HSIC_1 is summed over batches, and the sums are divided. Memory is needed
    for one batch only.

    Parameters
    ----------
    model1, model2
        Modules of PyTorch. They are run in evaluation mode and without gradients, and
        are unchanged after `compare`.
    model1_name, model2_name
        Names for `export` and `plot_results`; by default the names of the classes.
    model1_layers, model2_layers
        Names of modules, as in ``named_modules()``. By default all modules that run.
    device
        Device of the models while `compare` runs.

    Notes
    -----
    The differences from the package:

    - Both models see the same batches, even if the loader shuffles.
    - Row i of the matrix belongs to entry i of ``model1_layers`` of `export`.
    - Layers that work in place do not change the rows of earlier layers.
    - Sums are in double precision, and a last batch of fewer than 4 rows is used.
    - Unknown layers and loaders of different lengths are errors.
    """

    def __init__(  # noqa: PLR0917 (the signature of the package)
        self,
        model1: Any,
        model2: Any,
        model1_name: str | None = None,
        model2_name: str | None = None,
        model1_layers: Sequence[str] | None = None,
        model2_layers: Sequence[str] | None = None,
        device: Any = "cpu",
    ) -> None:
        require("torch", feature="compat.torch_cka", extra="torch")
        self.model1, self.model2, self.device = model1, model2, device
        names = (
            model1_name or type(model1).__name__,
            model2_name or type(model2).__name__,
        )
        layers = model1_layers, model2_layers
        self._rows = [
            LayerRows(model, name, chosen)
            for model, name, chosen in zip((model1, model2), names, layers, strict=True)
        ]
        self._datasets: tuple[str, str] | None = None
        self._scores: Any = None

    def compare(self, dataloader1: Any, dataloader2: Any = None) -> None:
        """Run both models and compute the scores of all pairs of layers.

        Parameters
        ----------
        dataloader1
            Batches for both models. If a batch is a tuple or list, its first entry is
            the input.
        dataloader2
            Batches for the second model. Sample i must correspond to sample i of
            `dataloader1`, so both loaders must not shuffle.
        """
        import torch

        warn_changed(
            "torch_cka.CKA labels each row with its own layer, copies outputs before "
            "in-place layers change them, and shows both models the same batches. The "
            "old package had the labels in another order than the rows, and its "
            "earlier versions paired different samples if the loader shuffled."
        )
        self._scores = None
        with ExitStack() as stack:
            for rows in self._rows:
                stack.enter_context(rows.session(self.device))
            report = stack.enter_context(reporting("auto", "batches"))
            sums, batches = HsicSums(), _number_of_batches(dataloader1)
            for done, (x1, x2) in enumerate(_pairs(dataloader1, dataloader2), start=1):
                sums.add(self._rows[0].of(x1), self._rows[1].of(x2))
                if batches is not None:
                    report("comparing layers", done, batches)
            scores = sums.finish()
        second = dataloader1 if dataloader2 is None else dataloader2
        self._datasets = _dataset(dataloader1), _dataset(second)
        self._scores = torch.tensor(scores)

    @property
    def hsic_matrix(self) -> Any:
        """The scores as a float64 tensor: a row per layer of the first model."""
        if self._scores is None:
            raise InvalidInput("there are no scores yet; call compare(dataloader).")
        return self._scores

    def export(self) -> dict[str, Any]:
        """The scores, and the names of models, layers and data sets.

        Returns
        -------
        dict
            With the keys ``model1_name``, ``model2_name``, ``CKA`` (a tensor),
            ``model1_layers``, ``model2_layers``, ``dataset1_name``, ``dataset2_name``.
        """
        scores, datasets = self.hsic_matrix, self._datasets
        assert datasets is not None
        return {
            "model1_name": self._rows[0].name,
            "model2_name": self._rows[1].name,
            "CKA": scores,
            "model1_layers": list(self._rows[0].names),
            "model2_layers": list(self._rows[1].names),
            "dataset1_name": datasets[0],
            "dataset2_name": datasets[1],
        }

    def plot_results(self, save_path: Any = None, title: str | None = None) -> "Axes":
        """Plot the scores as an image, and show it on an interactive backend.

        Parameters
        ----------
        save_path
            File for the figure. Its suffix chooses the format.
        title
            Title of the figure; by default the names of the models.

        Returns
        -------
        matplotlib Axes
        """
        scores = self.hsic_matrix
        plt = require("matplotlib.pyplot", feature="plot_results", extra="plot")
        registry = require("matplotlib.backends", feature="plot_results", extra="plot")
        names = [rows.name for rows in self._rows]
        figure, ax = plt.subplots(layout="constrained")
        image = ax.imshow(scores.numpy(), origin="lower", cmap="magma", vmax=1)
        ax.set_xlabel(f"Layers {names[1]}", parse_math=False)
        ax.set_ylabel(f"Layers {names[0]}", parse_math=False)
        shown = f"{names[0]} vs {names[1]}" if title is None else title
        ax.set_title(shown, parse_math=False)
        figure.colorbar(image, ax=ax, label="CKA")
        if save_path is not None:
            figure.savefig(save_path, dpi=300)
        interactive = registry.backend_registry.list_builtin(
            registry.BackendFilter.INTERACTIVE
        )
        if plt.get_backend().lower() in interactive:
            plt.show()
        return ax


def _pairs(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    """Inputs of both models; the same ones if there is one loader."""
    if second is None or second is first:
        for batch in first:
            yield _inputs(batch), _inputs(batch)
        return
    check_loader(first)
    check_loader(second)
    for number, batches in enumerate(zip_longest(first, second)):
        sizes = [0 if b is None else len(_inputs(b)) for b in batches]
        if sizes[0] != sizes[1]:
            raise InvalidInput(
                f"batch {number} has {sizes[0]} samples in dataloader1 and {sizes[1]} "
                f"in dataloader2; give loaders of the same stimuli and batch size."
            )
        yield _inputs(batches[0]), _inputs(batches[1])


def _number_of_batches(loader: Any) -> int | None:
    try:
        return len(loader)
    except TypeError:  # a generator, or an iterable data set
        return None


def _inputs(batch: Any) -> Any:
    return batch[0] if isinstance(batch, tuple | list) else batch


def _dataset(loader: Any) -> str:
    """The first line of the data set's text, as in the package."""
    dataset = getattr(loader, "dataset", None)
    return type(loader).__name__ if dataset is None else repr(dataset).split("\n")[0]
