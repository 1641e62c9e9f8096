"""The strict schema of `store.json` and `manifest.json`, see FORMAT.md."""

import contextlib
import re
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)

from ..representation import Domain
from ._manifest import check_arrays


def _line(text: str) -> str:
    if not text or not text.isprintable():
        raise ValueError("a line of text is needed for tables")
    return text


def _dtype(text: str) -> str:
    # NumPy itself also accepts structures, and parses some texts as Python.
    if re.fullmatch(r"[<>|][biufcU][1-9][0-9]{0,7}", text):
        with contextlib.suppress(TypeError, ValueError):
            if np.dtype(text).str == text:
                return text
    raise ValueError("it is not a dtype string of numbers or text")


Line = Annotated[str, AfterValidator(_line)]
Dtype = Annotated[str, AfterValidator(_dtype)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*\.npy$")]
Count = Annotated[int, Field(ge=1, lt=2**63)]
Options = dict[str, JsonValue]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StoreFile(_Strict):
    """`store.json`."""

    schema_: Literal[2] = Field(alias="schema")


class Shard(_Strict):
    file: FileName
    rows: Count
    sha256: Sha256


class ArrayEntry(_Strict):
    dtype: Dtype
    shape: Annotated[list[Count], Field(min_length=1, max_length=2)]
    shards: Annotated[list[Shard], Field(min_length=1)]

    @model_validator(mode="after")
    def _rows_add_up(self) -> Self:
        if sum(shard.rows for shard in self.shards) != self.shape[0]:
            raise ValueError(f"the shards do not add up to {self.shape[0]} rows")
        if len({shard.file for shard in self.shards}) < len(self.shards):
            raise ValueError("two shards have the same file")
        return self


class Preprocessing(_Strict):
    name: Line
    options: Options
    probe_sha256: Sha256  # of the result for a fixed synthetic input


class Layer(_Strict):
    path: str  # empty for the model itself
    call: Count  # 1 for the first call in a forward pass


class Reducer(_Strict):
    name: Line
    options: Options


class Batches(_Strict):
    size: Count
    boundaries: Annotated[list[int], Field(min_length=2)]  # 0, ..., number of rows

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        lengths = [after - before for before, after in pairwise(self.boundaries)]
        if self.boundaries[0] != 0 or min(lengths) < 1 or max(lengths) > self.size:
            raise ValueError(
                f"boundaries must rise from 0 in steps of 1 to {self.size} (size)"
            )
        return self


class Versions(_Strict):
    torch: Line
    similitude: Line
    python: Line


class Extraction(_Strict):
    """Everything that determines extracted values, apart from the sample ids."""

    state_dict_sha256: Sha256
    model_class: Line
    preprocessing: Preprocessing
    data_fingerprint: Line
    layer: Layer
    reducer: Reducer
    batches: Batches
    model_dtype: Line
    stored_dtype: Dtype
    versions: Versions


class StimulusField(_Strict):
    array: Annotated[str, Field(pattern="^field-[0-9]+$")]
    json_: bool = Field(alias="json")  # its entries are JSON texts


class Manifest(_Strict):
    """`manifest.json`."""

    schema_: Literal[2] = Field(alias="schema")
    name: Line
    domain: Domain
    arrays: dict[str, ArrayEntry]
    content: Sha256
    checksum: Sha256
    model: str | None = None
    layer: str | None = None
    step: int | None = None
    baseline: Line | None = None
    twin_of: Line | None = None
    data: str | None = None
    reducer: str | None = None
    extraction: Extraction | None = None
    fields: dict[str, StimulusField] = {}
    meta: Options = {}
    versions: dict[str, str] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.twin_of is not None and self.baseline is None:
            raise ValueError("twin_of is given without baseline; give both")
        entries: dict[str, Any] = {
            name: {"dtype": entry.dtype, "shape": entry.shape}
            for name, entry in self.arrays.items()
        }
        fields = [field.array for field in self.fields.values()]
        check_arrays(self.domain, entries, self.name, fields)
        if self.extraction is not None:
            self._check_extraction(self.extraction)
        return self

    def _check_extraction(self, extraction: Extraction) -> None:
        main = self.main_array
        if "ids" not in self.arrays:
            raise ValueError("an extracted element needs ids, one per stimulus")
        if extraction.stored_dtype != main.dtype:
            raise ValueError(
                f"extraction.stored_dtype is {extraction.stored_dtype}, but the rows "
                f"have dtype {main.dtype}"
            )
        if extraction.batches.boundaries[-1] != main.shape[0]:
            raise ValueError(
                f"extraction.batches.boundaries must end at {main.shape[0]}, the "
                f"number of rows"
            )

    @property
    def main_array(self) -> ArrayEntry:
        """The array that is compared."""
        names = ("rows", "embeddings", "log_probs", "labels")
        return next(self.arrays[name] for name in names if name in self.arrays)
