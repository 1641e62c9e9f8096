"""Data as batches of inputs: arrays, sequences of batches, and loaders."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...._base import _array
from ....errors import InvalidInput
from .._models._interface import Accepts, Model
from ._fingerprint import DataHash
from ._loaders import check_loader, is_dataset, loader_of
from ._tokens import Words, token_keys

ID_KEYS = ("ids", "id", "sample_ids")
TEXT_KEYS = ("texts", "offset_mapping")  # give the words of tokens
TOKEN_KEY = "token_key"  # a hash of the tokenizer
LABEL_KEYS = frozenset(
    {"label", "labels", "target", "targets", *ID_KEYS, *TEXT_KEYS, TOKEN_KEY}
)
MASK_KEY = "attention_mask"


@dataclass(frozen=True)
class Batch:
    """The inputs of one forward pass."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    size: int
    mask: np.ndarray | None = None
    ids: Any = None
    words: Words | None = None
    token_key: str = ""  # a hash of the tokenizer, if it is known

    def parts(self) -> dict[str, Any]:
        """All inputs by name; a mask that is not an input is one of them."""
        found = {str(i): value for i, value in enumerate(self.args)}
        found |= dict(self.kwargs)
        if self.mask is not None:
            found["mask"] = self.mask
        return found

    def prepared(self, preprocessing: Callable[[Any], Any]) -> "Batch":
        """The batch with its first input preprocessed."""
        if self.args:
            return replace(self, args=(preprocessing(self.args[0]), *self.args[1:]))
        first, *_ = self.kwargs
        changed = {first: preprocessing(self.kwargs[first])}
        return replace(self, kwargs={**self.kwargs, **changed})

    def take(self, rows: Sequence[int]) -> "Batch":
        """A batch of these samples."""

        def rows_of(value: Any) -> Any:
            if _array.is_array(value):
                return value[list(rows)]
            return [value[i] for i in rows] if isinstance(value, list) else value

        return replace(
            self,
            args=tuple(rows_of(value) for value in self.args),
            kwargs={key: rows_of(value) for key, value in self.kwargs.items()},
            size=len(rows),
            mask=None if self.mask is None else self.mask[list(rows)],
            ids=None,
            words=None,
        )


@dataclass(frozen=True)
class Data:
    """Batches that can be read several times, from any of them on."""

    read: Callable[[int], Iterator[Batch]]
    in_memory: bool  # it cannot change between two readings
    ids: Any = None


@dataclass(frozen=True)
class Items:
    """Data of any accepted kind, as batches that no model has interpreted yet."""

    read: Callable[[], Iterator[Any]]
    in_memory: bool
    ids: Any


def as_data(data: Any, *, batch_size: int, mask: Any, model: Model) -> Data:
    """Data of any accepted kind, as batches for one model."""
    items = as_items(data, batch_size)

    def read(start: int) -> Iterator[Batch]:
        first = 0
        for number, item in enumerate(items.read()):
            batch = as_batch(encoded(item, model), mask, model.accepts, first)
            first += batch.size
            if number >= start:
                yield batch

    return Data(read, items.in_memory, items.ids)


def encoded(item: Any, model: Model) -> Any:
    """Texts as tokens, if the model has a tokenizer."""
    return model.encode(item) if hasattr(model, "encode") else item


def as_items(data: Any, batch_size: int) -> Items:
    if batch_size < 1:
        raise InvalidInput(f"batch_size={batch_size}; it must be 1 or more.")
    texts = isinstance(data, list | tuple) and bool(data) and isinstance(data[0], str)
    if _array.is_array(data) or isinstance(data, Mapping) or texts:
        return _from_arrays(list(data) if texts else data, batch_size)
    if isinstance(data, str | bytes) or not hasattr(data, "__iter__"):
        if not is_dataset(data):
            raise InvalidInput(
                f"data must be an array of inputs, a sequence of batches or a loader; "
                f"got {type(data).__name__}."
            )
    if is_dataset(data):
        data = loader_of(data, batch_size)
    check_loader(data)
    source = getattr(data, "dataset", data)
    ids = getattr(data, "ids", None)
    ids = getattr(source, "ids", None) if ids is None else ids
    return Items(lambda: iter(data), isinstance(data, list | tuple), ids)


def _from_arrays(data: Any, batch_size: int) -> Items:
    arrays = dict(data) if isinstance(data, Mapping) else {"": data}
    for key, value in arrays.items():
        if not (_array.is_array(value) or isinstance(value, list)):
            arrays[key] = np.asarray(value)
    lengths = {key: len(value) for key, value in arrays.items() if np.ndim(value) != 0}
    if len(lengths) < len(arrays) or len(set(lengths.values())) != 1:
        raise InvalidInput(
            f"data: all arrays need one entry per sample; the lengths are "
            f"{', '.join(f'{key or chr(120)}: {n}' for key, n in lengths.items())}."
        )
    (count,) = set(lengths.values())
    if count == 0:
        raise InvalidInput("data has no samples; give at least one.")
    ids = next((arrays[key] for key in ID_KEYS if key in arrays), None)

    def read() -> Iterator[Any]:
        for first in range(0, count, batch_size):
            rows = slice(first, first + batch_size)
            item = {key: value[rows] for key, value in arrays.items()}
            yield item[""] if "" in item else item

    return Items(read, in_memory=True, ids=ids)


def as_batch(item: Any, mask: Any, accepts: Accepts, first: int) -> Batch:
    """The inputs in one item of a loader, without labels and ids.

    A dict is passed by keywords. Of a tuple, the first entries are passed, as many as
    the model requires; the others are labels.
    """
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    ids = None
    if isinstance(item, Mapping):
        ids = next((item[key] for key in ID_KEYS if key in item), None)
        keys = set(item) - LABEL_KEYS if accepts.names is None else accepts.names
        kwargs = {str(key): value for key, value in item.items() if key in keys}
        if not kwargs:
            raise InvalidInput(
                f"a batch has the keys {', '.join(map(str, item))}, but the model "
                f"takes {', '.join(sorted(accepts.names or ())) or 'other inputs'}."
            )
    elif isinstance(item, tuple | list) and not _is_texts(item):
        args = tuple(item[: max(1, accepts.required)])
    else:
        args = (item,)
    size = _size([*args, *kwargs.values()])
    found, words = _mask_of(item, mask, first, size), None
    if found is not None and isinstance(item, Mapping) and set(TEXT_KEYS) <= set(item):
        words = Words.of(item[TEXT_KEYS[0]], item[TEXT_KEYS[1]], found)
    key = str(item.get(TOKEN_KEY, "")) if isinstance(item, Mapping) else ""
    return Batch(args, kwargs, size, found, ids, words, key)


def _is_texts(item: Sequence[Any]) -> bool:
    return len(item) > 0 and all(isinstance(text, str) for text in item)


def _size(values: Sequence[Any]) -> int:
    for value in values:
        if _array.is_array(value) and value.ndim:
            return int(value.shape[0])
        if isinstance(value, list) and value:
            return len(value)
    kinds = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise InvalidInput(f"a batch must have an array of inputs; it has {kinds}.")


def _mask_of(item: Any, mask: Any, first: int, size: int) -> np.ndarray | None:
    """The mask of a batch, as samples x tokens in numpy."""
    if isinstance(mask, str) or (mask is None and isinstance(item, Mapping)):
        key = MASK_KEY if mask is None else mask
        if not isinstance(item, Mapping) or key not in item:
            if mask is None:
                return None
            raise InvalidInput(f"mask={mask!r}, but a batch has no entry of that name.")
        found = _array.to_numpy(item[key])
    elif mask is None:
        return None
    else:
        whole = _array.to_numpy(mask) if _array.is_array(mask) else np.asarray(mask)
        found = whole[first : first + size]
    if found.ndim != 2 or len(found) != size:
        raise InvalidInput(
            f"mask must have one row per sample and one column per token; got shape "
            f"{found.shape} for a batch of {size} samples."
        )
    return found != 0


@dataclass(frozen=True)
class Survey:
    """Facts about all batches, read before the model runs."""

    sizes: list[int]
    tokens: np.ndarray | None  # real tokens per sample, if there is a mask
    token_keys: list[str] | None  # a hash of the tokens of each sample, if known
    words: list[list[str]] | None  # the words of each sample, if known
    hashes: list[str]
    fingerprint: str
    ids: np.ndarray
    first: Batch

    @property
    def samples(self) -> int:
        return sum(self.sizes)


def survey_of(batch: Batch, ids: np.ndarray) -> Survey:
    """The facts about one batch, for data that are read only once."""
    keys: list[str] = []
    if batch.mask is not None:
        _check_tokens(batch.mask, 0)
        keys = token_keys(batch, batch.mask, batch.token_key)
    tokens = None if batch.mask is None else batch.mask.sum(axis=1)
    words = None if batch.words is None else batch.words.names
    return Survey([batch.size], tokens, keys or None, words, [], "", ids, batch)


def survey(data: Data, ids: Any) -> Survey:
    """Read all batches once: count and hash them, and collect ids and tokens."""
    found = DataHash()
    sizes, hashes, tokens, own_ids, first = [], [], [], [], None
    keys: list[str] = []
    words: list[list[str]] = []
    for batch in data.read(0):
        first = batch if first is None else first
        sizes.append(batch.size)
        hashes.append(found.update(batch.parts()))
        if batch.mask is not None:
            _check_tokens(batch.mask, sum(sizes[:-1]))
            tokens.append(batch.mask.sum(axis=1))
            keys += token_keys(batch, batch.mask, batch.token_key)
            words += [] if batch.words is None else batch.words.names
        if batch.ids is not None:
            own_ids.append(_as_labels(batch.ids))
    if first is None:
        raise InvalidInput("data has no batches; give at least one.")
    ids = data.ids if ids is None else ids
    if ids is None and len(own_ids) == len(sizes):
        ids = np.concatenate(own_ids)
    return Survey(
        sizes,
        np.concatenate(tokens) if len(tokens) == len(sizes) else None,
        keys if len(keys) == sum(sizes) else None,
        words if len(words) == sum(sizes) else None,
        hashes,
        found.hexdigest(),
        check_ids(np.arange(sum(sizes)) if ids is None else ids, sum(sizes)),
        first,
    )


def checked(
    data: Data, found: Survey, preprocessing: Callable[[Any], Any] | None
) -> Data:
    """Data whose batches equal those of the survey, with the first input preprocessed.

    A loader that shuffles or augments gives other values in its second reading.
    """

    def read(start: int) -> Iterator[Batch]:
        for number, batch in enumerate(data.read(start), start=start):
            known = number < len(found.hashes)
            if not data.in_memory and (
                not known or DataHash().update(batch.parts()) != found.hashes[number]
            ):
                raise InvalidInput(
                    f"batch {number} of the loader has other values than in its first "
                    f"reading; switch off shuffling and random augmentation."
                )
            yield batch if preprocessing is None else batch.prepared(preprocessing)

    return replace(data, read=read)


def _check_tokens(mask: np.ndarray, first: int) -> None:
    empty = np.flatnonzero(~mask.any(axis=1))
    if len(empty):
        raise InvalidInput(
            f"mask: sample number {first + empty[0]} has no real token; remove it."
        )


def _as_labels(ids: Any) -> np.ndarray:
    return _array.to_numpy(ids) if _array.is_array(ids) else np.asarray(ids)


def check_ids(ids: Any, samples: int) -> np.ndarray:
    labels = _as_labels(ids)
    if labels.ndim != 1 or labels.dtype.kind not in "iuU" or len(labels) != samples:
        raise InvalidInput(
            f"ids must be one whole number or text per sample; got shape "
            f"{labels.shape} and dtype {labels.dtype} for {samples} samples."
        )
    values, counts = np.unique(labels, return_counts=True)
    if len(values) < samples:
        raise InvalidInput(
            f"the sample id {values[counts > 1][0]!s} occurs {counts.max()} times; "
            f"give distinct ids."
        )
    return labels
