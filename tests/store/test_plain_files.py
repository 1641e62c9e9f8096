"""JSON documents are read strictly, and CSV tables are written atomically."""

import csv
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude.store import read_json, write_table


def test_a_table_is_read_back(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", {"k": (1, 2), "score": np.array([0.1, -2.5])})
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["k", "score"], ["1", "0.1"], ["2", "-2.5"]]
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_text_of_a_table_is_never_a_formula(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", {"=a": ["@SUM(1)"]})
    assert (tmp_path / "t.csv").read_text() == "'=a\n'@SUM(1)\n"


def test_columns_of_different_lengths_are_named(tmp_path: Path) -> None:
    with pytest.raises(sim.InvalidInput, match="a 2, b 1"):
        write_table(tmp_path / "t.csv", {"a": [1, 2], "b": [1]})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "{", "NaN", "[" * 100 + "]" * 100])
def test_a_damaged_document_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(text)
    with pytest.raises(sim.InvalidInput, match=r"d\.json is"):
        read_json(tmp_path / "d.json")


def test_a_document_is_read(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text('{"a": [1, 2.5, null]}')
    assert read_json(tmp_path / "d.json") == {"a": [1, 2.5, None]}
    with pytest.raises(sim.InvalidInput, match="missing"):
        read_json(tmp_path / "e.json")
