"""A named representation: its values, its stimuli, and where it comes from."""

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from ._base import _array, _validate
from ._base._printable import printable
from .errors import InvalidInput
from .inputs import Outputs, SoftmaxModel, frame_parts, is_frame

__all__ = [
    *("Domain", "Reader", "Representation", "arrays_of", "fingerprint"),
    *("fingerprint_of_batches", "gather", "take_rows", "where"),
]

Domain = Literal["points", "outputs", "softmax"]


@runtime_checkable
class Reader(Protocol):
    """Values that are read from a file or another source when they are needed.

    A reader also has `content`, the sha256 that `fingerprint` would give. It is not
    declared here, because `isinstance` would compute it. If a reader has a method
    `take(rows)`, it reads only these rows. If it has `batches(rows)`, it reads all rows
    in batches, for data larger than memory.
    """

    domain: Domain
    shape: tuple[int, ...]  # of the rows: n x d

    def read(self) -> Any: ...


@dataclass(frozen=True, eq=False, repr=False)
class Representation:
    """Values with one row per stimulus, and the metadata that a comparison needs.

    Attributes
    ----------
    name
        Name in tables.
    values
        n x d numbers, `Outputs`, a `SoftmaxModel`, or a `Reader` of one of them. The
        column ``id`` of a data frame, or else its index, are the sample ids.
    ids
        n distinct names of the stimuli; rows are joined by them. If None, all
        representations must have their rows in the same order.
    blocks
        n labels; rows of one block (pixels of an image, words of a sentence) stay
        together in every permutation and every resample. None: rows are independent.
    model, layer, step
        Where the values come from.
    baseline, twin_of
        The kind of baseline, for example "untrained" or "seed", and the name of the
        representation whose twin this is. Without `twin_of`, it is the twin of the
        representation with the same name; if there is none, of all. `compare` uses it
        as a baseline for the others, and does not list it among them.
    meta
        Any other metadata, as JSON.
    fields
        Facts about the stimuli, such as texts, paths or labels: n entries each. Scores
        do not depend on them.
    """

    name: str
    values: Any
    ids: Any = None
    blocks: Any = None
    model: str | None = None
    layer: str | None = None
    step: int | None = None
    baseline: str | None = None
    twin_of: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for attribute in ("name", "baseline", "twin_of"):
            text = getattr(self, attribute)
            printable = isinstance(text, str) and text.isprintable() and text
            if not printable and (attribute == "name" or text is not None):
                raise InvalidInput(
                    f"{attribute}={text!r}; a line of text is needed for tables."
                )
        if self.twin_of is not None and self.baseline is None:
            raise InvalidInput(
                f"{self.name}: twin_of= is given without baseline=; give both, for "
                f"example baseline='untrained'."
            )
        if is_frame(self.values):
            parts = frame_parts(self.values, self.name)
            object.__setattr__(self, "values", parts.values)
            object.__setattr__(self, "fields", {**parts.fields, **self.fields})
            for attribute in ("ids", "blocks"):
                if getattr(self, attribute) is None:
                    object.__setattr__(self, attribute, getattr(parts, attribute))
        if not isinstance(self.values, Outputs | SoftmaxModel | Reader):
            array = _validate.dense_array(self.values, self.name)
            if array.ndim != 2 or 0 in array.shape:
                raise InvalidInput(
                    f"{self.name} must be 2-d, one row per stimulus and one column per "
                    f"unit; got shape {tuple(array.shape)}. Reshape it, or choose how "
                    f"to pool the other axes."
                )
            object.__setattr__(self, "values", array)
        for attribute in ("ids", "blocks"):
            labels = getattr(self, attribute)
            if labels is not None:
                labels = _labels(labels, self.n, f"{self.name}: {attribute}")
                object.__setattr__(self, attribute, labels)
        for label, entries in self.fields.items():
            if len(entries) != self.n:
                raise InvalidInput(
                    f"{self.name}: the field {label!r} has {len(entries)} entries for "
                    f"{self.n} rows; give one per row."
                )
        if self.ids is not None and len(set(self.ids.tolist())) < self.n:
            values, counts = np.unique(self.ids, return_counts=True)
            raise InvalidInput(
                f"{self.name}: the sample id {values[counts > 1][0]!s} occurs "
                f"{counts.max()} times. Rows are joined by id; give distinct ids."
            )

    # The engine asks for these for every pair, and a protocol is slow to check.
    @functools.cached_property
    def _is_read(self) -> bool:
        return isinstance(self.values, Reader)

    @functools.cached_property
    def domain(self) -> Domain:
        if isinstance(self.values, Outputs):
            return "outputs"
        if isinstance(self.values, SoftmaxModel):
            return "softmax"
        return self.values.domain if self._is_read else "points"

    @property
    def n(self) -> int:
        return self._shape[0]

    @property
    def d(self) -> int:
        return self._shape[1]

    @property
    def _shape(self) -> tuple[int, ...]:
        if isinstance(self.values, Outputs):
            log_probs = self.values.log_probs
            return (self.values.n, 1 if log_probs is None else log_probs.shape[1])
        if isinstance(self.values, SoftmaxModel):
            return tuple(self.values.embeddings.shape)
        return tuple(self.values.shape)

    def __repr__(self) -> str:
        kind = self.domain if self.domain != "points" else str(self.values.dtype)
        kind += f", {self.baseline}" if self.baseline else ""  # the name is the same
        return f"Representation({self.name!r}, {self.n} x {self.d}, {kind})"

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """The rows as a numpy array, so that numpy and all measures accept them."""
        if self.domain != "points":
            raise InvalidInput(
                f"{self.name} holds {self.domain}, not one array; load() returns them."
            )
        return np.array(self.load(), dtype=dtype, copy=copy)

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of the values, ids and blocks: everything a score depends on."""
        if self._is_read:
            content = self.values.content
        else:
            content = fingerprint(self.values)
        labels = {"ids": self.ids, "blocks": self.blocks}
        hashes = {k: _hash(v) for k, v in labels.items() if v is not None}
        return _digest({"values": content, **hashes})

    def load(self) -> Any:
        """Read the values into numpy: an array, `Outputs` or a `SoftmaxModel`.

        An array is not validated here: it may have any dtype and non-finite values.
        """
        values = self.values.read() if self._is_read else self.values
        if isinstance(values, Outputs):
            return Outputs(**dict(arrays_of(values)))
        if isinstance(values, SoftmaxModel):
            return SoftmaxModel(**dict(arrays_of(values)))
        return _host(values)

    def take(self, rows: np.ndarray) -> "Representation":
        """A copy with these rows, in this order."""
        ids = None if self.ids is None else self.ids[rows]
        blocks = None if self.blocks is None else self.blocks[rows]
        take = getattr(self.values, "take", None)
        if take is not None and self._is_read:
            values = take(rows)
        else:
            values = take_rows(self.load(), rows)
        fields = {name: entries[rows] for name, entries in self.fields.items()}
        return replace(self, values=values, ids=ids, blocks=blocks, fields=fields)


def gather(reps: Any) -> list[Representation]:
    """Representations from a mapping of names to values, or from a sequence of values.

    A value that is itself a mapping is a model: it maps names of layers to values. A
    list of 2-d arrays is a model as well; its layers are called "0", "1", and so on.
    """
    if isinstance(reps, Mapping):
        named = [
            rep for name, value in reps.items() for rep in _one_model(str(name), value)
        ]
    elif isinstance(reps, Iterable):
        named = [_named(f"x{i}", value) for i, value in enumerate(reps)]
    else:
        raise InvalidInput(
            "reps must be a mapping of names to representations, or a sequence of "
            f"them; got {type(reps).__name__}."
        )
    named = _with_distinct_names(named)
    seen: set[str] = set()
    for rep in named:
        if rep.name in seen:
            raise InvalidInput(
                f"two representations are called {rep.name!r}; give them different "
                f"names."
            )
        seen.add(rep.name)
    return named


def _with_distinct_names(reps: list[Representation]) -> list[Representation]:
    """Append the kind of baseline to the name of a twin if that name is taken."""
    mains = {rep.name for rep in reps if rep.baseline is None}
    taken, renamed = set(mains), []
    for rep in reps:
        if rep.baseline is not None and rep.name in taken:
            original = rep.twin_of or (rep.name if rep.name in mains else None)
            rep = replace(rep, name=f"{rep.name} ({rep.baseline})", twin_of=original)
        taken.add(rep.name)
        renamed.append(rep)
    return renamed


def _one_model(name: str, value: Any) -> Iterator[Representation]:
    if _is_layers(value):
        value = {str(i): layer for i, layer in enumerate(value)}
    if not isinstance(value, Mapping):
        yield _named(name, value)
        return
    for layer, values in value.items():
        if isinstance(values, Representation):
            yield values
        else:
            yield Representation(
                f"{name}/{layer}", values, model=name, layer=str(layer)
            )


def _is_layers(value: Any) -> bool:
    """Whether this is a list of layers. A list of numbers or of rows is one array."""
    if not isinstance(value, list | tuple) or not value:
        return False
    kinds = (Representation, Outputs, SoftmaxModel)
    return all(
        isinstance(item, kinds)
        or is_frame(item)
        or (_array.is_array(item) and item.ndim == 2)
        for item in value
    )


def _named(name: str, value: Any) -> Representation:
    if isinstance(value, Representation):
        return value
    return Representation(name, value, model=name)


def take_rows(values: Any, rows: np.ndarray) -> Any:
    """Select rows of an array, of `Outputs` or of the inputs of a `SoftmaxModel`."""
    if isinstance(values, Outputs):
        arrays = dict(arrays_of(values))
        return Outputs(**{name: array[rows] for name, array in arrays.items()})
    if isinstance(values, SoftmaxModel):
        arrays = dict(arrays_of(values))
        return SoftmaxModel(**arrays | {"embeddings": arrays["embeddings"][rows]})
    return values[rows]


def arrays_of(values: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Names and arrays of the values, in numpy."""
    if isinstance(values, Outputs):
        names = ("log_probs", "labels", "targets")
    elif isinstance(values, SoftmaxModel):
        names = ("embeddings", "unembeddings", "candidates")
    else:
        yield "rows", _host(values)
        return
    for name in names:
        if getattr(values, name) is not None:
            yield name, _host(getattr(values, name))


def fingerprint(values: Any) -> str:
    """sha256 of the values; it does not depend on the file format or array library."""
    return _digest({name: _hash(array) for name, array in arrays_of(values)})


def where(rep: Representation) -> str:
    """The name of a representation in messages: its file, or its name."""
    return printable(str(rep.meta.get("file", rep.name)))


def _host(array: Any) -> np.ndarray:
    if str(getattr(array, "dtype", "")).endswith("bfloat16"):  # not a dtype of numpy
        array = _validate.real_array(array, "values")
    return _array.to_numpy(array)


def fingerprint_of_batches(
    dtype: np.dtype, shape: tuple[int, ...], batches: Iterable[np.ndarray]
) -> str:
    """`fingerprint` of points whose rows arrive in batches."""
    return _digest({"rows": _hash_of_batches(dtype, shape, batches)})


def _hash(array: np.ndarray) -> str:
    step = max(1, 2**24 // max(1, array[:1].nbytes))  # read memory maps in parts
    parts = (array[start : start + step] for start in range(0, len(array), step))
    return _hash_of_batches(array.dtype, array.shape, parts)


def _hash_of_batches(
    dtype: np.dtype, shape: tuple[int, ...], batches: Iterable[np.ndarray]
) -> str:
    digest = hashlib.sha256(f"{dtype.str} {shape} ".encode())
    for batch in batches:
        digest.update(np.ascontiguousarray(batch).data)
    return digest.hexdigest()


def _digest(parts: Mapping[str, str]) -> str:
    text = " ".join(f"{name}={parts[name]}" for name in sorted(parts))
    return hashlib.sha256(text.encode()).hexdigest()


def _labels(values: Any, n: int, name: str) -> np.ndarray:
    """Convert n whole numbers or strings to a numpy array without objects."""
    labels = _array.to_numpy(values) if _array.is_array(values) else np.asarray(values)
    if labels.dtype.kind == "S":
        try:
            labels = np.char.decode(labels, "utf-8")
        except UnicodeDecodeError:
            raise InvalidInput(
                f"{name} are bytes that are not UTF-8; store them as text."
            ) from None
    if labels.ndim != 1 or labels.dtype.kind not in "iuU":
        raise InvalidInput(
            f"{name} must be one whole number or one string per row; got shape "
            f"{labels.shape} and dtype {labels.dtype}."
        )
    if len(labels) != n:
        raise InvalidInput(
            f"{name} has {len(labels)} entries for {n} rows; give one per row."
        )
    return labels
