"""Summaries over seeds, and resumed runs."""

import copy
import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from torch import nn

from latent.stitching.spaces import CLASSES, DATA, RNG, D, X, planted, rows
from similitude import InvalidInput, Results, compare
from similitude.latent import align
from similitude.latent.align.relative import Cosine, Robust
from similitude.latent.stitching import (
    Decoder,
    LogisticHead,
    StitchingTable,
    cells_in,
    stitching_table,
)
from similitude.latent.stitching._identity import identity
from similitude.latent.stitching._results import interval


def test_summary_and_paired_differences_equal_direct_computation() -> None:
    spaces = planted(("permutation", "diagonal"))
    table = stitching_table(
        spaces, None, DATA, [Cosine(), Robust()], [0, 1, 2], anchors=20
    )
    place = {"encoder": "two", "decoder": "one"}
    scores = {
        t: np.array([c.accuracy for c in table.where(**place, transform=t)])
        for t in ("cosine", "robust")
    }
    (s,) = (
        s
        for s in table.summary()
        if (s.encoder, s.decoder, s.transform) == ("two", "one", "robust")
    )
    np.testing.assert_allclose(
        [s.mean, s.sd], [scores["robust"].mean(), scores["robust"].std(ddof=1)]
    )
    (d,) = (
        d
        for d in table.differences("cosine")
        if (d.encoder, d.decoder, d.transform) == ("two", "one", "robust")
    )
    gaps = scores["robust"] - scores["cosine"]
    expected = scipy.stats.t.interval(
        0.95, 2, loc=gaps.mean(), scale=scipy.stats.sem(gaps)
    )
    np.testing.assert_allclose([d.mean, d.low, d.high], [gaps.mean(), *expected])
    (d,) = (
        d
        for d in table.differences("cosine", over="samples")
        if (d.encoder, d.decoder, d.transform) == ("two", "one", "robust")
    )
    assert d.pairs == 500
    np.testing.assert_allclose(d.mean, gaps.mean())
    assert d.low < d.mean < d.high
    assert "robust" in str(table)
    assert table._repr_html_().startswith("<pre>")
    json.dumps(table.to_dict())
    for wrong in ({"against": "nothing"}, {"metric": "mae"}, {"confidence": 2.0}):
        with pytest.raises(InvalidInput):
            table.differences(**wrong)
    with pytest.raises(InvalidInput, match="samples"):
        table.differences(metric="f1", over="samples")


def test_differences_are_against_the_decoder_at_home() -> None:
    spaces = planted(("permutation", "diagonal"))
    table = stitching_table(spaces, None, DATA, [Robust()], [0, 1], anchors=20)
    for over in ("seeds", "samples"):
        found = table.differences(over=over)
        assert {d.against for d in found} == {"home"}
        assert {(d.encoder, d.decoder) for d in found} == {
            ("one", "two"),
            ("two", "one"),
        }
        for d in found:
            away = table.where(
                encoder=d.encoder, decoder=d.decoder, transform=d.transform
            )
            home = table.where(
                encoder=d.decoder, decoder=d.decoder, transform=d.transform
            )
            gaps = [a.accuracy - h.accuracy for a, h in zip(away, home, strict=True)]
            np.testing.assert_allclose(d.mean, np.mean(gaps))


def test_chance_is_the_score_of_the_best_constant_guess() -> None:
    table = stitching_table(planted(("sign",)), None, DATA, [], [0])
    counts = np.bincount(DATA.test_labels)
    np.testing.assert_allclose(table.chance(), 100 * counts.max() / counts.sum())
    guesses = [np.abs(DATA.test_labels - c).mean() for c in range(CLASSES)]
    assert table.chance("mae") <= 100 * min(guesses) + 1e-9
    with pytest.raises(InvalidInput, match="choose accuracy or mae"):
        table.chance("f1")


def test_undefined_cells_are_grouped_by_reason() -> None:
    twice = np.repeat(np.arange(9), 2)
    spaces = {"one": rows(X), "two": rows(X[:, :4])}
    spaces = {name: space.with_anchors(twice) for name, space in spaces.items()}
    table = stitching_table(spaces, None, DATA, [Cosine()], [0, 1])
    text = str(table)
    assert "cells have no score:" in text
    assert "4 x absolute" not in text
    assert "2 x absolute (one -> two): the encoder returns" in text
    assert "2 x absolute (two -> one): the encoder returns" in text
    assert text.count("rows 0 and 1 of 18 are equal") == 1
    allowed = stitching_table(
        spaces, None, DATA, [Cosine()], [0, 1], allow_duplicates=True
    )
    assert all(c.status == "ok" for c in allowed.where(transform="cosine"))
    assert not {c.job for c in allowed.where(transform="cosine")} & {
        c.job for c in table.cells
    }


def test_95_percent_intervals_cover_the_mean_95_percent_of_the_time() -> None:
    """The coverage over 2000 draws is within three standard errors of 95 %."""
    draws = np.random.default_rng(0).normal(1.0, 2.0, size=(2000, 5))
    found = [interval(row, 0.95) for row in draws]
    share = np.mean([low <= 1.0 <= high for _, low, high in found])
    assert abs(share - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 2000)
    assert interval(np.array([3.0]), 0.95) == (3.0, None, None)


@pytest.mark.parametrize(("lost", "gained"), [(0.01, 0.0), (0.02, 0.01), (0.1, 0.05)])
def test_intervals_over_test_rows_cover_if_few_rows_differ(
    lost: float, gained: float
) -> None:
    """Student's covers 65 % of 100 rows that lose 1 %; at least 92 % are needed."""
    u = np.random.default_rng(1).uniform(size=(400, 100))
    gaps = 100 * ((u > 1 - gained).astype(float) - (u < lost))
    found = [interval(row, 0.95, percent=True) for row in gaps]
    true = 100 * (gained - lost)
    assert np.mean([low <= true <= high for _, low, high in found]) > 0.92


def test_interval_of_test_rows_without_a_difference_has_a_width() -> None:
    """None of 100 rows differs, so up to 3 % of the population may be lost or won."""
    mean, low, high = interval(np.zeros(100), 0.95, percent=True)
    assert mean == 0.0
    np.testing.assert_allclose([-low, high], 100 * (1 - 0.05 ** (1 / 100)), atol=0.05)
    many = np.repeat([0.0, -100.0], [80, 20])
    assert interval(many, 0.95, percent=True) == interval(many, 0.95)


@dataclasses.dataclass(frozen=True)
class Counting:
    """A head that records its training in a global list, not in its fields."""

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Any:
        TRAINED.append(seed)
        return LogisticHead().train(x, labels, seed)


TRAINED: list[int] = []


def test_resume_after_a_torn_line_trains_only_missing_heads(tmp_path: Path) -> None:
    TRAINED.clear()
    spaces, out = planted(("orthogonal",)), tmp_path / "runs" / "table"
    decoders = {"head": Decoder("one", Counting())}
    first = stitching_table(spaces, decoders, DATA, [Robust()], [0, 1], out=out)
    assert TRAINED == [0, 0, 1, 1]  # absolute and robust; maps share the absolute head
    (part,) = (out / "parts").iterdir()
    lines = part.read_text().splitlines()
    assert len(lines) == len(first.cells) == cells_in(out).kept() == 12
    part.write_text("\n".join(lines[:7]) + "\n" + lines[7][:20])  # torn by a crash
    TRAINED.clear()
    again = stitching_table(spaces, decoders, DATA, [Robust()], [0, 1], out=out)
    assert again.cells == first.cells
    assert TRAINED == [1, 1]
    TRAINED.clear()
    third = stitching_table(spaces, decoders, DATA, [Robust()], [0, 1], out=out)
    assert (third.cells, TRAINED) == (first.cells, [])
    changed = spaces | {"two": rows(X * 2)}  # changed rows are computed again
    stitching_table(changed, decoders, DATA, [Robust()], [0], out=out)
    assert TRAINED == [0, 0]


def test_damaged_cells_are_named_and_computed_again(tmp_path: Path) -> None:
    spaces = planted(("orthogonal",))
    first = stitching_table(spaces, None, DATA, [], [0], out=tmp_path)
    assert (first.notes, len(first.cells)) == ((), 8)
    (part,) = (tmp_path / "parts").iterdir()
    whole = part.read_bytes()
    for i in np.random.default_rng(0).integers(len(whole), size=20):
        changed = bytearray(whole)
        changed[i] ^= 1
        part.write_bytes(changed)
        kept = cells_in(tmp_path).rows()
        expected = {cell.job: cell for cell in first.cells}
        assert kept.items() < expected.items()
    again = stitching_table(spaces, None, DATA, [], [0], out=tmp_path)
    assert again.cells == first.cells
    assert f"{part} line " in again.notes[0]
    assert "Note: damaged and not used" in str(again)


def test_folder_rejects_rows_of_another_kind(tmp_path: Path) -> None:
    spaces = planted(("orthogonal",))
    stitching_table(spaces, None, DATA, [], [0], out=tmp_path / "cells")
    with pytest.raises(InvalidInput, match="holds cells, not scores"):
        compare({"x": X, "y": X}, "procrustes", out=tmp_path / "cells")
    with pytest.raises(InvalidInput, match="holds cells, not scores"):
        Results.load(tmp_path / "cells")
    compare({"x": X, "y": X}, "procrustes", out=tmp_path / "scores")
    with pytest.raises(InvalidInput, match="holds scores, not cells"):
        stitching_table(spaces, None, DATA, [], [0], out=tmp_path / "scores")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="is a file; give a folder"):
        stitching_table(spaces, None, DATA, [], [0], out=tmp_path / "file")


def test_progress_is_called_at_the_start_and_once_per_cell() -> None:
    calls: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        calls.append((stage, done, total))

    stitching_table(planted(("sign",)), None, DATA, [], [0], progress=progress)
    assert calls == [("stitching", i, 8) for i in range(9)]


class Constant:
    """A head whose repr does not show its options."""

    def __init__(self, answer: int) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        return "Constant()"

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Any:
        return lambda z: np.full(len(z), self.answer)


def test_changed_options_closures_heads_or_code_are_computed_again(
    tmp_path: Path,
) -> None:
    """Equal names do not suffice to reuse a stored cell."""
    spaces, out = planted(("linear",)), tmp_path / "table"

    def ridged(ridge: float) -> Any:
        return lambda x, y: align.fit_affine(x, y, ridge=ridge)

    def readout(weights: np.ndarray) -> Decoder:
        return Decoder("one", live=lambda z: z @ weights)

    weights = RNG.normal(size=(2, D, CLASSES))
    plain = {"head": Decoder("one", Constant(0))}
    cases: list[tuple[Any, Any]] = [
        (plain, partial(align.fit_affine, ridge=1e7)),
        (plain, partial(align.fit_affine, ridge=1.0)),
        (plain, align.fit_affine),
        (plain, align.fit_procrustes),
        (plain, ridged(1e7)),
        (plain, ridged(1.0)),
        (plain, lambda x, y: align.fit_affine(x, y, ridge=2.0)),
        (plain, lambda x, y: align.fit_affine(x, y, ridge=3.0)),
        ({"head": Decoder("one", Constant(1))}, align.fit_affine),
        ({"head": readout(weights[0])}, align.fit_affine),
        ({"head": readout(weights[1])}, align.fit_affine),
    ]
    keys = []
    for decoders, fit in cases:
        table = stitching_table(spaces, decoders, DATA, {"m": fit}, [0], out=out)
        (cell,) = table.where(encoder="two", transform="m")
        keys.append(cell.job)
        parts = {part: part.stat().st_size for part in (out / "parts").iterdir()}
        again = stitching_table(spaces, decoders, DATA, {"m": fit}, [0], out=out)
        assert again.cells == table.cells
        for part in (out / "parts").iterdir():  # equal cells are not computed again
            assert part.stat().st_size == parts[part]
    assert len(set(keys)) == len(cases)


def test_identity_differs_on_each_call_for_opaque_objects() -> None:
    recursive: list[Any] = []
    recursive.append(recursive)
    opaque_objects = (
        *(partial(align.fit_affine, ridge=recursive), iter([1])),
        *((i for i in range(3)), recursive.append),
        np.array([recursive], dtype=object),
    )
    for opaque in opaque_objects:
        assert identity(opaque) != identity(opaque)
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    assert identity(first) == identity(copy.deepcopy(first)) != identity(second)
    assert identity({"a": {"x", "y"}}) == identity({"a": {"y", "x"}})
    assert identity(nn.Linear) == identity(nn.Linear) != identity(nn.Conv1d)
    assert identity(np.float32(2)) != identity(np.float64(2))


@pytest.mark.parametrize(
    "change",
    [
        {"encoder": "none"},
        {"predictions": ()},
        {"predictions": (0,)},
        {"predictions": (0,) * 1000},
        {"encoder": "none", "status": "undefined", "accuracy": None},
    ],
    ids=["encoder", "none", "one", "many", "undefined"],
)
def test_cells_that_do_not_fit_are_refused_or_computed_again(change, tmp_path) -> None:
    """Changed files with right checksums."""
    task = planted(("permutation",))

    def run() -> StitchingTable:
        return stitching_table(
            task, None, DATA, [Cosine()], [0], anchors=20, out=tmp_path
        )

    whole = run()
    (part,) = (tmp_path / "parts").iterdir()
    for i in range(len(whole.cells)):
        cells = list(whole.cells)
        cells[i] = dataclasses.replace(cells[i], **change)
        part.write_bytes(b"".join(cell.line() for cell in cells))
        with pytest.raises(InvalidInput, match="the classes of all test samples"):
            StitchingTable.load(tmp_path)
        assert run().cells == whole.cells
        for new in set((tmp_path / "parts").iterdir()) - {part}:
            new.unlink()


def test_a_cell_of_an_unknown_encoder_does_not_end_the_table() -> None:
    """A changed file with a right checksum."""
    table = stitching_table(
        planted(("permutation", "diagonal")), None, DATA, [Cosine()], [0], anchors=20
    )
    for i, cell in enumerate(table.cells):
        cells = list(table.cells)
        cells[i] = dataclasses.replace(cell, encoder="none")
        changed = dataclasses.replace(table, cells=cells)
        assert str(changed)
        over = changed.differences(over="samples")
        assert "none" not in {one.encoder for one in over}
