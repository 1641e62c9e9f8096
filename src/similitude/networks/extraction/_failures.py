"""Failures of a run, each as one message that says what is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._validate import overflow_of_half
from ...errors import SimilitudeError, either

_CHANNELS = (1, 3, 4)  # of gray, RGB and RGBA images


@dataclass(frozen=True, eq=False)
class Place:
    """A batch, by its number and the ids of its samples."""

    batch: int
    ids: np.ndarray

    def __str__(self) -> str:
        return f"batch {self.batch} (samples {self.ids[0]} to {self.ids[-1]})"

    def kept(self) -> str:
        """A sentence about the batches before this one."""
        return kept_batches(self.batch)


def model_error(
    error: BaseException, where: str, kept: int, inputs: Sequence[Any]
) -> SimilitudeError:
    lines = (str(error).strip() or "no message").splitlines()
    advice = f"{kept_batches(kept)} Run the same again to resume."
    if kept == 0:  # the model has not run on these inputs yet
        advice = f"Fix the model or its inputs.{_channels_last(inputs)}"
    return SimilitudeError(
        f"the model raised {type(error).__name__} in {where}: {lines[0].rstrip('.')}. "
        f"{advice}"
    )


def _channels_last(inputs: Sequence[Any]) -> str:
    """A sentence about images whose channels are in the last axis."""
    for value in inputs:
        shape = tuple(getattr(value, "shape", ()))
        if len(shape) == 4 and shape[3] in _CHANNELS and shape[1] not in _CHANNELS:
            remedy = either(
                python="preprocessing=ImagePreprocessing(scale=1)",
                shell="--layout nchw --scale 1",
            )
            return (
                f" The inputs have shape {' x '.join(map(str, shape))}. If the "
                f"channels are last, use {remedy} (without the scale for bytes)."
            )
    return ""


def kept_batches(count: int) -> str:
    """A sentence about the batches that a resumed run does not repeat."""
    if count == 1:
        return "1 complete batch is kept."
    return f"{count} complete batches are kept."


def check_finite(rows: np.ndarray, layer: str, place: Place, dtype: str) -> None:
    """Raise an error that names the layer and the sample of a NaN or infinity.

    `dtype` is that of the model; rows of half precision are stored as float32.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum()):  # one NaN or infinity would make the sum non-finite
            return
    bad = ~np.isfinite(rows)
    if not bad.any():  # large finite values
        return
    row, column = np.argwhere(bad)[0].tolist()
    samples = len(place.ids)
    where = (
        f"sample {place.ids[row]}" if len(rows) == samples else f"row {row} of {place}"
    )
    what = "NaN" if np.isnan(rows[row, column]) else "infinite"
    cause = "" if what == "NaN" else overflow_of_half("The model", dtype)
    raise SimilitudeError(
        f"layer {layer!r} is {what} for {where} (unit {column}; "
        f"{np.count_nonzero(bad):,} of {bad.size:,} values of the batch).{cause} Fix "
        f"the model or remove the sample; the store has no new elements."
    )
