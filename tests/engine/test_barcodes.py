"""`compare` stores the barcodes of topological measures in the results folder."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Results
from similitude.engine import _barcodes
from similitude.measures import RTD
from similitude.topology import r_cross_barcode

RNG = np.random.default_rng(0)
REPS = {name: RNG.normal(size=(40, 3)) for name in "abc"}


@pytest.mark.parametrize("workers", [1, 2])
def test_stored_bars_are_both_r_cross_barcodes(workers: int, tmp_path: Path) -> None:
    plain = sim.compare(REPS, ["rtd", "cka"], permutations=0)
    with sim.config(workers=workers):
        found = sim.compare(REPS, ["rtd", "cka"], permutations=0, out=tmp_path)
    loaded = Results.load(tmp_path)
    assert plain == found == loaded
    assert [row.score for row in plain.rows] == [row.score for row in loaded.rows]
    for row in loaded.rows:
        bars = loaded.barcodes(row)
        assert plain.barcodes(row) == {}
        if row.measure != "rtd":
            assert (bars, row.barcodes) == ({}, None)
            continue
        for name, sides in (("x_to_y", (row.a, row.b)), ("y_to_x", (row.b, row.a))):
            _, expected = r_cross_barcode(*(REPS[side] for side in sides))
            pairs = np.stack([expected.births, expected.deaths], axis=1)
            np.testing.assert_array_equal(bars[name], pairs)
            lengths = (bars[name][:, 1] - bars[name][:, 0]).sum()
            np.testing.assert_allclose(lengths, row.details[name])
    assert len(list((tmp_path / "barcodes").iterdir())) == 3


def test_bars_are_those_of_one_batch(tmp_path: Path) -> None:
    found = sim.compare(REPS, RTD(batch=20, draws=3), permutations=0, out=tmp_path)
    assert found == sim.compare(REPS, RTD(batch=20, draws=3), permutations=0)
    bars = found.barcodes(found.rows[0])
    assert {array.shape[1] for array in bars.values()} == {2}


def test_only_the_first_pairs_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_barcodes, "MOST_PAIRS", 2)
    found = sim.compare(REPS, ["rtd", "max_rtd"], permutations=0, out=tmp_path)
    assert [bool(found.barcodes(row)) for row in found.rows] == [True] * 2 + [False] * 4
    assert len(list((tmp_path / "barcodes").iterdir())) == 2


def test_damaged_barcodes_are_an_error(tmp_path: Path) -> None:
    found = sim.compare(REPS, "rtd", permutations=0, out=tmp_path)
    row = found.rows[0]
    path = tmp_path / "barcodes" / f"{row.job}.npz"
    whole = path.read_bytes()
    for i in np.random.default_rng(0).integers(len(whole), size=30):
        changed = bytearray(whole)
        changed[i] ^= 1
        path.write_bytes(changed)
        with pytest.raises(InvalidInput, match="is damaged or missing"):
            found.barcodes(row)
    path.unlink()
    with pytest.raises(InvalidInput, match="is damaged or missing"):
        found.barcodes(row)


@pytest.mark.parametrize("damage", ["flip", "missing", "folder"])
def test_the_same_command_computes_damaged_barcodes_again(
    damage: str, tmp_path: Path
) -> None:
    first = sim.compare(REPS, ["rtd", "cka"], permutations=3, out=tmp_path)
    row = first.rows[0]
    path = tmp_path / "barcodes" / f"{row.job}.npz"
    whole, bars = path.read_bytes(), first.barcodes(row)
    path.unlink()
    if damage == "flip":
        path.write_bytes(whole[:-9] + b"?" + whole[-8:])
    if damage == "folder":
        path.mkdir()
        with pytest.raises(OSError, match="The rows written so far are kept"):
            sim.compare(REPS, ["rtd", "cka"], permutations=3, out=tmp_path)
        return
    again = sim.compare(REPS, ["rtd", "cka"], permutations=3, out=tmp_path)
    assert again == first == Results.load(tmp_path)
    assert again.notes == (f"damaged and computed again: {path}.",)
    assert [r.seconds for r in again.rows] == [r.seconds for r in first.rows]
    for name, array in Results.load(tmp_path).barcodes(row).items():
        np.testing.assert_array_equal(array, bars[name])
    assert len(list((tmp_path / "parts").iterdir())) == 1  # no row was written again
    assert sim.compare(REPS, ["rtd", "cka"], permutations=3, out=tmp_path).notes == ()
