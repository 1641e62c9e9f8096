"""The stitching table: planted symmetries, recomputed cells, rejected inputs."""

from typing import Any

import numpy as np
import pytest

from latent.stitching.spaces import (
    ANCHORS,
    CLASSES,
    DATA,
    LABELS,
    RNG,
    TEST,
    TRAIN,
    D,
    X,
    planted,
    rows,
)
from similitude import InvalidInput, transformations
from similitude.latent import align
from similitude.latent.align.relative import Cosine, Robust
from similitude.latent.stitching import (
    Decoder,
    Embeddings,
    LogisticHead,
    PerSeed,
    StitchingData,
    stitching_table,
)


def accuracy(table: Any, transform: str) -> dict[str, float]:
    """Accuracy of the decoder `one` on its own encoder, and on the other one."""
    (own,) = table.where(transform=transform, encoder="one", decoder="one")
    (across,) = table.where(transform=transform, encoder="two", decoder="one")
    return {"own": own.accuracy, "stitched": across.accuracy}


def test_robust_stitches_across_permutation_diagonal_and_shift() -> None:
    spaces = planted(("permutation", "diagonal", "translation"))
    table = stitching_table(spaces, None, DATA, [Cosine(), Robust()], [0])
    robust = accuracy(table, "robust")
    assert robust["own"] > 80
    assert abs(robust["stitched"] - robust["own"]) <= 0.5
    absolute, cosine = (accuracy(table, t)["stitched"] for t in ("absolute", "cosine"))
    assert absolute < 100 / CLASSES + 10
    assert absolute < cosine < robust["stitched"] - 5


def test_cosine_stitches_across_a_rotation_and_robust_does_not() -> None:
    table = stitching_table(
        planted(("orthogonal",)), None, DATA, [Cosine(), Robust()], [0]
    )
    for name in ("cosine", "procrustes"):
        exact = accuracy(table, name)
        assert exact["stitched"] == exact["own"] > 80
    robust = accuracy(table, "robust")
    assert robust["stitched"] < robust["own"] - 3
    assert accuracy(table, "absolute")["stitched"] < 100 / CLASSES + 25


def test_table_always_has_baselines_and_accepts_names_and_mappings() -> None:
    spaces = planted(("orthogonal",))
    table = stitching_table(
        spaces, None, DATA, ["robust", "affine", "procrustes", "absolute"], [3]
    )
    assert table.transforms == ["absolute", "procrustes", "robust", "affine"]
    named = stitching_table(
        spaces,
        None,
        DATA,
        {"mine": Robust(), "ridge": lambda x, y: align.fit_affine(x, y, ridge=1.0)},
        [3],
    )
    assert named.transforms == ["absolute", "procrustes", "mine", "ridge"]
    assert [c.accuracy for c in named.where(transform="mine")] == [
        c.accuracy for c in table.where(transform="robust")
    ]


def test_cells_equal_a_direct_computation() -> None:
    spaces = planted(("permutation", "diagonal"))
    table = stitching_table(spaces, None, DATA, [Robust(stats="train")], [0])
    one, two = (Robust(stats="train").fit(s.anchors, s.train) for s in spaces.values())
    head = LogisticHead().train(one(spaces["one"].train), DATA.train_labels, 0)
    guess = head(two(spaces["two"].test))
    (cell,) = table.where(encoder="two", decoder="one", transform="robust(stats=train)")
    np.testing.assert_array_equal(cell.predictions, guess)
    assert cell.accuracy == 100 * np.mean(guess == DATA.test_labels)
    assert cell.stitched
    fit = align.fit_procrustes(
        spaces["two"].anchors, spaces["one"].anchors, translate=True, scale=True
    )
    head = LogisticHead().train(spaces["one"].train, DATA.train_labels, 0)
    (cell,) = table.where(encoder="two", decoder="one", transform="procrustes")
    np.testing.assert_array_equal(cell.predictions, head(fit.apply(spaces["two"].test)))


def test_seeds_draw_anchors_and_select_per_seed_encoders() -> None:
    spaces = planted(("orthogonal",))
    many = {"one": spaces["one"], "two": PerSeed({0: spaces["two"], 1: spaces["one"]})}
    table = stitching_table(many, None, DATA, [Cosine()], [0, 1], anchors=12)
    zero, one = (
        table.where(encoder="two", decoder="one", transform="absolute", seed=s)[0]
        for s in (0, 1)
    )
    assert zero.accuracy < 50 < one.accuracy
    own = table.where(encoder="one", decoder="one", transform="cosine")
    assert own[0].predictions != own[1].predictions
    with pytest.raises(InvalidInput, match="not have a member for seed 2"):
        stitching_table(many, None, DATA, [], [2])
    with pytest.raises(InvalidInput, match="k=101"):
        stitching_table(spaces, None, DATA, [], [0], anchors=101)


def test_unequal_widths_are_undefined_for_absolute_only() -> None:
    wide = np.pad(X, ((0, 0), (0, 4))) @ transformations.random_orthogonal(D + 4, RNG)
    table = stitching_table(
        {"one": rows(X), "wide": rows(wide)}, None, DATA, [Cosine()], [0]
    )
    (cell,) = table.where(encoder="wide", decoder="one", transform="absolute")
    assert cell.status == "undefined"
    assert "20 columns, but the decoder takes 16" in cell.reason
    for name in ("procrustes", "cosine"):
        (cell,) = table.where(encoder="wide", decoder="one", transform=name)
        assert cell.accuracy > 80
    assert "2 cells have no score" in str(table)


def test_each_domain_uses_its_own_data() -> None:
    other = StitchingData(LABELS[TRAIN][::-1], LABELS[TEST][::-1], ordinal=True)
    spaces = {
        "one": rows(X),
        "two": Embeddings(X[TRAIN][::-1], X[TEST][::-1], X[ANCHORS]),
    }
    table = stitching_table(spaces, None, {"one": DATA, "two": other}, [Robust()], [0])
    assert all(c.accuracy > 80 for c in table.cells)
    assert {c.encoder for c in table.cells if c.mae is not None} == {"two"}
    with pytest.raises(InvalidInput, match="not have an entry for encoder 'two'"):
        stitching_table(spaces, None, {"one": DATA}, [], [0])


def test_stitching_table_rejects_wrong_inputs() -> None:
    spaces = planted(("orthogonal",))
    cases: list[tuple[tuple[Any, ...], str]] = [
        (({}, None, DATA, [], [0]), "encoders is empty"),
        ((spaces, None, DATA, [], []), "seeds"),
        ((spaces, None, DATA, [], [1, 1]), "seeds"),
        ((spaces, {"h": Decoder("three")}, DATA, [], [0]), "is not an encoder"),
        ((spaces, {"h": LogisticHead()}, DATA, [], [0]), "Decoder"),
        ((spaces, None, DATA, ["robusst"], [0]), "unknown name 'robusst'"),
        ((spaces, None, DATA, ["robust", "robust"], [0]), "given twice"),
        ((spaces, None, DATA, {"absolute": Robust()}, [0]), "reserved for a baseline"),
        ((spaces, None, DATA, {"mine": 3}, [0]), "fits a map"),
        (({"f": lambda x: x}, None, DATA, [], [0]), r"data\.train is None"),
    ]
    for arguments, message in cases:
        with pytest.raises(InvalidInput, match=message):
            stitching_table(*arguments)
    short = Embeddings(X[TRAIN], X[TEST], X[850:])
    with pytest.raises(InvalidInput, match="equally many"):
        stitching_table(spaces | {"three": short}, None, DATA, [], [0])
    with pytest.raises(InvalidInput, match="500 test rows, but there are 300"):
        stitching_table(
            spaces, None, StitchingData(LABELS[:300], LABELS[:300]), [], [0]
        )
    with pytest.raises(InvalidInput, match="columns"):
        Embeddings(X[TRAIN], X[TEST][:, :3], X[ANCHORS])
    with pytest.raises(InvalidInput, match="integers"):
        StitchingData(X[:, 0], LABELS)
    with pytest.raises(InvalidInput, match="method train"):
        Decoder("one", head=3)


def test_test_rows_are_transformed_once_for_all_decoders_and_equal_seeds() -> None:
    fitted: list[tuple[Any, Any]] = []

    def fit(x: np.ndarray, y: np.ndarray) -> align.Map:
        fitted.append((x, y))
        return align.fit_affine(x, y)

    spaces = planted(("orthogonal",))
    pool = len(spaces["one"].anchors)
    for anchors, draws in ((pool, 1), (pool - 1, 2)):
        fitted.clear()
        table = stitching_table(
            spaces, None, DATA, {"own": fit}, [0, 1], anchors=anchors
        )
        assert len(fitted) == 4 * draws
        cells = {
            (c.encoder, c.decoder, c.seed): c for c in table.where(transform="own")
        }
        for (encoder, decoder, seed), cell in cells.items():
            same = cells[encoder, decoder, 1 - seed].predictions == cell.predictions
            assert same or draws == 2
