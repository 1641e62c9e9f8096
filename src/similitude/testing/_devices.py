"""The check of arrays on a device that numpy cannot read, as the memory of a GPU.

array-api-strict has such devices, one of them without float64.
"""

from typing import Any

import numpy as np

from .._base import _array
from ..measures import Measure
from ._agreement import agree
from ._battery import draws_for, mapped, row_count
from ._libraries import installed
from ._values import called

DEVICES = ("device1", "no_float64")


def check_device(measure: Measure) -> None:
    """All measures accept arrays on a device; the claim `on_device` holds."""
    for library in installed(("array_api_strict",)):
        # Without the claim, a device without float64 is not promised.
        for device in DEVICES if measure.claims().on_device else DEVICES[:1]:
            try:
                moved = moved_rows(measure, library, device)
            except (ValueError, TypeError, RuntimeError) as error:
                raise AssertionError(
                    f"arrays on {device} are not accepted: {type(error).__name__}: "
                    f"{error}. Make new arrays there, as xp.eye(n, device=x.device), "
                    f"or copy rows to the host with similitude.plugins.to_numpy"
                ) from error
            assert not (moved and measure.claims().on_device), (
                f"claims on_device, but copies arrays of shape {moved[0]} to the host"
            )


def moved_rows(measure: Measure, library: Any, device: str) -> list[tuple[int, ...]]:
    """The shapes of arrays with one entry per row that are copied to the host.

    The score must be that of numpy, and on the device. Small arrays, such as the
    singular values, may be copied: a host factorizes small matrices faster.
    """
    draw = draws_for(measure)[0]
    single = device == "no_float64"

    def narrowed(v: np.ndarray) -> np.ndarray:
        return v.astype(np.float32) if single and v.dtype == np.float64 else np.array(v)

    place = library.Device(device)
    expected = called(measure, mapped(draw.x, narrowed), mapped(draw.y, narrowed))
    x, y = (
        mapped(v, lambda a: library.asarray(narrowed(a), device=place))
        for v in (draw.x, draw.y)
    )
    with _array.moves_to_host() as moved:
        score = called(measure, x, y)
    assert score.device == place, f"input on {device}, score on {score.device}"
    host = _array.to_numpy(score)
    agree(host, expected, device, tolerance=2e-3 if single else 1e-9)
    rows = row_count(draw.x)
    return [shape for shape in moved if any(size >= rows for size in shape)]
