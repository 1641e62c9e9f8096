"""Flips in a results folder: damaged rows are named and computed again."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from attack.seeds import Silent, flipped, generator
from similitude import InvalidInput, Results

SECONDS, ENVIRONMENT = 60, {"OMP_NUM_THREADS": "1"}
COUNTS = {"parts": 400, "run.json": 200, "barcodes": 100}
SMALL = {"parts": 24, "run.json": 16, "barcodes": 8}


def cases(full: bool) -> list[str]:
    counts = COUNTS if full else SMALL
    return [f"{kind} {i}" for kind, count in counts.items() for i in range(count)]


def check(case: str, folder: Path) -> None:
    kind, index = case.split()
    sound, expected = _sound(folder)
    rng = generator("results", kind, index)
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(sound, out)
    files = [out / kind] if kind == "run.json" else sorted((out / kind).iterdir())
    file = files[int(index) % len(files)]
    file.write_bytes(flipped(file.read_bytes(), rng))
    {"parts": _parts, "run.json": _run_json, "barcodes": _barcodes}[kind](
        out, file, expected
    )


def _parts(out: Path, file: Path, expected: Results) -> None:
    found = Results.load(out)
    _assert_correct(found, expected)
    named = [note for note in found.notes if f"{file} line " in note]
    assert len(named) == 1, found.notes
    again = _run(out)
    assert again == expected, "the resumed table differs"
    assert [note for note in again.notes if str(file) in note] == named
    assert Results.load(out) == expected, "the table after the resume differs"


def _run_json(out: Path, file: Path, expected: Results) -> None:
    changed = file.read_bytes()
    for use in (Results.load, _run):
        try:
            found = use(out)
        except InvalidInput as error:
            assert str(file) in str(error), error
            assert str(error).isprintable(), error
            assert file.read_bytes() == changed
        else:
            if found != expected or found.representations != expected.representations:
                raise Silent("a change of the results")
            assert found.notes == expected.notes
    file.unlink(missing_ok=True)  # as the message advises
    assert _run(out) == expected


def _barcodes(out: Path, file: Path, expected: Results) -> None:
    found = Results.load(out)
    assert found == expected
    row = next(row for row in found.rows if row.job == file.stem)
    try:
        found.barcodes(row)
    except InvalidInput as error:
        assert str(file) in str(error), error
    else:
        raise AssertionError("damaged barcodes were read")
    again = _run(out)  # computes them again, and names the damage
    assert again == expected
    assert any(str(file) in note for note in again.notes), again.notes
    _assert_same_bars(Results.load(out), expected)


def _assert_correct(found: Results, expected: Results) -> None:
    """Each loaded value is the expected one, or is missing."""
    correct = {row.job: row.to_dict() for row in expected.rows}
    for row in found.rows:
        for name, value in row.to_dict().items():
            right = correct[row.job][name]
            if name == "q" and value is None:
                continue  # it depends on the other rows
            if name == "baselines":
                assert value.items() <= right.items()
            elif row.complete or name in {"score", "status", "reason", "a", "b"}:
                if value != right:
                    raise Silent(f"a change of {name}")


def _assert_same_bars(found: Results, expected: Results) -> None:
    for row, other in zip(found.rows, expected.rows, strict=True):
        bars, right = found.barcodes(row), expected.barcodes(other)
        assert bars.keys() == right.keys()
        for name, array in bars.items():
            np.testing.assert_array_equal(array, right[name])


@cache
def _sound(folder: Path) -> tuple[Path, Results]:
    out = folder / "sound"
    shutil.rmtree(out, ignore_errors=True)
    _run(out)
    return out, Results.load(out)


def _run(out: Path) -> Results:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(30, 3))
    reps: dict[str, Any] = {f"r{i}": z @ rng.normal(size=(3, 4)) + i for i in range(3)}
    twins = {"untrained": {name: rng.normal(size=(30, 4)) for name in reps}}
    measures = ["cka", "procrustes", "rtd"]
    return sim.compare(reps, measures, baselines=twins, permutations=5, out=out)
