"""Tokens of a batch: whole numbers that a tokenizer made of texts."""

import hashlib
from typing import Any, Protocol

import numpy as np

from ... import _array


class Inputs(Protocol):
    """The inputs of a forward pass by name."""

    def parts(self) -> dict[str, Any]: ...


def token_keys(batch: Inputs, mask: np.ndarray, tokenizer: str) -> list[str]:
    """A hash of the real tokens of each sample; empty if the inputs are not tokens.

    Rows of tokens carry it in their ids. Token 3 of one tokenizer is in general not
    token 3 of another one, even if both divide a text into equally many tokens.
    """
    ids = _token_ids(batch, mask.shape)
    if ids is None:
        return []
    start = hashlib.sha256(tokenizer.encode())
    found = []
    for row, real in zip(ids.astype("<i8"), mask, strict=True):
        digest = start.copy()
        digest.update(row[real].tobytes())
        found.append(digest.hexdigest()[:8])
    return found


def _token_ids(batch: Inputs, shape: tuple[int, ...]) -> np.ndarray | None:
    parts = batch.parts()
    for name in ("input_ids", *parts):
        value: Any = parts.get(name)
        if name in {"mask", "attention_mask"} or not _array.is_array(value):
            continue
        if tuple(value.shape) == shape and "int" in str(value.dtype):
            return _array.to_numpy(value)
    return None
