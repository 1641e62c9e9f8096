"""The running order of the layers of a model, from one pass over two samples."""

from typing import Any

from .._data._batches import Batch
from .._models._interface import Model


def running_order(
    model: Model, batch: Batch, device: Any = None
) -> dict[tuple[str, int], int]:
    """The place of each call of a layer: by completion, parts before containers.

    The tensors of a graph have the order of its nodes, which is known without a run.
    """
    names, _ = model.layers()
    if model.is_graph:
        return {(name, 1): place for place, name in enumerate(names)}
    found: dict[tuple[str, int], int] = {}

    def sink(module: str, call: int, output: Any) -> None:
        found[module, call] = len(found)

    small = batch.take([i % batch.size for i in range(2)])
    with model.session(names, device) as session:
        session.run(small.args, small.kwargs, sink)
    return found
