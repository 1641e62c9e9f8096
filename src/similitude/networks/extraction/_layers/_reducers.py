"""Reducers: how an output with more than two axes becomes rows and columns."""

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from ...._base import _array
from ...._base._record import Record
from ...._base._validate import at_least
from ....errors import InvalidInput, check_known

MAX_VALUES = 2**31 - 1  # of a matrix: LAPACK counts entries with 32-bit integers
MAX_PROJECTION = 2**28  # entries of a projection matrix: 1 GiB


@dataclass(frozen=True)
class Situation:
    """Facts about the data that decide whether a reducer fits."""

    samples: int
    masked: bool  # a mask of real tokens is given
    token_ids: bool  # the inputs are whole numbers
    words: bool = False  # texts and offsets of their tokens are given


@dataclass(frozen=True, kw_only=True)
class Reducer(Record):
    """Turns an output, batch axis first, into rows. Its fields are its options."""

    refs: ClassVar[tuple[str, ...]] = ()
    fixed_shape: ClassVar[bool] = True  # samples of all batches need the same shape
    uses_mask: ClassVar[bool] = False
    uses_words: ClassVar[bool] = False  # `rows` gets `Words` instead of a mask
    needed_for_2d: ClassVar[bool] = False  # 2-d outputs are reduced as well

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        """Why this reducer does not fit samples of this shape; None if it fits."""
        raise NotImplementedError

    def width(self, shape: tuple[int, ...]) -> int:
        """The number of columns for samples of this shape."""
        raise NotImplementedError

    def count(self, shape: tuple[int, ...], samples: int, mask: Any) -> int:
        """The number of rows of a batch."""
        return samples

    def rows(self, x: Any, mask: Any) -> Any:
        """The rows of a batch. `mask` is samples x tokens, 1 for real tokens."""
        raise NotImplementedError

    def prepared(self, shape: tuple[int, ...]) -> Callable[[Any, Any], Any]:
        """The function `rows` for samples of this shape, with its constants ready."""
        return self.rows


@dataclass(frozen=True, kw_only=True)
class NoReducer(Reducer):
    """The output is 2-d already."""

    name = "none"

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        return None if len(shape) == 1 else "it has more than two axes"

    def width(self, shape: tuple[int, ...]) -> int:
        return shape[0]

    def rows(self, x: Any, mask: Any) -> Any:
        return x


@dataclass(frozen=True, kw_only=True)
class Flatten(Reducer):
    """All values of a sample in one row."""

    name = "flatten"

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        values = facts.samples * math.prod(shape)
        if values <= MAX_VALUES:
            return None
        return (
            f"{facts.samples:,} samples x {math.prod(shape):,} values are {values:,} "
            f"entries, more than the {MAX_VALUES:,} that a matrix may have"
        )

    def width(self, shape: tuple[int, ...]) -> int:
        return math.prod(shape)

    def rows(self, x: Any, mask: Any) -> Any:
        return _array.namespace(x).reshape(x, (x.shape[0], -1))


@dataclass(frozen=True, kw_only=True)
class Mean(Reducer):
    """The mean over all spatial positions of each channel.

    channel_axis
        Axis of the channels in the output of one batch, with the batch as axis 0. None
        is axis 1 for 4-d and 5-d outputs, unless their shape shows channels last.
    """

    name = "mean"
    fixed_shape = False
    channel_axis: int | None = None

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        return channel_problem(self.channel_axis, shape)

    def width(self, shape: tuple[int, ...]) -> int:
        return shape[channel_index(self.channel_axis, shape)]

    def rows(self, x: Any, mask: Any) -> Any:
        channel = 1 + channel_index(self.channel_axis, tuple(x.shape[1:]))
        axes = tuple(axis for axis in range(1, x.ndim) if axis != channel)
        return _array.namespace(x).mean(x, axis=axes)


def channel_index(axis: int | None, shape: tuple[int, ...]) -> int:
    """The index of the channels in the shape of one sample."""
    if axis is None:
        return 0
    return axis - 1 if axis > 0 else len(shape) + axis


def channel_problem(axis: int | None, shape: tuple[int, ...]) -> str | None:
    if len(shape) < 2:
        return "it has no spatial axes"
    if axis is not None:
        inside = 1 <= axis <= len(shape) or -len(shape) <= axis <= -1
        return None if inside else f"there is no axis {axis} in {len(shape) + 1} axes"
    if len(shape) == 2:
        return "its two axes may be tokens and units; give channel_axis="
    if len(set(shape[:-1])) == 1 != len({shape[0], shape[-1]}):
        return f"its shape {shape} looks like channels last; give channel_axis=-1"
    return None


class _TokenReducer(Reducer):
    """For outputs of shape samples x tokens x units."""

    fixed_shape = False
    uses_mask = True

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        if len(shape) != 2:
            return "it is not samples x tokens x units"
        if not facts.masked and self.needs_mask(facts):
            return "give mask=, which says which tokens are real and not padding"
        return None

    def needs_mask(self, facts: Situation) -> bool:
        return True

    def width(self, shape: tuple[int, ...]) -> int:
        return shape[1]


@dataclass(frozen=True, kw_only=True)
class Cls(_TokenReducer):
    """The first token; the first real token if there is a mask."""

    name = "cls"

    def needs_mask(self, facts: Situation) -> bool:
        return facts.token_ids  # patches of images are not padded

    def rows(self, x: Any, mask: Any) -> Any:
        if mask is None:
            return x[:, 0]
        return _tokens_at(x, np.argmax(mask != 0, axis=1))


@dataclass(frozen=True, kw_only=True)
class LastToken(_TokenReducer):
    """The last real token, according to the mask."""

    name = "last_token"

    def rows(self, x: Any, mask: Any) -> Any:
        last = mask.shape[1] - 1 - np.argmax(mask[:, ::-1] != 0, axis=1)
        return _tokens_at(x, last)


def _tokens_at(x: Any, places: np.ndarray) -> Any:
    """Token number places[i] of sample i."""
    xp, (n, length, width) = _array.namespace(x), x.shape
    flat = xp.reshape(x, (n * length, width))
    return _array.take(flat, np.arange(n) * length + places)


@dataclass(frozen=True, kw_only=True)
class MeanTokens(_TokenReducer):
    """The mean over the real tokens, according to the mask."""

    name = "mean_tokens"

    def rows(self, x: Any, mask: Any) -> Any:
        xp = _array.namespace(x)
        weights = xp.astype(_array.from_numpy(mask != 0, x), x.dtype)
        # Padding may be NaN or infinite, and 0 * NaN would be NaN.
        kept = xp.where(weights[:, :, None] != 0, x, xp.zeros_like(x))
        return xp.sum(kept, axis=1) / xp.sum(weights, axis=1)[:, None]


@dataclass(frozen=True, kw_only=True)
class Positions(Reducer):
    """One row per position of each sample; the sample is the block of its rows.

    Positions are the tokens of a 3-d output (only real tokens if there is a mask), or
    the pixels of a map.

    channel_axis
        Axis of the channels, as for `mean`; None is the last axis of a 3-d output.
    """

    name = "positions"
    fixed_shape = False
    uses_mask = True
    channel_axis: int | None = None

    def _axis(self, shape: tuple[int, ...]) -> int | None:
        return (
            -1 if self.channel_axis is None and len(shape) == 2 else self.channel_axis
        )

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        if facts.token_ids and not facts.masked:
            return "give mask=, which says which tokens are real and not padding"
        return channel_problem(self._axis(shape), shape)

    def width(self, shape: tuple[int, ...]) -> int:
        return shape[channel_index(self._axis(shape), shape)]

    def count(self, shape: tuple[int, ...], samples: int, mask: Any) -> int:
        if mask is not None:
            return int(np.count_nonzero(mask))
        return samples * math.prod(self.grid(shape))

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The number of positions along each axis that is not the channels."""
        channel = channel_index(self._axis(shape), shape)
        return shape[:channel] + shape[channel + 1 :]

    def rows(self, x: Any, mask: Any) -> Any:
        xp, shape = _array.namespace(x), tuple(x.shape[1:])
        channel = 1 + channel_index(self._axis(shape), shape)
        order = [axis for axis in range(x.ndim) if axis != channel]
        moved = xp.permute_dims(x, (*order, channel))
        flat = xp.reshape(moved, (-1, x.shape[channel]))
        if mask is None or len(shape) != 2:
            return flat
        return _array.take(flat, np.flatnonzero(mask))


@dataclass(frozen=True, kw_only=True)
class RandomProjection(Reducer):
    """All values of a sample, multiplied by a random Gaussian matrix.

    Inner products of rows are preserved up to noise of relative size 1/sqrt(size).

    size
        Number of columns.
    seed
        Seed of the matrix. Layers of equal shape have the same matrix.
    """

    name = "random_projection"
    needed_for_2d = True
    size: Annotated[int, at_least(1)] = 1024
    seed: Annotated[int, at_least(0)] = 0

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        entries = math.prod(shape) * self.size
        if entries <= MAX_PROJECTION:
            return None
        return (
            f"its matrix would have {math.prod(shape):,} x {self.size:,} entries, more "
            f"than {MAX_PROJECTION:,}; give a smaller size="
        )

    def width(self, shape: tuple[int, ...]) -> int:
        return self.size

    def rows(self, x: Any, mask: Any) -> Any:
        return self.prepared(tuple(x.shape[1:]))(x, mask)

    def prepared(self, shape: tuple[int, ...]) -> Callable[[Any, Any], Any]:
        values = math.prod(shape)
        rng = np.random.default_rng([self.seed, values])
        matrix = rng.standard_normal((values, self.size), dtype=np.float32)
        matrix *= np.float32(self.size**-0.5)
        return functools.partial(_project, matrix)


def _project(matrix: np.ndarray, x: Any, mask: Any) -> Any:
    xp = _array.namespace(x)
    flat = xp.reshape(x, (x.shape[0], -1))
    return flat @ xp.astype(_array.from_numpy(matrix, flat), flat.dtype, copy=False)


@dataclass(frozen=True, kw_only=True)
class WordMeans(Reducer):
    """One row per word: the mean of its tokens; the text is the block of its rows.

    Words are separated by white space, and their ids are ``text:start-end``, so rows
    do not depend on the tokenizer. Special tokens are dropped.
    """

    name = "words"
    fixed_shape = False
    uses_words = True

    def problem(self, shape: tuple[int, ...], facts: Situation) -> str | None:
        if len(shape) != 2:
            return "it is not samples x tokens x units"
        if not facts.words:
            return (
                "it needs texts and a fast tokenizer: a LanguageModel, or batches with "
                "the keys texts, offset_mapping and attention_mask"
            )
        return None

    def width(self, shape: tuple[int, ...]) -> int:
        return shape[1]

    def count(self, shape: tuple[int, ...], samples: int, mask: Any) -> int:
        return len(mask.starts)

    def rows(self, x: Any, mask: Any) -> Any:
        xp, (n, length, width) = _array.namespace(x), x.shape
        flat = _array.take(xp.reshape(x, (n * length, width)), mask.tokens)
        tokens = np.diff([*mask.starts, len(mask.tokens)])
        sums = np.add.reduceat(_array.to_numpy(flat), mask.starts, axis=0)
        return sums / tokens[:, None].astype(sums.dtype)


_OFFERED: tuple[type[Reducer], ...] = (
    *(Flatten, Mean, Cls, LastToken, MeanTokens),
    *(Positions, WordMeans, RandomProjection),
)
REDUCERS: Mapping[str, type[Reducer]] = {record.name: record for record in _OFFERED}


def find_reducer(reducer: "str | Reducer") -> Reducer:
    """A reducer by name, with options as in ``random_projection:size=64,seed=1``."""
    if isinstance(reducer, Reducer):
        return reducer
    name, _, text = str(reducer).partition(":")
    check_known(name, REDUCERS, f"there is no reducer {name!r}")
    options: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in REDUCERS[name]().options:
            known = ", ".join(REDUCERS[name]().options) or "no options"
            raise InvalidInput(f"reducer {reducer!r}: {name} has {known}; got {key!r}.")
        try:
            options[key] = int(value)
        except ValueError:
            raise InvalidInput(
                f"reducer {reducer!r}: {key} must be a whole number; got {value!r}."
            ) from None
    return REDUCERS[name](**options)


def reducers_that_fit(shape: tuple[int, ...], facts: Situation) -> str:
    """The names of reducers for samples of this shape, with reasons against others."""
    fit = [name for name, r in REDUCERS.items() if r().problem(shape, facts) is None]
    masked = replace(facts, masked=True)
    with_mask = [
        name
        for name, r in REDUCERS.items()
        if name not in fit and r().problem(shape, masked) is None
    ]
    text = ", ".join(fit) or "none"
    return f"{text}; with mask=: {', '.join(with_mask)}" if with_mask else text
