"""Rows of results: one per model or pair, with everything needed to reproduce it."""

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from similitude.plugins import STRICT, Schema, sealed

__all__ = ["AccuracyRow", "DistanceRow", "MccaRow"]

Status = Literal["ok", "undefined"]


@dataclass(frozen=True, kw_only=True)
class _Row:
    """The setting of the models, the data, and the versions of the packages."""

    job: str  # hash of everything that the numbers depend on
    date: str
    dataset: str
    dataset_seed: int
    points: int  # size of the training set
    equal_classes: bool
    model_type: str
    nonlinearity: str
    classes: int
    width: int
    dim: int
    fix_length_f: float
    fix_length_g: float
    learning_rate: float
    steps: int
    split: Literal["test", "train"]
    inputs: int  # number of inputs at which the models were evaluated
    versions: dict[str, str]

    complete = True  # a stored row is final
    numbers: ClassVar[tuple[str, ...]]
    __pydantic_config__ = STRICT

    def line(self) -> bytes:
        return sealed(asdict(self))

    def to_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        job = fields.pop("job")
        return fields | {"job": job}


@dataclass(frozen=True, kw_only=True)
class AccuracyRow(_Row):
    """Accuracy and mean negative log-likelihood of one model."""

    seed: int
    checkpoint: str
    sha256: str
    accuracy: float
    nll: float

    numbers = ("accuracy", "nll")


@dataclass(frozen=True, kw_only=True)
class _PairRow(_Row):
    """Two models that differ by seed."""

    seed_a: int
    seed_b: int
    checkpoint_a: str
    checkpoint_b: str
    sha256_a: str
    sha256_b: str
    status: Status = "ok"
    reason: str = ""  # why the numbers are missing


@dataclass(frozen=True, kw_only=True)
class MccaRow(_PairRow):
    """Mean canonical correlations of embeddings and of unembeddings."""

    m_cca_f: float | None = None
    m_cca_g: float | None = None

    numbers = ("m_cca_f", "m_cca_g")


@dataclass(frozen=True, kw_only=True)
class DistanceRow(_PairRow):
    """d_LLV and d_fg of a pair, with their terms and the candidates.

    `input_sets` is "default_rng" or "RandomState": the generator of the sets of inputs,
    with the seed `draw_seed`; `RandomState` chooses as the authors' code does. Only
    then, `m_svd_f` has m_SVD of the embeddings for each subset of labels, and
    `draw_number` counts the draws before this pair: all pairs draw after one seed. Rows
    of version 0.1.0 have no number, because all pairs shared the first draw.
    """

    weight: float
    aggregate: Literal["max", "sum"]
    reduce: Literal["max", "mean"]
    draws: int
    draw_seed: int
    input_sets: Literal["default_rng", "RandomState"]
    draw_number: int | None = None
    d_llv: float | None = None
    t1: float | None = None
    t2: float | None = None
    t3: float | None = None
    t4: float | None = None
    pivot: int | None = None
    left_out: int | None = None
    input_set: tuple[int, ...] | None = None
    d_fg: float | None = None
    d_f: float | None = None
    d_f_labels: tuple[int, ...] | None = None
    d_f_exact: bool | None = None
    d_g: float | None = None
    kl_ab: float | None = None
    kl_ba: float | None = None
    m_svd_f: tuple[float, ...] | None = None

    numbers = ("d_llv", "d_fg", "kl_ab", "kl_ba", "t1", "t2", "d_f", "d_g")


def _check(row: Any) -> None:
    """Raise ValueError for values that are never written."""
    numbers = [getattr(row, name) for name in row.numbers]
    if (getattr(row, "status", "ok") == "ok") == (None in numbers):
        raise ValueError("only rows with the status ok have numbers")
    if any(number is not None and not math.isfinite(number) for number in numbers):
        raise ValueError("a number is infinite or NaN")


KINDS: dict[str, type[_Row]] = {
    "distances": DistanceRow,
    "accuracies": AccuracyRow,
    "mcca": MccaRow,
}
SCHEMAS: dict[str, Schema[Any]] = {k: Schema(kind, _check) for k, kind in KINDS.items()}


def job_of(kind: str, content: dict[str, Any]) -> str:
    """The job of a row: the hash of everything except its results."""
    text = json.dumps([KINDS[kind].__name__, content], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
