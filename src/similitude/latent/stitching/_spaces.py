"""Embeddings of the data by encoders of any kind, computed once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ..._base import _array
from ..._base._validate import integer_labels, points
from ...errors import InvalidInput
from ...networks.extraction import evaluation_mode
from ...representation import fingerprint
from ._weights import as_weights


@dataclass(frozen=True, eq=False)
class StitchingData:
    """A classification task with anchors, in one domain.

    Attributes
    ----------
    train_labels, test_labels
        n and m integers.
    train, test, anchors
        Inputs of the encoders, with samples on the first axis; not needed for encoders
        given as `Embeddings`. Anchors of several domains must be parallel: row i means
        the same in all of them. They should not be test samples.
    ordinal
        Labels are points on a scale: MAE is reported, too.
    """

    train_labels: Any
    test_labels: Any
    train: Any = None
    test: Any = None
    anchors: Any = None
    ordinal: bool = False

    def __post_init__(self) -> None:
        for name in ("train_labels", "test_labels"):
            object.__setattr__(self, name, integer_labels(getattr(self, name), name))


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Rows of one encoder for the training samples, test samples and anchors."""

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
                f"embeddings have {widths} columns; give rows of one encoder, with "
                f"equally many columns."
            )

    @cached_property
    def sha256(self) -> str:
        """Hash of all rows, to recognize results of the same embeddings."""
        return "".join(fingerprint(getattr(self, f.name)) for f in fields(self))

    def with_anchors(self, chosen: np.ndarray) -> "Embeddings":
        return Embeddings(self.train, self.test, self.anchors[chosen])


@dataclass(frozen=True, eq=False)
class PerSeed:
    """An encoder trained several times: seed -> encoder or `Embeddings`."""

    members: Mapping[int, Any]


def spaces_of(
    encoders: Mapping[str, Any],
    data: StitchingData | Mapping[str, StitchingData],
    seed: int,
    cache: dict[tuple[int, int], Embeddings],
) -> dict[str, Embeddings]:
    """Embed the data by all encoders for one seed; `cache` is by encoder and data."""
    found = {}
    for name, encoder in encoders.items():
        if isinstance(encoder, PerSeed):
            if seed not in encoder.members:
                raise InvalidInput(
                    f"encoder {name!r} does not have a member for seed {seed}; its "
                    f"seeds are {sorted(encoder.members)}."
                )
            encoder = encoder.members[seed]
        own_data = data_of(data, name)
        key = id(encoder), id(own_data)
        if key not in cache:
            cache[key] = embed(encoder, own_data, name)
        found[name] = cache[key]
    return found


def data_of(
    data: StitchingData | Mapping[str, StitchingData], encoder: str
) -> StitchingData:
    """Return the data of one encoder: shared by all, or of its domain."""
    if isinstance(data, StitchingData):
        return data
    if encoder not in data:
        raise InvalidInput(
            f"data does not have an entry for encoder {encoder!r}; its entries are "
            f"{', '.join(data)}."
        )
    return data[encoder]


def embed(
    encoder: Callable[[Any], Any] | Embeddings,
    data: StitchingData,
    name: str = "encoder",
    *,
    batch: int = 512,
) -> Embeddings:
    """Embed the data by an encoder, as numpy rows.

    A torch module runs in evaluation mode, without gradients and in batches; its modes
    are restored afterwards. Inputs go to the device of its weights, and floating-point
    inputs to their precision. Any other function is called once per array. Outputs
    with more than two axes are flattened.
    """
    if isinstance(encoder, Embeddings):
        found = encoder
    else:
        rows = {}
        for part in ("train", "test", "anchors"):
            values = getattr(data, part)
            if values is None:
                raise InvalidInput(
                    f"{name} is a function, but data.{part} is None; give the inputs, "
                    f"or pass Embeddings(train, test, anchors)."
                )
            rows[part] = run_encoder(encoder, values, batch)
        found = Embeddings(**rows)
    for part, labels in (("train", data.train_labels), ("test", data.test_labels)):
        if len(getattr(found, part)) != len(labels):
            raise InvalidInput(
                f"{name} has {len(getattr(found, part))} {part} rows, but there are "
                f"{len(labels)} {part}_labels; give one label per row."
            )
    return found


def run_encoder(encoder: Callable[[Any], Any], values: Any, batch: int) -> np.ndarray:
    if not hasattr(encoder, "state_dict"):  # not a torch module
        out = encoder(values)
        out = _array.to_numpy(out) if _array.is_array(out) else np.asarray(out)
        return out.reshape(len(out), -1)
    import torch

    module: Any = encoder
    with evaluation_mode(module), torch.no_grad():
        parts = [
            module(as_weights(values[i : i + batch], module)).flatten(1).cpu()
            for i in range(0, len(values), batch)
        ]
    found = torch.cat(parts)
    return (found.float() if found.dtype == torch.bfloat16 else found).numpy()
