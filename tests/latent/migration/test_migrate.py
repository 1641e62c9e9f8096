"""`migrate`: what maps keep of full re-embedding, and the decision about it."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import _linalg
from similitude.errors import InvalidInput, Undefined
from similitude.latent import align, migration
from similitude.latent.migration._corpus import read_corpus
from similitude.latent.migration._decision import decide, extrapolated
from similitude.latent.migration._fits import FAMILIES, Fit, Fitter
from similitude.latent.migration._migrate import _measured
from similitude.latent.migration._retention import Share, recall, share
from similitude.latent.migration._rows import Rows, parts_of


def rotation(d: int, rng: np.random.Generator) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


@pytest.fixture
def old() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, 8))


def test_identity_keeps_all_results(old: np.ndarray) -> None:
    found = sim.migrate(old, old, keep_at_least=0.95)
    for side in found.directions.values():
        assert side.recall.value == side.overlap.value == 1
        assert side.recall.low > 0.95
        assert side.r2 == pytest.approx(1)
    assert found.no_map is not None
    assert found.old_model is not None
    assert found.no_map.value == found.old_model.value == 1
    assert found.changed == {}
    assert found.decision is not None
    assert found.decision.passed


def test_a_rotation_is_recovered(old: np.ndarray) -> None:
    q = rotation(8, np.random.default_rng(1))
    found = sim.migrate(old, 3 * old @ q + 1, direction="corpus", maps=["procrustes"])
    np.testing.assert_allclose(found.map.matrix, 3 * q, atol=1e-9)
    np.testing.assert_allclose(found.map.apply(old), 3 * old @ q + 1, atol=1e-9)
    assert found.recall.value == 1
    assert found.no_map is not None
    assert found.no_map.value < 0.3
    back = sim.migrate(old, 3 * old @ q + 1, direction="queries", maps=["procrustes"])
    np.testing.assert_allclose(back.map.matrix, q.T / 3, atol=1e-9)
    assert back.recall.value < 1  # cosines of old rows are not those of shifted rows


def test_a_shuffled_pairing_fails(old: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    found = sim.migrate(old, old[rng.permutation(300)], keep_at_least=0.2)
    assert found.recall.high < 0.15
    assert abs(found.directions[found.best].r2) < 0.2
    assert found.decision is not None
    assert not found.decision.passed
    assert "Check that a row" in found.decision.reason


@pytest.mark.parametrize(("d_old", "d_new"), [(8, 3), (3, 8)])
def test_widths_may_differ(d_old: int, d_new: int) -> None:
    rng = np.random.default_rng(3)
    old = rng.normal(size=(300, d_old))
    found = sim.migrate(old, old @ rng.normal(size=(d_old, d_new)))
    assert found.no_map is None
    assert "no map                                       -" in str(found)
    corpus, queries = (found.directions[side].map for side in ("corpus", "queries"))
    assert (
        (corpus.d_in, corpus.d_out) == (queries.d_out, queries.d_in) == (d_old, d_new)
    )
    assert found.directions["corpus"].recall.value > 0.95


def test_fewer_pairs_than_dimensions() -> None:
    rng = np.random.default_rng(4)
    old = rng.normal(size=(200, 60))
    found = sim.migrate(old, old @ rotation(60, rng), pairs=40)
    assert found.pairs == 40
    assert found.chance < found.recall.value < 1


def test_duplicate_rows_keep_all_results_under_the_identity() -> None:
    rows = np.repeat(np.random.default_rng(5).normal(size=(60, 6)), 4, axis=0)
    assert sim.migrate(rows, rows, k=5).recall.value == 1


@pytest.mark.parametrize("side", ["old", "new", "queries"])
def test_rows_that_are_not_finite_are_refused(old: np.ndarray, side: str) -> None:
    broken = old.copy()
    broken[17, 3] = np.nan
    given = {"old": old, "new": old, side: broken}
    with pytest.raises(InvalidInput, match=f"{side}: row 17, column 3 is nan"):
        sim.migrate(**given)


def test_wrong_options_are_refused(old: np.ndarray) -> None:
    for options in (
        {"direction": "both"},
        {"maps": ["affine"]},
        {"maps": []},
        {"keep_at_least": 1.0},
        {"keep_at_least": 95},
        {"queries": old[:, :3]},
        {"k": 0},
    ):
        with pytest.raises(InvalidInput):
            sim.migrate(old, old, **options)
    for options in ({"pairs": 299}, {"pairs": 8}, {"k": 200}, {"query_rows": 1}):
        with pytest.raises(Undefined):
            sim.migrate(old, old, **options)
    with pytest.raises(InvalidInput, match="rows"):
        sim.migrate(old, old[:-1])


def test_queries_that_are_not_rows(old: np.ndarray) -> None:
    rng = np.random.default_rng(6)
    q = rotation(8, rng)
    found = sim.migrate(old, old @ q, queries=rng.normal(size=(50, 8)) @ q)
    assert (found.queries, found.recall.value, found.old_model) == (50, 1, None)


def test_rows_are_matched_by_ids(old: np.ndarray) -> None:
    rng = np.random.default_rng(7)
    order = rng.permutation(300)[:200]
    first = sim.Representation("a", old, ids=[f"t{i}" for i in range(300)])
    second = sim.Representation("b", old[order], ids=[f"t{i}" for i in order])
    found = sim.migrate(first, second)
    assert (found.rows, found.recall.value) == (200, 1)
    (note,) = found.notes
    assert "the 200 rows that both have are used, of 300 of a" in note


def test_recall_counts_common_results() -> None:
    truth = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    results = np.array([[4, 9, 1, 8], [8, 7, 6, 5]])
    assert recall(truth, results).tolist() == [0.5, 1]
    assert share(recall(truth, results), np.arange(2), 9).value == 0.75


@pytest.mark.parametrize("size", [1, 4])
def test_search_equals_the_naive_search_among_other_blocks(size: int) -> None:
    rng = np.random.default_rng(8)
    corpus, queries = rng.normal(size=(90, 5)), rng.normal(size=(7, 5))
    blocks = rng.permutation(90) // size
    own = np.array([3, 999, 21, 0, 999, 12, 5])
    a = corpus / np.linalg.norm(corpus, axis=1, keepdims=True)
    far = np.where(own[:, None] == blocks, np.inf, -queries @ a.T)
    found = Rows(corpus, corpus, blocks).search(parts_of(corpus), queries, own, 6)
    np.testing.assert_array_equal(found, np.argsort(far, axis=1)[:, :6])
    distances = np.linalg.norm(queries[:, None] - corpus, axis=2)
    by_distance = _linalg.nearest_of_queries(
        lambda: iter([corpus]), np.full(7, -1), 6, "euclidean", queries
    )[0]
    np.testing.assert_array_equal(by_distance, np.argsort(distances, axis=1)[:, :6])


def test_ridge_and_low_rank_equal_their_definitions() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(50, 6)), rng.normal(size=(50, 4))
    fitter = Fitter(x, y)
    ridge, low = map(fitter.map, [Fit("ridge", 0.1), Fit("low_rank", 0.1, 2)])
    a, b = x - x.mean(axis=0), y - y.mean(axis=0)
    penalty = 0.1 * np.trace(a.T @ a) / 6
    expected = align.fit_affine(x, y, ridge=penalty)
    np.testing.assert_allclose(ridge.matrix, expected.matrix, atol=1e-12)
    main = np.linalg.svd(a @ ridge.matrix)[2][:2]
    np.testing.assert_allclose(low.matrix, ridge.matrix @ main.T @ main, atol=1e-12)
    assert np.linalg.matrix_rank(low.matrix) == 2
    np.testing.assert_allclose(b.mean(axis=0), 0, atol=1e-12)


def test_cross_validation_chooses_the_family_that_made_the_data() -> None:
    rng = np.random.default_rng(10)
    x = rng.normal(size=(400, 10))
    stretched = x @ (rotation(10, rng) * np.logspace(-1, 1, 10))
    assert sim.migrate(x, x @ rotation(10, rng)).map.kind == "procrustes"
    assert sim.migrate(x, stretched).map.kind.startswith("ridge")
    only = sim.migrate(x, stretched, maps=["low_rank"])
    assert all(name.startswith("low rank") for name in only.directions[only.best].maps)


def test_same_seed_same_result_and_the_queries_are_not_fitted(old: np.ndarray) -> None:
    new = np.tanh(old @ rotation(8, np.random.default_rng(11)))
    first, second, other = (sim.migrate(old, new, rng=seed) for seed in (1, 1, 2))
    assert first.to_dict() == second.to_dict()
    assert first.to_dict() != other.to_dict()
    assert list(first.directions[first.best].curve) == [37, 75, 150]
    assert first.queries == 150


@pytest.mark.parametrize("noise", [0.0, 0.45, 30.0])
def test_the_gate_follows_the_interval(old: np.ndarray, noise: float) -> None:
    rng = np.random.default_rng(12)
    new = old @ rotation(8, rng) + noise * rng.normal(size=old.shape)
    found = sim.migrate(old, new, keep_at_least=0.63)
    assert found.decision is not None
    passed = found.decision.passed
    assert passed == (found.recall.low >= 0.63) == (noise == 0)
    assert (found.recall.value > 0.63) == (noise < 1)


def shares(*lows: float) -> dict[int, Share]:
    return {1000 * 2**i: Share(v + 0.01, v, v + 0.02, 9000) for i, v in enumerate(lows)}


def test_the_needed_pairs_are_extrapolated_at_most_three_doublings() -> None:
    rising = decide(0.94, shares(0.80, 0.86, 0.90), 0.5, "z")
    assert not rising.passed
    assert rising.pairs_needed == 16_000  # gains 0.027, 0.018
    assert "16,000" in rising.reason
    late = decide(0.97, shares(0.80, 0.86, 0.90), 0.5, "z")
    assert late.pairs_needed is None
    assert "by 32,000 rows" in late.reason
    flat = decide(0.95, shares(0.80, 0.86, 0.861), 0.5, "z")
    assert flat.pairs_needed is None
    assert "no linear map" in flat.reason
    assert flat.reason.endswith("R^2 of rows not fitted: 0.50; z.")
    below = decide(0.99, shares(0.80, 0.86, 0.88), 0.01, "z")
    assert "levels off near 0.89" in below.reason
    assert "Check that a row is the same text" in below.reason
    assert extrapolated([0.5, 0.6], 100, 0.9) == (None, None)


def test_save_and_load_keep_the_map_and_its_record(
    old: np.ndarray, tmp_path: Path
) -> None:
    found = sim.migrate(old, old[:, ::-1], keep_at_least=0.9)
    found.save(tmp_path / "map")
    rows = align.load_map(tmp_path / "map").apply(old)
    np.testing.assert_array_equal(rows, found.map.apply(old))
    facts = align.load_facts(tmp_path / "map")["migration"]
    assert facts["sha256"]["old"] == sim.Representation("x", old).sha256
    recalls = facts["directions"][facts["best"]]["recall"]
    assert recalls["low"] == found.recall.low
    assert facts["decision"]["passed"]
    for file in sorted((tmp_path / "map").iterdir()):
        content = file.read_bytes()
        place = len(content) // 2
        flipped = bytes([content[place] ^ 1])
        file.write_bytes(content[:place] + flipped + content[place + 1 :])
        for load in (align.load_map, align.load_facts):
            with pytest.raises(InvalidInput):
                load(tmp_path / "map")
        file.write_bytes(content)


def test_public_names() -> None:
    assert sim.migrate is migration.migrate
    assert set(FAMILIES) == {"procrustes", "ridge", "low_rank"}


def test_intervals_cover_the_recall_of_all_queries() -> None:
    """200 samples of 60 queries, 40 from each of 5 maps; the truth is their population.

    `benchmarks/migrate.py` has 200 splits of real embeddings.
    """
    hits = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        old = rng.normal(size=(300, 8))
        new = np.tanh(old @ rng.normal(size=(8, 6)))
        corpus = read_corpus({"old": old, "new": new}, (40, 260), 5, seed)
        rows, asked = corpus.rows, corpus.asked
        truth = rows.search(parts_of(rows.new), asked.new, asked.blocks, 5)
        _, recalls = _measured(corpus, "corpus", truth, ["procrustes"])
        for _ in range(40):
            drawn = share(rng.choice(recalls, 60), np.arange(60), len(rows))
            hits.append(drawn.low <= np.mean(recalls) <= drawn.high)
    least = 0.95 - 2.5 * np.sqrt(0.95 * 0.05 / len(hits))
    assert np.mean(hits) >= least
