"""Singular inputs: exact scores, on every kind of processor, or `Undefined`.

A score of float64 rows, and of float32 rows that are exact, may differ by 1e-10 from
the exact score, relative to the larger of it and 1. If float32 rounds the rows, the
score may differ by 1e-5. Where a definition excludes an input, the library must raise
`Undefined`, and nowhere else.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from contract.exact_scores import OTHERS, Score, exact, exact_other, has_formula
from contract.extended_precision import Wide, is_extended
from contract.singular_inputs import Pair, pairs
from contract.variants import VARIANTS

TESTS = Path(__file__).parents[1]
DIVIDING = [v for v in VARIANTS if has_formula(v)]
CORES = ("", "Prescott", "Haswell")  # the first is that of the machine
THREADS = ("1", "2")
THIRDS = "thirds in float32"

pytestmark = pytest.mark.skipif(
    not is_extended(), reason="this machine has no numbers with more digits"
)


def environments() -> Iterator[tuple[str, str]]:
    blas = [pool for pool in threadpool_info() if pool["internal_api"] == "openblas"]
    for cores in CORES if blas else CORES[:1]:
        for threads in THREADS:
            yield cores, threads


def scores(environment: tuple[str, str], *words: str) -> dict[str, Score]:
    cores, threads = environment
    names = {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    if cores:
        names["OPENBLAS_CORETYPE"] = cores
    done = subprocess.run(
        [sys.executable, "-m", "contract.singular_scores", *words],
        cwd=TESTS,
        env=os.environ | names,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], dict[str, Score]]:
    every = list(environments())
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(every, pool.map(scores, every), strict=True))


def sides() -> Iterator[tuple[str, bool, Pair]]:
    """Each pair with all of its digits, and a third of it."""
    for name, (x, y) in pairs().items():
        yield name, False, (x, y)
        yield name, True, (np.asarray(x, Wide) / 3, np.asarray(y, Wide) / 3)


@pytest.fixture(scope="module")
def expected() -> dict[str, Score]:
    values: dict[str, Score] = {}
    for name, third, (x, y) in sides():
        exactly: dict[str, Score] = {}
        for m in DIVIDING:
            exactly[f"{m.label} | {name}"] = exact(m, x, y)
            exactly[f"{m.label} | {name}, exchanged"] = exact(m, y, x)
        for label in OTHERS:
            exactly[f"{label} | {name}"] = exact_other(label, x, y)
        for dtype in ("float64", "float32"):
            for label, value in exactly.items():
                kind = f"thirds in {dtype}" if third else dtype
                values[f"{label} | {kind}"] = value
    return values


def wrong(got: dict[str, Score], right: dict[str, Score], rounded: str) -> list[str]:
    """One line for each score that is not the right one.

    Labels that end with `rounded` are of scores with the errors of float32.
    """
    lines = []
    for key, value in right.items():
        score, limit = got[key], 1e-5 if key.endswith(rounded) else 1e-10
        if score is None or value is None:
            if score is not value:
                lines.append(f"{key}: {score} instead of {value}")
        elif not abs(score - value) <= limit * max(1.0, abs(value)):
            lines.append(f"{key}: {score:.12g} instead of {value:.12g}")
    return lines


def test_scores_of_singular_inputs_are_exact_or_undefined(found, expected) -> None:
    """The dividing measures and maps, on all kinds of processors."""
    lines = []
    for (cores, threads), got in found.items():
        name = f"{cores or 'this processor'}, threads: {threads}"
        lines += [f"{name}: {line}" for line in wrong(got, expected, THIRDS)]
    assert not lines, "\n".join(lines)


def test_processors_and_threads_give_the_same_scores(found) -> None:
    """Also measures that do not divide; some of them multiply in float32."""
    first, *others = found.values()
    lines = [line for got in others for line in wrong(got, first, "float32")]
    assert not lines, "\n".join(lines)


def test_every_kind_of_input_is_tested(expected) -> None:
    """Most scores exist; each kind of input and each measure has at least one."""
    defined = {key for key, value in expected.items() if value is not None}
    for name in pairs():
        assert any(f"| {name} |" in key for key in defined), name
    for label in (*(m.label for m in DIVIDING), *OTHERS):
        assert any(key.startswith(f"{label} |") for key in defined), label
    assert 0.5 * len(expected) < len(defined) < len(expected)


def test_former_cutoffs_are_found(expected) -> None:
    """numpy's own cutoff keeps directions that float32 storage left as rounding."""
    lines = wrong(scores(("", "1"), "plant"), expected, THIRDS)
    found = {line.partition(" | ")[0] for line in lines}
    assert {"fit_linear", "fit_affine"} <= found
    text = "fit_affine | duplicated columns | thirds in float32"
    assert any(line.startswith(text) for line in lines)
