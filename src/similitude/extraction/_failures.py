"""Failures of a run, each as one message that says what is kept."""

from dataclasses import dataclass

import numpy as np

from ..errors import SimilitudeError


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


def model_error(error: BaseException, where: str, kept: int) -> SimilitudeError:
    lines = (str(error).strip() or "no message").splitlines()
    return SimilitudeError(
        f"the model raised {type(error).__name__} in {where}: {lines[0].rstrip('.')}. "
        f"{kept_batches(kept)} Run the same again to resume."
    )


def kept_batches(count: int) -> str:
    """A sentence about the batches that a resumed run does not repeat."""
    if count == 1:
        return "1 complete batch is kept."
    return f"{count} complete batches are kept."


def check_finite(rows: np.ndarray, layer: str, place: Place) -> None:
    """Raise an error that names the layer and the sample of a NaN or infinity."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum()):  # one NaN or infinity would make the sum so
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
    raise SimilitudeError(
        f"layer {layer!r} is {what} for {where} (unit {column}; "
        f"{np.count_nonzero(bad):,} of {bad.size:,} values of the batch). Fix the "
        f"model or remove the sample; the store has no new elements."
    )
