"""Transforms between encoder and decoder: none, a map, or relative rows."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...errors import InvalidInput, Undefined, check_known
from ..align import MAPS, Map, fit_procrustes
from ..align.relative import TRANSFORMS, Relative
from ._identity import identity
from ._spaces import Embeddings

MapFit = Callable[[Any, Any], Map]


@dataclass(frozen=True, eq=False)
class Transform:
    """The transform of the decoder's training rows and of its test rows."""

    name: str
    relative: Relative | None = None
    fit: MapFit | None = None
    words: str = ""
    allow_duplicates: bool = False  # among the anchors of relative rows

    @property
    def explanation(self) -> str:
        """One line that says what the decoder gets."""
        if self.words:
            return self.words
        if self.relative is not None:
            return f"relative rows: {first_line(type(self.relative).__doc__)}"
        fit = self.fit.func if isinstance(self.fit, partial) else self.fit
        return f"map fitted to the anchors: {first_line(fit.__doc__)}"

    def decoder_rows(self, home: Embeddings) -> np.ndarray:
        """Return the training rows of the decoder, from its home encoder."""
        return home.train if self.relative is None else self._relative(home)(home.train)

    def encoder_rows(self, space: Embeddings, home: Embeddings) -> np.ndarray:
        """Return the test rows of the decoder: transformed rows of an encoder."""
        if self.relative is not None:
            return self._relative(space)(space.test)
        if self.fit is not None:
            return self.fit(space.anchors, home.anchors).apply(space.test)
        if space.test.shape[1] != home.train.shape[1]:
            raise Undefined(
                f"the encoder returns {space.test.shape[1]} columns, but the decoder "
                f"takes {home.train.shape[1]}: absolute rows cannot be used."
            )
        return space.test

    def _relative(self, space: Embeddings) -> Callable[[np.ndarray], np.ndarray]:
        assert self.relative is not None
        reference = space.train if self.relative.takes_reference else None
        return self.relative.fit(
            space.anchors, reference, allow_duplicates=self.allow_duplicates
        )

    @cached_property
    def identity(self) -> str:
        """Text that identifies the transform in a folder of cells."""
        if self.relative is not None:
            text = json.dumps(self.relative.to_json())
            return f"{text} with duplicates" if self.allow_duplicates else text
        return identity(self.fit)


def first_line(text: str | None) -> str:
    """The start of a docstring without formulas, in a form that ends a sentence."""
    line = (
        (text or "").strip().partition("\n")[0].replace(":math:`\\sqrt d`", "sqrt(d)")
    )
    line = line.partition(":")[0].replace("`", "").removeprefix("Fit ").strip(" .")
    return line[:1].lower() + line[1:] or "without a description"


ABSOLUTE = Transform("absolute", words="the rows themselves, unchanged")
PROCRUSTES = Transform(
    "procrustes",
    fit=partial(fit_procrustes, translate=True, scale=True),
    words="map fitted to the anchors: the best rotation, scale and shift",
)
BASELINES = {transform.name: transform for transform in (ABSOLUTE, PROCRUSTES)}


def read_transforms(
    transforms: Sequence[str | Relative] | Mapping[str, Relative | MapFit],
    *,
    allow_duplicates: bool = False,
) -> list[Transform]:
    """Return the two baselines, then the requested transforms."""
    found = dict(BASELINES)
    named: dict[str, Any] = {}
    if isinstance(transforms, Mapping):
        named = dict(transforms)
    else:
        for item in transforms:
            label = item.label if isinstance(item, Relative) else item
            if label in named:
                raise InvalidInput(
                    f"transforms: {label!r} is given twice; give each transform once."
                )
            named[label] = item if isinstance(item, Relative) else _by_name(item)
    for name, item in named.items():
        if name in found:
            if item in (None, MAPS["procrustes"]):  # a baseline requested by name
                continue
            raise InvalidInput(
                f"transforms: {name!r} is reserved for a baseline; choose another name."
            )
        if isinstance(item, Relative):
            found[name] = Transform(
                name, relative=item, allow_duplicates=allow_duplicates
            )
        elif callable(item):
            found[name] = Transform(name, fit=item)
        else:
            raise InvalidInput(
                f"transforms: {name!r} is {item!r}; give a relative transform or a "
                f"function that fits a map, such as align.fit_affine."
            )
    return list(found.values())


def _by_name(name: str) -> Any:
    if name == "absolute":
        return None
    if name in MAPS:
        return MAPS[name]
    names = ["absolute", *MAPS, *TRANSFORMS]
    check_known(name, names, f"transforms: unknown name {name!r}")
    return TRANSFORMS[name]()
