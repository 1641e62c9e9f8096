"""Representations without the means of classes, and of the means alone."""

import functools
import hashlib
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...inputs import class_means, without_class_means
from ...representation import Domain, Representation


@dataclass(frozen=True, eq=False)
class Residuals:
    """A reader of the rows of a representation minus the means of their classes."""

    whole: Representation
    classes: np.ndarray  # 0, 1, ... for each row
    domain: ClassVar[Domain] = "points"

    @property
    def shape(self) -> tuple[int, int]:
        return self.whole.n, self.whole.d

    @functools.cached_property
    def content(self) -> str:
        parts = self.whole.sha256.encode() + self.classes.astype(np.int64).tobytes()
        return hashlib.sha256(parts).hexdigest()

    def read(self) -> Any:
        return without_class_means(self.whole.load(), self.classes).values


def within_classes(rep: Representation, classes: np.ndarray) -> Representation:
    meta = {"whole": rep.sha256}
    return replace(rep, values=Residuals(rep, classes), meta=meta, fields={})


def between_classes(rep: Representation, classes: np.ndarray) -> Representation:
    """The means of the classes: one row per class."""
    meta, means = {"whole": rep.sha256}, class_means(rep.load(), classes)
    return replace(rep, values=means, ids=None, blocks=None, meta=meta, fields={})


def classes_removed(rep: Representation) -> np.ndarray | None:
    """The classes whose means are removed from the rows, if there are any."""
    return rep.values.classes if isinstance(rep.values, Residuals) else None
