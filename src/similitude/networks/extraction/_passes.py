"""Forward passes: the first ones, which find the tensors, and those over the data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import SimilitudeError
from ._data._batches import Batch
from ._failures import Place, check_finite, model_error
from ._layers._collector import Collector
from ._layers._patterns import Asked
from ._layers._reducers import Reducer, Situation
from ._layers._targets import Target, find_targets
from ._models._interface import Model, Session


def first_passes(
    model: Model,
    session: Session,
    asked: Sequence[Asked],
    batch: Batch,
    *,
    reducers: Callable[[str], Reducer | None],
    batch_axes: int | Mapping[str, int] | None,
    samples: int,
    lenient: bool = False,
) -> list[Target]:
    """The tensors of the asked layers; `samples` is the number of all samples."""
    facts = Situation(
        samples, batch.mask is not None, _has_token_ids(batch), batch.words is not None
    )
    try:
        return find_targets(
            model,
            session,
            asked,
            batch,
            reducers=reducers,
            batch_axes=batch_axes,
            facts=facts,
            lenient=lenient,
        )
    except SimilitudeError:
        raise
    except Exception as error:  # the code of the user raises any type
        where = "a first batch of 2 samples"
        raise model_error(error, where, 0, _inputs(batch)) from error


def rows_of_batch(
    model: Model,
    session: Session,
    batch: Batch,
    collector: Collector,
    place: Place,
    *,
    kept: int,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """The rows of all targets; `kept` batches are on the disk if the model fails.

    The number of the batch, plus a seed, is the seed of random numbers.
    """
    collector.start(batch)
    try:
        session.seed = place.batch + seed
        session.run(batch.args, batch.kwargs, collector)
        rows = collector.finish(model)
    except SimilitudeError as error:
        raise type(error)(f"{place}: {error}") from error
    except Exception as error:  # the code of the user raises any type
        raise model_error(error, str(place), kept, _inputs(batch)) from error
    for name, array in rows.items():
        check_finite(array, name, place, model.dtype)
    return rows


def _inputs(batch: Batch) -> list[Any]:
    return [*batch.args, *batch.kwargs.values()]


def _has_token_ids(batch: Batch) -> bool:
    """Whether the first input is whole numbers of samples x tokens."""
    first: Any = next(iter(_inputs(batch)))
    return getattr(first, "ndim", 0) == 2 and "int" in str(first.dtype)
