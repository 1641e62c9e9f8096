"""Tokens of a batch: whole numbers that a tokenizer made of texts."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...._base import _array


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


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a batch of texts, and the tokens of each word.

    Words are separated by white space, so they do not depend on the tokenizer. A token
    belongs to each word that it shares characters with. Words without a token are left
    out: those that truncation has cut.
    """

    tokens: np.ndarray  # numbers of tokens in the flat batch, word by word
    starts: np.ndarray  # where the tokens of each word start
    names: list[list[str]]  # of each text: the words as "start-end"

    @staticmethod
    def of(texts: Sequence[str], offsets: Any, mask: np.ndarray) -> "Words":
        spans = _array.to_numpy(offsets) if _array.is_array(offsets) else offsets
        spans = np.asarray(spans)
        tokens: list[int] = []
        starts: list[int] = []
        names: list[list[str]] = []
        for row, text in enumerate(texts):
            low, high = spans[row, :, 0], spans[row, :, 1]
            real = mask[row] & (high > low)  # special tokens are empty
            names.append([])
            for word in re.finditer(r"\S+", text):
                inside = real & (low < word.end()) & (high > word.start())
                if inside.any():
                    starts.append(len(tokens))
                    tokens += (row * mask.shape[1] + np.flatnonzero(inside)).tolist()
                    names[-1].append(f"{word.start()}-{word.end()}")
        return Words(np.array(tokens, int), np.array(starts, int), names)
