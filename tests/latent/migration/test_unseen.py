"""`migrate` judges a map on rows that it has not seen, in a corpus it has not seen."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude.errors import Undefined
from similitude.latent.migration import _blocks, _corpus, _fits, _migrate
from similitude.latent.migration._blocks import kind_of
from similitude.latent.migration._fits import Fitter, choose
from similitude.latent.migration._retention import share
from similitude.latent.migration._rows import Rows, parts_of
from trust import migrate_documents, migrate_unrelated

WAYS = ("none", "old", "new", "both", "ids", "equal rows")  # how blocks are given
QUERIES = ("rows", "ids", "values", "documents", "others")  # what queries are


class Case:
    """Random rows of two models. `document` is the document of a row."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([5, seed])
        self.way, self.asked = WAYS[seed % len(WAYS)], QUERIES[seed % len(QUERIES)]
        if self.asked == "documents" and self.way in {"none", "equal rows"}:
            self.asked = "ids"  # nothing else shows that a query is a row
        n, size = int(rng.integers(200, 320)), int(rng.integers(2, 5))
        self.document = np.sort(rng.integers(0, n // size, n))
        if self.way == "none":
            self.document = np.arange(n)
        d_old, d_new = rng.integers(3, 40, 2)
        effects = rng.normal(size=(n, d_old)), rng.normal(size=(n, d_new))
        old, new = (each[self.document] for each in effects)
        if self.way != "equal rows":
            old, new = (rows + rng.normal(size=rows.shape) for rows in (old, new))
        self.old, self.new = old, new
        self.pairs = int(rng.integers(n // 3, n // 2))
        order = rng.permutation(n)  # files are shuffled
        self.document, self.old, self.new = (
            each[order] for each in (self.document, self.old, self.new)
        )
        self.labels = np.array([f"b{each}" for each in self.document])
        separator = ":" if self.way == "ids" else "-"
        self.ids = np.array(
            [f"doc{each}{separator}{i}" for i, each in enumerate(self.document)]
        )
        self.rng, self.n = rng, n

    def given(self) -> dict[str, Any]:
        has_ids = self.way == "ids" or self.asked in {"ids", "documents"}
        ids = self.ids if has_ids else None
        old = sim.Representation("old", self.old, ids=ids)
        new = sim.Representation("new", self.new, ids=ids)
        if self.way in {"old", "both"}:
            old = replace(old, blocks=self.labels)
        if self.way in {"new", "both"}:
            new = replace(new, blocks=self.labels)
        return {"old": old, "new": new} | self.queries(ids)

    def queries(self, ids: Any) -> dict[str, Any]:
        """Rows of the corpus that may be fitted, and 30 that are not rows."""
        few = self.rng.choice(self.n, 60, replace=False)
        others = self.rng.normal(size=(30, self.new.shape[1]))
        if self.asked == "rows":
            return {}
        if self.asked == "others":
            return {"queries": others}
        rows, names = np.concatenate([self.new[few], others]), None
        if self.asked != "values":  # embedded again, so they differ in the last digits
            rows = rows * (1 + 1e-9)
            ends = [f"other{i}{':' if self.way == 'ids' else '-'}0" for i in range(30)]
            again = "0000" if self.asked == "documents" else ""
            names = np.array([f"{ids[i]}{again}" for i in few] + ends)
        labels = None
        if self.asked == "documents" and self.way in {"old", "new", "both"}:
            labels = np.concatenate([self.labels[few], [f"o{i}" for i in range(30)]])
        return {"queries": sim.Representation("q", rows, ids=names, blocks=labels)}

    def documents_of(self, rows: np.ndarray, side: str) -> set[int]:
        """The documents of rows by their values; -1 if a row is not of this case."""
        known = {
            np.round(row, 6).tobytes(): int(document)
            for row, document in zip(getattr(self, side), self.document, strict=True)
        }
        return {known.get(np.round(row, 6).tobytes(), -1) for row in rows}


def leaks(case: Case, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Each search with a map whose documents were fitted, for all maps of `migrate`."""
    fitted, found = {}, []

    def noted(self: Fitter, fit: Any) -> Any:
        made = mapped(self, fit)
        x, y = self.x, self.y
        sides = [("old", x), ("new", y)] if is_old(x) else [("new", x), ("old", y)]
        documents = [case.documents_of(rows, side) for side, rows in sides]
        assert documents[0] == documents[1]
        fitted[id(made)] = (made, documents[0])
        return made

    def is_old(x: np.ndarray) -> bool:
        return x.shape[1] == case.old.shape[1] and -1 not in case.documents_of(x, "old")

    def checked(
        self: Rows, made: Any, side: Any, asked: Rows, truth: Any
    ) -> np.ndarray:
        seen = fitted[id(made)][1]
        if seen & case.documents_of(self.new, "new"):
            found.append(f"a fitted document is searched ({side})")
        if (seen & case.documents_of(asked.new, "new")) - {-1}:
            found.append(f"a fitted document is asked ({side})")
        return searched(self, made, side, asked, truth)

    mapped, searched = Fitter.map, Rows.recalls
    with monkeypatch.context() as patch:
        patch.setattr(Fitter, "map", noted)
        patch.setattr(Rows, "recalls", checked)
        sim.migrate(**case.given(), pairs=case.pairs, k=3)
    yield from found
    assert len(fitted) > 20


@pytest.mark.parametrize("seed", range(30))
def test_no_map_is_judged_on_documents_that_it_was_fitted_to(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In folds and in the end, in both directions, all ways with all queries."""
    assert list(leaks(Case(seed), monkeypatch)) == []


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 10])
def test_a_split_that_ignores_documents_is_found(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def each_row(rep: Any, *_: Any) -> np.ndarray:
        return np.arange(rep.n)

    monkeypatch.setattr(_corpus, "blocks_of", each_row)
    assert list(leaks(Case(seed), monkeypatch)) != []


@pytest.mark.parametrize("seed", range(10))
def test_a_query_leaves_out_its_own_document(seed: int) -> None:
    case = Case(6 * seed + 3)
    given = {name: case.given()[name] for name in ("old", "new")}
    corpus = _corpus.read_corpus(given, (case.pairs, None), 3, seed)
    rows, asked = corpus.rows, corpus.asked
    results = rows.search(parts_of(rows.new), asked.new, asked.blocks, 3)
    assert not np.any(rows.blocks[results] == asked.blocks[:, None])
    found = sim.migrate(**given, pairs=case.pairs, k=3, rng=seed)
    candidates = [np.sum(rows.blocks != own) for own in asked.blocks]
    np.testing.assert_allclose(found.chance, np.mean(3 / np.array(candidates)))
    assert "documents" in str(found) or "blocks" in str(found)


def test_the_gate_does_not_pass_between_unrelated_spaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A few draws of `tests/trust/migrate_unrelated.py`, and a split that leaks."""

    def passes(cell: int) -> int:
        draws = [(draw, blocks) for draw in range(4) for blocks in (False, True)]
        lines = [migrate_unrelated.gate(cell, draw, blocks=b) for draw, b in draws]
        return sum(line["either"] for line in lines)

    assert [passes(cell) for cell in (0, 1)] == [0, 0]

    def leaking(*arguments: Any) -> tuple[np.ndarray, np.ndarray]:
        fitted, unseen = _blocks.split(*arguments)
        return fitted, np.concatenate([unseen, fitted])

    monkeypatch.setattr(_corpus, "split", leaking)
    assert passes(1) >= 4


def test_few_enough_passes_are_counted_by_cell_and_in_all() -> None:
    def holds(*passes: int) -> bool:
        cells = range(len(migrate_unrelated.CELLS))
        found = {(cell, blocks): (50, 0, 0) for cell in cells for blocks in (0, 1)}
        found |= {(cell, True): (50, count, 0) for cell, count in enumerate(passes)}
        return migrate_unrelated.holds(found)

    assert holds(4, 4, 4)
    assert not holds(4, 4, 4, 1)
    assert not holds(5)


@pytest.mark.parametrize("seed", range(4))
def test_the_direction_and_the_map_do_not_depend_on_unseen_rows(seed: int) -> None:
    case = Case(6 * seed)
    given = {"old": case.old, "new": case.new}
    first = sim.migrate(**given, pairs=case.pairs, k=3)
    corpus = _corpus.read_corpus(given, (case.pairs, None), 3, 0)
    known = {row.tobytes() for row in corpus.pairs.new}
    unseen = [i for i, row in enumerate(case.new) if row.tobytes() not in known]
    changed = case.new.copy()
    changed[unseen] = np.random.default_rng(seed).normal(size=changed[unseen].shape)
    second = sim.migrate(case.old, changed, pairs=case.pairs, k=3)
    assert first.best == second.best
    for side, each in first.directions.items():
        assert each.maps == second.directions[side].maps
        np.testing.assert_array_equal(
            each.map.matrix, second.directions[side].map.matrix
        )
    chosen = max(first.directions, key=lambda s: max(first.directions[s].maps.values()))
    assert first.best == chosen
    assert first.map is first.directions[chosen].map


def test_a_direction_that_measures_better_is_named_in_one_line() -> None:
    rng = np.random.default_rng(0)
    old = rng.normal(size=(500, 16))
    new = old @ rng.normal(size=(16, 12)) + 0.1 * rng.normal(size=(500, 12))
    assert sim.migrate(old, new).notes == ()
    found = sim.migrate(old, new, direction="queries")
    (note,) = found.notes
    assert note.endswith("if you map the corpus.")
    sides = found.directions
    more = sides["corpus"].recall.value - sides["queries"].recall.value
    assert f"larger by {more:.3f} [" in note
    assert note in " ".join(str(found).split())


@pytest.mark.parametrize("seed", range(5))
def test_every_recall_names_its_corpus(seed: int) -> None:
    case = Case(seed)
    found = sim.migrate(**case.given(), pairs=case.pairs, k=3, keep_at_least=0.9)
    assert found.rows == found.pairs + found.corpus == case.n
    shares = []

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            shares.extend([value] if "low" in value else [])
            for each in value.values():
                visit(each)

    visit(found.to_dict())
    assert len(shares) >= 6
    assert {each["corpus"] for each in shares} == {found.corpus}
    text = str(found).replace("\n", " ")
    assert f"recall@3 among {found.corpus:,} rows" in text
    assert found.decision is not None
    assert f"among {found.corpus:,} searched rows" in found.decision.reason
    sizes = len(found.directions[found.best].curve)
    assert text.count(f"] among {found.corpus:,}") == sizes + 1


@pytest.mark.parametrize("seed", range(12))
def test_the_grid_of_penalties_has_its_best_inside(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    n, d = int(rng.integers(40, 200)), int(rng.integers(3, 80))
    x = rng.normal(size=(n, d)) * np.logspace(0, -rng.uniform(0, 4), d)
    y = x @ rng.normal(size=(d, d)) + 10.0 ** rng.uniform(-6, 1) * rng.normal(
        size=(n, d)
    )
    _, recalls = choose(Rows(x, y, np.arange(n)), "corpus", 3, ["ridge"])
    by_penalty = {float(name.split()[2].strip("),")): r for name, r in recalls.items()}
    grid = sorted(by_penalty)
    np.testing.assert_allclose(np.diff(np.log10(grid)), 1)
    best = max(by_penalty, key=lambda penalty: by_penalty[penalty])
    at_bounds = best in {1e-8, 1e4}
    assert (best not in {grid[0], grid[-1]}) or at_bounds
    assert any("the last that is tried" in name for name in recalls) == at_bounds


def test_the_grid_is_extended_in_both_directions_and_says_where_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(160, 60)) * np.logspace(0, -3, 60)
    rows = Rows(x, x @ rng.normal(size=(60, 60)), np.arange(160))

    def powers(first: int) -> list[int]:
        monkeypatch.setattr(_fits, "_POWERS", range(first, first + 2))
        _, recalls = choose(rows, "corpus", 5, ["ridge"])
        found = [float(name.split()[2].strip("),")) for name in recalls]
        return sorted(int(np.round(np.log10(each))) for each in found)

    assert powers(0)[0] < -3  # the relation is exact
    assert powers(-8) == [-8, -7]
    monkeypatch.setattr(_fits, "_BOUNDS", (-2, 0))
    assert powers(-1) == [-2, -1, 0]
    made, _ = choose(rows, "corpus", 5, ["ridge"])
    assert made.kind == "ridge (penalty 0.01, the last that is tried)"


@pytest.mark.parametrize("seed", range(6))
def test_intervals_cover_new_documents(seed: int) -> None:
    """Recalls of a document are alike; the truth is the mean over all documents."""
    rng = np.random.default_rng([11, seed])
    documents, spread = int(rng.integers(15, 60)), rng.uniform(0.3, 3)
    sizes = rng.integers(1, 4 + 8 * (seed % 3), size=documents)
    labels = np.repeat(np.arange(documents), sizes)
    hits = {"blocks": 0, "rows": 0}
    for _ in range(300):
        level = rng.beta(2 * spread, spread, size=documents)[labels]
        scores = rng.binomial(10, level) / 10
        for name, blocks in (("blocks", labels), ("rows", np.arange(len(labels)))):
            found = share(scores, blocks, 99)
            hits[name] += found.low <= 2 / 3 <= found.high
    least = 300 * 0.95 - 3 * np.sqrt(300 * 0.95 * 0.05)
    assert hits["blocks"] >= least
    assert hits["rows"] < hits["blocks"]


def test_the_recall_is_that_of_queries_from_new_documents() -> None:
    """A few draws of `tests/trust/migrate_documents.py`."""
    draws = [migrate_documents.draw(seed) for seed in range(8)]
    for side in ("corpus", "queries"):
        covers, value, true = np.array([each[side] for each, _ in draws]).T
        assert sum(covers) >= 5  # of 8; fewer have a probability below 1 in 2,000
        assert abs(np.mean(value) - np.mean(true)) < 0.02
    best = [max(value for _, value, _ in each.values()) for each, _ in draws]
    assert np.mean([without for _, without in draws]) > np.mean(best) + 0.05


def test_the_interval_of_rows_is_that_of_single_blocks() -> None:
    scores = np.random.default_rng(0).random(80)
    one, other = (share(scores, np.arange(80)[::step], 9) for step in (1, -1))
    np.testing.assert_allclose([one.low, one.high], [other.low, other.high], rtol=1e-12)
    assert share(np.ones(80), np.arange(80) // 8, 9).low < 0.9


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        ([f"doc{i // 3}:{i}" for i in range(60)], "documents"),
        ([f"a:b{i // 3}:{i % 3}" for i in range(60)], "documents"),
        ([f"doc{i // 10}:{i}" for i in range(60)], "rows"),  # six documents
        ([f"doc{i}:{i}" for i in range(60)], "rows"),  # one row each
        ([f"doc{i // 3}:{i}x" for i in range(60)], "rows"),
        ([f"doc{i // 3}:{i}" for i in range(59)] + ["last"], "rows"),
        ([f":{i}" for i in range(60)], "rows"),
        (list(range(60)), "rows"),
        (None, "rows"),
    ],
)
def test_ids_of_documents_are_recognized(ids: Any, kind: str) -> None:
    rows = np.random.default_rng(0).normal(size=(60, 3))
    assert kind_of(sim.Representation("x", rows, ids=ids)) == kind
    blocks = np.arange(60) // 2
    assert kind_of(sim.Representation("x", rows, ids=ids, blocks=blocks)) == "blocks"


def test_too_few_documents_are_refused() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 4))
    for size in (50, 299):
        rep = sim.Representation("x", rows, blocks=np.arange(300) // size)
        with pytest.raises(Undefined, match="8 blocks"):
            sim.migrate(rep, rows)
    assert _migrate.LEAST_PAIRS == 32
