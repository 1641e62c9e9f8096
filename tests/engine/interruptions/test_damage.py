"""A damaged results folder never shows or keeps a wrong number."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Results
from similitude.engine import _folder
from similitude.engine._schema import sealed

FLIPS = 120


def run(out: Path | None) -> Results:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(30, 3))
    reps = {f"r{i}": z @ rng.normal(size=(3, 4)) + i for i in range(3)}
    twins = {
        baseline: {name: rng.normal(size=(30, 4)) for name in reps}
        for baseline in ("untrained", "seed")
    }
    measures = ["cka", "procrustes"]
    return sim.compare(reps, measures, baselines=twins, permutations=5, out=out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "out"
    run(out)
    return out


@pytest.fixture(scope="module")
def expected(folder: Path) -> Results:
    return Results.load(folder)


def part_of(folder: Path) -> Path:
    (part,) = (folder / "parts").iterdir()
    return part


def flipped(whole: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(whole)
    changed[rng.integers(len(whole))] ^= 1 << rng.integers(8)
    return bytes(changed)


def assert_rows_are_correct(found: Results, expected: Results) -> None:
    """Each loaded value is the expected one, or is missing."""
    correct = {row.job: row.to_dict() for row in expected.rows}
    for row in found.rows:
        for name, value in row.to_dict().items():
            if name == "q" and value is None:
                continue  # it depends on the other rows
            if name == "baselines":
                assert value.items() <= correct[row.job][name].items()
            elif row.complete or name in {"score", "status", "reason", "a", "b"}:
                assert value == correct[row.job][name], name


def test_flips_in_a_part_never_change_a_number(
    folder: Path, expected: Results, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    whole = part_of(folder).read_bytes()
    for i in range(FLIPS):
        out = tmp_path / str(i)
        shutil.copytree(folder, out)
        changed = flipped(whole, rng)
        part_of(out).write_bytes(changed)
        found = Results.load(out)
        assert_rows_are_correct(found, expected)
        number = next(
            k
            for k, (a, b) in enumerate(
                zip(whole.split(b"\n"), changed.split(b"\n"), strict=False), start=1
            )
            if a != b
        )
        if changed.endswith(b"\n"):  # otherwise the last line is truncated
            (note,) = found.notes
            assert f"{part_of(out)} line {number}" in note
        if i % 4 == 0:
            again = run(out)
            assert again == expected == Results.load(out)
            assert again.notes == found.notes


def test_flips_in_run_json_are_an_error(
    folder: Path, expected: Results, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    shutil.copytree(folder, tmp_path / "out")
    path = tmp_path / "out" / "run.json"
    whole = path.read_bytes()
    for _ in range(FLIPS):
        changed = flipped(whole, rng)
        path.write_bytes(changed)
        if changed[:-1] == whole[:-1]:  # only the newline at the end
            continue
        with pytest.raises(InvalidInput, match="is damaged"):
            Results.load(tmp_path / "out")
        with pytest.raises(InvalidInput, match="is damaged"):
            run(tmp_path / "out")
        assert path.read_bytes() == changed
    path.unlink()  # as the message advises
    assert run(tmp_path / "out") == expected


WRONG_ROWS: dict[str, dict[str, Any]] = {
    "status": {"status": "good"},
    "ok without a score": {"score": None},
    "score of a failed row": {"status": "failed"},
    "score as text": {"score": "0.5"},
    "score as a boolean": {"score": True},
    "NaN": {"score": float("nan")},
    "n as a float": {"n": 30.0},
    "negative n": {"n": -1},
    "p": {"p": 1.5},
    "text for a list": {"advice": "few rows"},
    "baseline as text": {"baselines": {"untrained": "0.5"}},
    "unknown field": {"extra": 1},
    "seconds": {"seconds": float("inf")},
    "job": {"job": 3},
    "deep": {"details": json.loads('{"a":' * 300 + "1" + "}" * 300)},
}


@pytest.mark.parametrize("change", WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_rows_outside_the_schema_are_computed_again(
    change: dict[str, Any], folder: Path, expected: Results, tmp_path: Path
) -> None:
    """Their checksum is correct."""
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    documents = [json.loads(x) for x in part_of(out).read_bytes().splitlines()]
    for document in documents:
        del document["checksum"]
    job = documents[-1]["job"]
    part_of(out).write_bytes(
        b"".join(
            sealed(document | change if document["job"] == job else document)
            for document in documents
        )
    )
    found = Results.load(out)
    assert len(found) == len(expected) - 1
    assert "line" in found.notes[0]
    assert run(out) == expected == Results.load(out)


def nested(depth: int) -> bytes:
    return b'{"schema": 2, "meta": ' + b"[" * depth


def changed_run(**change: Any) -> Callable[[dict[str, Any]], bytes]:
    return lambda document: sealed(document | change)


WRONG_RUNS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "jobs is a number": changed_run(jobs=3),
    "jobs has numbers": changed_run(jobs=[1, 2]),
    "measures is a mapping": changed_run(measures={}),
    "measure without a name": changed_run(measures=[{"label": "cka"}]),
    "representation is text": changed_run(representations=["r0"]),
    "shape is text": changed_run(
        representations=[{"name": "r0", "sha256": "0", "shape": "3"}]
    ),
    "twins out of range": changed_run(
        baselines=[{"name": "untrained", "twins": [99, 0, -1]}]
    ),
    "too many twins": changed_run(
        baselines=[{"name": "untrained", "twins": [None] * 99}]
    ),
    "notes is text": changed_run(notes="note"),
    "dropped is text": changed_run(dropped="3"),
    "dropped is a boolean": changed_run(dropped=True),
    "schema is a float": changed_run(schema=2.0),
    "schema is text": changed_run(schema="2"),
    "unknown field": changed_run(mine=1),
    "deep": lambda document: nested(100_000),
    "deep with a checksum": changed_run(
        earlier=json.loads("[" * 300 + "1" + "]" * 300)
    ),
    "not UTF-8": lambda document: b"\xff\xfe",
    "empty": lambda document: b"",
    "without a checksum": lambda document: json.dumps(document).encode(),
}


@pytest.mark.parametrize("change", WRONG_RUNS.values(), ids=WRONG_RUNS)
def test_run_json_outside_the_schema_is_a_one_line_error(
    change: Callable[[dict[str, Any]], bytes], folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    document = json.loads((out / "run.json").read_bytes())
    del document["checksum"]
    (out / "run.json").write_bytes(change(document))
    for use in (Results.load, run):
        with pytest.raises(InvalidInput, match=r"run\.json is damaged") as caught:
            use(out)
        assert "\n" not in str(caught.value)


def test_large_files_are_not_read(
    folder: Path, expected: Results, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    huge = out / "parts" / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(2**43)  # sparse: it does not use the disk
    found = Results.load(out)
    assert found == expected
    assert f"{huge} (not a file, or too large)" in found.notes[0]
    huge.unlink()
    huge.mkdir()
    assert Results.load(out).notes == found.notes
    with (out / "run.json").open("wb") as file:
        file.truncate(2**43)
    with pytest.raises(InvalidInput, match="is damaged"):
        Results.load(out)


def test_long_line_is_damaged_and_the_next_line_is_used(
    folder: Path, expected: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    monkeypatch.setattr(_folder, "LINE_BYTES", 5_000)
    part = part_of(out)
    part.write_bytes(b"x" * 12_345 + b"\n" + part.read_bytes())
    found = Results.load(out)
    assert found == expected
    assert f"{part} line 1. " in found.notes[0]


def test_only_five_damaged_lines_are_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    (out / "parts" / "a.jsonl").write_bytes(b"?\n" * 9)
    (note,) = Results.load(out).notes
    assert "line 5 and 4 more." in note


def test_every_line_is_json_with_a_checksum(folder: Path) -> None:
    lines = (folder / "run.json").read_bytes() + part_of(folder).read_bytes()
    for line in lines.splitlines():
        assert len(json.loads(line)["checksum"]) == 16
