"""What encoders make of the data: embedded once, whatever they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ... import _array
from ..._validate import points
from ...errors import InvalidInput
from ...representation import fingerprint
from .._weights import as_weights


@dataclass(frozen=True, eq=False)
class StitchingData:
    """A classification task with anchors, in one domain.

    Attributes
    ----------
    train_labels, test_labels
        n and m integers.
    train, test, anchors
        Inputs of the encoders, first axis the samples; not needed by encoders that
        come as `Embeddings`. Anchors of several domains must be parallel: row i means
        the same in all of them. They should not be test samples.
    ordinal
        Labels are places on a scale: errors have sizes, and MAE is reported.
    """

    train_labels: Any
    test_labels: Any
    train: Any = None
    test: Any = None
    anchors: Any = None
    ordinal: bool = False

    def __post_init__(self) -> None:
        for name in ("train_labels", "test_labels"):
            labels = getattr(self, name)
            labels = _array.to_numpy(labels) if _array.is_array(labels) else labels
            labels = np.asarray(labels)
            if labels.ndim != 1 or labels.dtype.kind not in "iu":
                raise InvalidInput(
                    f"{name} must be integers, one per sample; got shape "
                    f"{labels.shape} and dtype {labels.dtype}."
                )
            object.__setattr__(self, name, labels.astype(np.int64))


@dataclass(frozen=True, eq=False)
class Embeddings:
    """One encoder's rows of the training samples, the test samples and the anchors."""

    train: np.ndarray
    test: np.ndarray
    anchors: np.ndarray

    def __post_init__(self) -> None:
        for f in fields(self):
            rows = points(getattr(self, f.name), f.name).values
            object.__setattr__(self, f.name, _array.to_numpy(rows))
        widths = {f.name: getattr(self, f.name).shape[1] for f in fields(self)}
        if len(set(widths.values())) > 1:
            raise InvalidInput(
                f"embeddings have {widths} columns; all three are of one encoder and "
                f"have as many."
            )

    @cached_property
    def sha256(self) -> str:
        """Of all rows, so that a result can tell whether it is still about these."""
        return "".join(fingerprint(getattr(self, f.name)) for f in fields(self))

    def with_anchors(self, chosen: np.ndarray) -> "Embeddings":
        return Embeddings(self.train, self.test, self.anchors[chosen])


@dataclass(frozen=True, eq=False)
class PerSeed:
    """An encoder that was trained several times: seed -> encoder or `Embeddings`."""

    members: Mapping[int, Any]


def spaces_of(
    encoders: Mapping[str, Any],
    data: StitchingData | Mapping[str, StitchingData],
    seed: int,
    cache: dict[tuple[int, int], Embeddings],
) -> dict[str, Embeddings]:
    """All encoders' rows for one seed; `cache` is by encoder and data."""
    found = {}
    for name, encoder in encoders.items():
        if isinstance(encoder, PerSeed):
            if seed not in encoder.members:
                raise InvalidInput(
                    f"encoder {name!r} has no member for seed {seed}; it has "
                    f"{sorted(encoder.members)}."
                )
            encoder = encoder.members[seed]
        mine = data_of(data, name)
        key = id(encoder), id(mine)
        if key not in cache:
            cache[key] = embed(encoder, mine, name)
        found[name] = cache[key]
    return found


def data_of(
    data: StitchingData | Mapping[str, StitchingData], encoder: str
) -> StitchingData:
    """The data of one encoder: the same for all, or those of its domain."""
    if isinstance(data, StitchingData):
        return data
    if encoder not in data:
        raise InvalidInput(
            f"data has no entry for encoder {encoder!r}; it has {', '.join(data)}."
        )
    return data[encoder]


def embed(
    encoder: Callable[[Any], Any] | Embeddings,
    data: StitchingData,
    name: str = "encoder",
    *,
    batch: int = 512,
) -> Embeddings:
    """What an encoder makes of the data, as numpy rows.

    A torch module runs in evaluation mode, without gradients and in batches, and is
    left as it was found; real inputs are brought to the precision and device of its
    weights. Any other function is called with each array once. Outputs with more than
    two axes are flattened.
    """
    if isinstance(encoder, Embeddings):
        found = encoder
    else:
        rows = {}
        for part in ("train", "test", "anchors"):
            values = getattr(data, part)
            if values is None:
                raise InvalidInput(
                    f"{name} is a function and data.{part} is None; give the inputs, "
                    f"or pass Embeddings(train, test, anchors)."
                )
            rows[part] = run_encoder(encoder, values, batch)
        found = Embeddings(**rows)
    for part, labels in (("train", data.train_labels), ("test", data.test_labels)):
        if len(getattr(found, part)) != len(labels):
            raise InvalidInput(
                f"{name} has {len(getattr(found, part))} {part} rows and there are "
                f"{len(labels)} {part}_labels."
            )
    return found


def run_encoder(encoder: Callable[[Any], Any], values: Any, batch: int) -> np.ndarray:
    if not hasattr(encoder, "state_dict"):  # not a torch module
        out = encoder(values)
        out = _array.to_numpy(out) if _array.is_array(out) else np.asarray(out)
        return out.reshape(len(out), -1)
    import torch

    module: Any = encoder
    modes = {id(m): m.training for m in module.modules()}
    module.eval()
    try:
        with torch.no_grad():
            parts = [
                module(as_weights(values[i : i + batch], module)).flatten(1).cpu()
                for i in range(0, len(values), batch)
            ]
    finally:
        for m in module.modules():
            m.training = modes[id(m)]
    found = torch.cat(parts)
    return (found.float() if found.dtype == torch.bfloat16 else found).numpy()
