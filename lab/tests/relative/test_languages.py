"""Texts in two languages: splits, encoders, and sentences that intervals support."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.latent.stitching import Cell, StitchingTable
from similitude_lab.relative.languages import _stitching
from similitude_lab.relative.languages._encoders import EncoderOptions
from similitude_lab.relative.languages._fine_tuned import Run, Tuning, predictions
from similitude_lab.relative.languages._ngrams import NgramProjection, Vocabulary
from similitude_lab.relative.languages._setting import SMOKE
from similitude_lab.relative.languages._table import (
    LanguageTables,
    pooled_difference,
    stitching_cost,
)
from similitude_lab.relative.languages._texts import Sizes, synthetic_task
from similitude_lab.study import Config, Parts

SIZES = Sizes(train=10, test=5, validation=4, anchors=6)


def planted(gains: dict[str, list[float]]) -> StitchingTable:
    """Accuracies of 50 plus a gain per transform and seed; own decoders have 60."""
    targets = {name: np.arange(10) % 2 for name in ("en", "fr")}
    cells = []
    for transform, by_seed in gains.items():
        for seed, gain in enumerate(by_seed):
            for encoder in targets:
                for decoder in targets:
                    score = 60.0 if encoder == decoder else 50.0 + gain
                    key = (encoder, decoder, decoder, transform, seed, "ok", "")
                    cells.append(Cell(*key, score, score, None, (), ""))
    return StitchingTable(tuple(cells), targets)


def test_no_training_text_is_a_translation_or_a_test_text_or_an_anchor() -> None:
    task = synthetic_task(3, SIZES, seed=0)
    for seed in (0, 1):
        texts = task.draw(seed)
        concepts = {
            language: {
                part: {" ".join(w[2:] for w in t.split()) for t in getattr(own, part)}
                for part in ("train", "test", "validation", "anchors")
            }
            for language, own in texts.items()
        }
        sets = [concepts["en"][part] for part in ("test", "validation", "anchors")]
        sets += [concepts[language]["train"] for language in texts]
        assert sum(map(len, sets)) == len(set().union(*sets)) == 3 * SIZES.needed
        assert concepts["en"]["anchors"] == concepts["fr"]["anchors"]
        words = {language: {w for t in own.train for w in t.split()}
                 for language, own in texts.items()}  # fmt: skip
        assert not words["en"] & words["fr"]
        np.testing.assert_array_equal(texts["en"].train_labels, np.repeat(range(3), 10))
    assert task.draw(0)["en"].train != task.draw(1)["en"].train
    assert task.draw(0)["en"].test == task.draw(1)["en"].test


def test_a_split_shrinks_in_proportion_or_says_that_it_is_too_small() -> None:
    assert SIZES.needed == 35
    assert SIZES.scaled(100) == SIZES
    assert SIZES.scaled(20) == Sizes(train=5, test=2, validation=2, anchors=3)
    with pytest.raises(InvalidInput, match="has 6 texts, which is too few"):
        SIZES.scaled(6)


def test_ngrams_separate_topics_and_do_not_depend_on_other_texts() -> None:
    texts = ["red cat sat", "a red cat", "blue sea far", "the blue sea", "far blue sea"]
    projection = NgramProjection.fit(texts, columns=3)
    rows = projection(texts)
    assert rows.shape == (5, 3)
    np.testing.assert_allclose(projection(texts[2:3])[0], rows[2], atol=1e-5)
    near = np.linalg.norm(rows[2] - rows[4])
    assert near < np.linalg.norm(rows[2] - rows[0])
    # "cat red" has the words of "red cat", but not its pair of words.
    both = projection(["red cat", "cat red"])
    assert np.abs(both[0] - both[1]).max() > 1e-3
    np.testing.assert_array_equal(projection([""]), np.zeros((1, 3)))


def test_a_vocabulary_has_the_most_frequent_words_and_pads() -> None:
    vocabulary = Vocabulary.fit(["b a a", "a b c"], size=4, tokens=3)
    assert vocabulary.ids == {"a": 2, "b": 3}
    assert len(vocabulary) == 4
    found = vocabulary(["A c", "b b b b"])
    np.testing.assert_array_equal(found, [[2, 1, 0], [3, 3, 3]])


def test_differences_are_paired_by_seed_and_costs_are_against_the_own_decoder() -> None:
    table = planted({"robust": [9.0, 5.0, 1.0], "vanilla": [8.0, 4.0, 0.0]})
    gap = pooled_difference(table, "robust", "vanilla")
    np.testing.assert_allclose(gap[:3], 1.0, atol=1e-9)
    assert pooled_difference(table, "robust", "vanilla", stitched=False).mean == 0
    cost = stitching_cost(table, "robust")
    assert cost.mean == pytest.approx(-5.0)
    assert cost.low < -5 < cost.high


def test_every_seed_has_a_row_stitched_and_at_home_and_a_constant_guess() -> None:
    table = planted({"robust": [9.0, 5.0, 1.0], "vanilla": [8.0, 4.0, 0.0]})
    tables = LanguageTables({"mlp": table}, home="robust")
    rows = [row for row in tables.seed_rows() if row["metric"] == "accuracy"]
    found = {(r["transform"], r["cells"], r["seed"]): r["score"] for r in rows}
    assert len(found) == len(rows) == 2 * 2 * 3 + 3
    assert found["robust", "stitched", 1] == 55.0
    assert found["robust", "home", 1] == 60.0
    assert found["majority", "stitched", 2] == 50.0


def test_the_grid_has_decoders_before_encoders() -> None:
    table = planted({"robust": [9.0, 5.0]})
    cells = [replace(c, accuracy=33.0) if (c.decoder, c.encoder) == ("en", "fr") else c
             for c in table.cells]  # fmt: skip
    tables = {"mlp": replace(table, cells=tuple(cells))}
    (accuracy, _) = LanguageTables(tables, home="robust").grid_rows()
    assert accuracy["metric"] == "accuracy"
    assert (accuracy["first"], accuracy["second"]) == ("en", "fr")
    assert accuracy["first_second"] == "33.00 ± 0.00"
    assert accuracy["second_first"] == "57.00 ± 2.83"
    assert accuracy["first_first"] == accuracy["second_second"] == "60.00 ± 0.00"


def test_undefined_cells_are_a_dash_and_have_no_difference() -> None:
    table = planted({"robust": [9.0, 5.0], "whitened": [1.0, 2.0]})
    wrong: dict[str, Any] = {
        "status": "undefined",
        "reason": "Too few rows.",
        "accuracy": None,
        "f1": None,
    }
    cells = [replace(c, **wrong) if c.transform == "whitened" else c
             for c in table.cells]  # fmt: skip
    table = replace(table, cells=tuple(cells))
    tables = LanguageTables({"mlp": table}, home="robust")
    rows = list(tables.grid_rows())
    dashes = {row["transform"]: row["first_second"] == "-" for row in rows}
    assert dashes == {"robust": False, "whitened": True}
    assert np.isnan(pooled_difference(table, "robust", "whitened").mean)


def test_networks_near_the_most_frequent_class_have_not_learned() -> None:
    table = planted({"absolute": [0.0, 0.0]})
    assert table.chance() == 50
    for margin, judged in ((9.9, ["ngrams"]), (10.1, [])):
        tables = LanguageTables({"ngrams": table}, home="absolute", margin=margin)
        assert list(tables.judged) == judged


def small(**options: Any) -> Any:
    encoders = EncoderOptions(
        width=8, columns=6, vocabulary=50, tokens=12, epochs=(2, 1), batch=16
    )
    return replace(
        SMOKE, seeds=1, sizes=SIZES, anchors=10, encoders=encoders, **options
    )


def test_a_resumed_table_reads_finished_encoders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = synthetic_task(3, SIZES, seed=0)
    tables = []
    for _ in range(2):
        parts = Parts(tmp_path / "parts")
        config = Config(scale="smoke", setting=None, parts=parts)
        what = ("ngrams", task)
        tables.append(_stitching.stitched(config, small(), "ngrams", what, 0))
        monkeypatch.setattr(_stitching, "_rows", partial(pytest.fail, "trained again"))
    assert parts.read == ["ngrams-en-0", "ngrams-fr-0"]
    assert tables[0].cells == tables[1].cells
    assert set(tables[0].transforms) == {
        "absolute",
        "procrustes",
        "vanilla",
        "scaled_vanilla",
        "centered",
        "robust",
        "whitened",
        "inverse_relative",
        "inverse_relative_truncated",
    }


def test_arms_of_densification_differ_only_by_the_loss() -> None:
    texts = synthetic_task(3, SIZES, seed=0).draw(0)["en"]
    texts = replace(texts, test=texts.train, test_labels=texts.train_labels)
    run = Run(
        kind="ngrams",
        texts=texts,
        classes=3,
        anchors=10,
        encoders=small().encoders,
        tuning=Tuning(epochs=(20, 1), encoder_rate=1e-2, per_class=4, weight=1e-12),
        seed=0,
        draw=0,
    )
    plain = run.before()
    same = run.densified(plain, beta=0.5)
    np.testing.assert_allclose(same["rows"], plain["rows"], atol=1e-4)
    strong = replace(run, tuning=replace(run.tuning, weight=1.0))
    dense = strong.densified(plain, beta=0.5)
    distance = [np.abs(r["test_post"] - 0.5).mean() for r in (plain, dense)]
    assert distance[1] < 0.9 * distance[0]
    assert predictions(dense["rows"], plain).shape == (30,)
