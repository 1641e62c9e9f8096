"""Errors of a measure become rows with a reason; damaged folders can be resumed."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from engine.custom_measures import AllNaN, CustomMeasure
from similitude import InvalidInput, Results
from similitude.engine._schema import sealed


def reps(count: int = 3, n: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return {
        f"r{i}": z @ rng.normal(size=(3, 4 + i)) + rng.normal(size=(n, 4 + i))
        for i in range(count)
    }


def test_nan_score_is_a_failed_row() -> None:
    found = sim.compare(reps(), [CustomMeasure(fault="nan"), "cka"], permutations=9)
    rows = [row for row in found.rows if row.measure == "own"]
    assert len(rows) == 3
    for row in rows:
        assert (row.status, row.score, row.p, row.q) == ("failed", None, None, None)
        assert row.reason == "own returned NaN."
        assert row.complete
    assert all(row.p is not None for row in found.rows if row.measure == "cka")


def test_nan_in_compare_all_gets_its_reason_from_compare() -> None:
    x = reps(4)
    for name in x:
        x[name][0, 0] = 1.0
    x["r1"][0, 0] = -1.0
    found = sim.compare(x, AllNaN(), permutations=0)
    for row in found.rows:
        if "r1" in (row.a, row.b):
            assert row.status == "failed"
            assert row.reason == "ZeroDivisionError: a negative start"
        else:
            assert (row.status, row.score) == ("ok", 0.25)


def test_nan_in_the_null_gives_no_p_value() -> None:
    """NaN >= score is False, so counting NaN would give the smallest p."""
    x = reps(2)
    x["r1"][:, 0] = x["r0"][:, 0]
    x["r0"][:, 0] = x["r1"][:, 0] = np.arange(40.0)
    found = sim.compare(
        x, CustomMeasure(fault="nan in the null"), permutations=9, rng=1
    ).rows[0]
    assert found.status == "ok"
    assert (found.p, found.calibrated, found.null_mean) == (None, None, None)
    assert "of 9 null scores are not finite" in found.details["null"]


@pytest.mark.parametrize("value", ["inf", "-inf"])
def test_infinite_scores_have_no_statistics(value: str, tmp_path) -> None:
    found = sim.compare(
        reps(), CustomMeasure(fault=value), permutations=9, out=tmp_path
    )
    for row in found.rows:
        assert (row.status, row.score, row.complete) == ("ok", float(value), True)
        assert (row.p, row.low, row.null_mean) == (None, None, None)
    assert Results.load(tmp_path) == found
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(text)["rows"][0]["score"] == value
    assert value in found.table()


def test_numpy_details_are_saved_and_loaded(tmp_path: Path) -> None:
    found = sim.compare(
        reps(2), CustomMeasure(fault="numpy details"), permutations=0, out=tmp_path
    )
    assert found.rows[0].details == {
        "count": 3,
        "array": [0.0, 1.0],
        "nan": None,
        "inf": float("inf"),
        "nested": {"1": [0.5, None, True]},
        "object": "{1}",
    }
    assert Results.load(tmp_path).rows == found.rows


def test_error_in_details_is_a_failed_row(tmp_path: Path) -> None:
    own = CustomMeasure(fault="details raise")
    found = sim.compare(reps(), own, permutations=0, out=tmp_path)
    reasons = {(row.status, row.reason) for row in found.rows}
    assert reasons == {("failed", "RuntimeError: nothing to tell")}


SCORE = b'"score": '
DAMAGE = {
    "torn": lambda line: line[: len(line) // 2],
    "not an object": lambda line: b"[1, 2]",
    "a number": lambda line: b"17",
    "no job": lambda line: b'{"a": "r0", "b": "r1", "score": 1.0}',
    "job of another type": lambda line: b'{"job": 3}',
    "missing fields": lambda line: b'{"job": "0123"}',
    "score of another type": lambda line: line.replace(b'"score": ', b'"score": "x", '),
    "a list for a score": lambda line: line.replace(
        b'"score": ', b'"score": [], "s": '
    ),
    "advice of another type": lambda line: line[:-1] + b', "advice": 5}',
    "deep": lambda line: b"[" * 100_000,
    "binary": lambda line: bytes(range(256)).replace(b"\n", b""),
    "zeros": lambda line: b"\0" * 4096,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_lines_are_computed_again(damage, tmp_path: Path) -> None:
    expected = sim.compare(reps(), "cka", permutations=5, out=tmp_path)
    (part,) = (tmp_path / "parts").iterdir()
    lines = part.read_bytes().splitlines()
    job = json.loads(lines[-1])["job"].encode()
    damaged = [damage(line) if job in line else line for line in lines]
    part.write_bytes(b"\n".join(damaged) + b"\n")
    assert len(Results.load(tmp_path)) == 2
    again = sim.compare(reps(), "cka", permutations=5, out=tmp_path)
    assert again == expected == Results.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema": 1}', "has schema 1, but this version reads schema 2"),
        ('{"dependencies": {}}', "was not written by similitude"),
        ("[]", "was not written by similitude"),
        ('{"schema": 2,', "is damaged"),
        ("\xff", "is damaged"),
    ],
)
def test_run_json_of_another_program_is_not_overwritten(
    text: str, message: str, tmp_path
) -> None:
    (tmp_path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput, match=message):
        sim.compare(reps(2), "cka", permutations=0, out=tmp_path)
    with pytest.raises(InvalidInput, match=message):
        Results.load(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_bytes() == text.encode("latin-1")


def test_resume_with_other_labels_keeps_the_rows(tmp_path: Path) -> None:
    first = sim.compare(
        reps(), {"one": sim.measures.CKA()}, permutations=5, out=tmp_path
    )
    assert Results.load(tmp_path).measures == ("one",)
    second = sim.compare(
        reps(), {"two": sim.measures.CKA()}, permutations=5, out=tmp_path
    )
    assert second.measures == Results.load(tmp_path).measures == ("two",)
    assert len(Results.load(tmp_path)) == 3  # not repeated under the old label
    assert [r.seconds for r in first.rows] == [r.seconds for r in second.rows]


def test_an_unknown_kind_of_rows_is_named_without_control_characters(
    tmp_path: Path,
) -> None:
    sim.compare(reps(2), "cka", permutations=0, out=tmp_path)
    path = tmp_path / "run.json"
    document = json.loads(path.read_text("utf-8"))
    document.pop("checksum")
    path.write_bytes(sealed(document | {"holds": "\x1b[31mrows"}))
    with pytest.raises(InvalidInput, match="rows, not scores") as error:
        Results.load(tmp_path)
    assert str(error.value).isprintable()
