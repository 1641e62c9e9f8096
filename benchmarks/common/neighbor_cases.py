"""Cases of `interval_coverage.py`: shared neighbors, of all rows or of sampled ones."""

from collections.abc import Iterator
from functools import cache

import numpy as np

import similitude as sim

from .interval_cases import Case, pair, row_sampler
from .populations import Columns, LogNormal, Population, Rows, contaminated

ROWS = 1500  # of the tables whose queries are sampled


def populations() -> Iterator[tuple[str, Population]]:
    yield "normal, c 0.7, d 5", Columns(5, 5, 0.7)
    yield "normal, c 0, d 20", Columns(20, 20, 0.0)
    yield "normal, c 0.95, d 20", Columns(20, 20, 0.95)
    yield "10 classes, d 12", Columns(12, 12, 0.7, classes=10)
    yield "t5, d 12", Columns(12, 12, 0.7, law="t5")
    yield "log-normal, d 10", LogNormal(0.8, 10)
    yield "contaminated, d 8", contaminated()


def neighbor_cases() -> Iterator[Case]:
    """The interval is for the expected score of n rows: the mean over all draws."""
    for name, population in populations():
        for n in (40, 150):
            for k in (1, 10):
                measure, draw = sim.measures.MutualKNN(k=k), row_sampler(population, n)
                yield Case(f"mutual_knn k {k}, {name}, n {n}", measure, None, draw)


def query_cases() -> Iterator[Case]:
    """Tables of 1,500 rows; each run draws other queries. All rows give the truth."""
    for name, population in populations():
        if name in ("normal, c 0.7, d 5", "10 classes, d 12", "contaminated, d 8"):
            rows = cache(lambda p=population: p.draw(np.random.default_rng(3), ROWS))
            for measure in ("mutual_knn", "knn_jaccard", "lcs_knn"):
                yield from _sampled(measure, name, rows, (50, 300))
            for measure in ("rank_similarity", "retrieval_mrr"):
                yield from _sampled(measure, name, rows, (100,))


def _sampled(
    measure: str, name: str, rows: "cache[Rows]", queries: tuple[int, ...]
) -> Iterator[Case]:
    for count in queries:
        chosen = sim.find_measure(f"{measure}(query_rows={count})")
        yield Case(
            f"query_rows {count}, {measure}, {name}",
            chosen,
            lambda: float(sim.MEASURES[measure](*rows())),
            lambda _: pair(*rows()),
        )
