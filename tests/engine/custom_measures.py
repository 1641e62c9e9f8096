"""Custom measures with faults, for tests of the engine."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from similitude import Measure
from similitude.measures import Claims


@dataclass(frozen=True, kw_only=True)
class CustomMeasure(Measure):
    """The mean product of the first columns; the option `fault` selects an error."""

    name: ClassVar[str] = "own"
    refs: ClassVar[tuple[str, ...]] = ()

    fault: str = ""

    def claims(self) -> Claims:
        return Claims(kind="similarity", range=(-np.inf, np.inf))

    def prepare(self, x: Any, seed: Any = None) -> np.ndarray:
        return np.asarray(x)[:, 0]

    def compare(self, p: np.ndarray, q: np.ndarray) -> np.float64:
        if self.fault in {"nan", "inf", "-inf"}:
            return np.float64(self.fault)
        if self.fault == "nan in the null" and not np.any(p == q):
            return np.float64("nan")
        return np.float64(np.mean(p * q))

    def details(self, p: np.ndarray, q: np.ndarray) -> dict[str, Any]:
        if self.fault == "details raise":
            raise RuntimeError("nothing to tell")
        if self.fault == "numpy details":
            return {
                "count": np.int64(3),
                "array": np.arange(2.0),
                "nan": np.float64("nan"),
                "inf": np.inf,
                "nested": {1: (np.float32(0.5), None, True)},
                "object": {1},
            }
        return {}


@dataclass(frozen=True, kw_only=True)
class AllNaN(Measure):
    """`compare_all` gives NaN for the pairs for which `compare` raises."""

    name: ClassVar[str] = "all_nan"
    refs: ClassVar[tuple[str, ...]] = ()

    def claims(self) -> Claims:
        return Claims(kind="similarity", range=(-1.0, 1.0))

    def prepare(self, x: Any, seed: Any = None) -> np.ndarray:
        return np.asarray(x)[:, 0]

    def compare(self, p: np.ndarray, q: np.ndarray) -> np.float64:
        if min(p[0], q[0]) < 0:
            raise ZeroDivisionError("a negative start")
        return np.float64(0.25)

    def compare_all(self, ps: Any) -> np.ndarray:
        start = np.array([p[0] for p in ps])
        scores = np.full((len(ps), len(ps)), 0.25)
        scores[(start[:, None] < 0) | (start[None, :] < 0)] = np.nan
        return scores


@dataclass(frozen=True, kw_only=True)
class NeedsExtra(Measure):
    """Needs an optional dependency; `prepare` always raises."""

    name: ClassVar[str] = "needs_extra"
    refs: ClassVar[tuple[str, ...]] = ()
    extra: ClassVar[str | None] = "ot"

    def claims(self) -> Claims:
        return Claims(kind="similarity", range=(-1.0, 1.0))

    def prepare(self, x: Any, seed: Any = None) -> Any:
        raise RuntimeError("out of luck")

    def compare(self, p: Any, q: Any) -> np.float64:
        return np.float64(0.0)
