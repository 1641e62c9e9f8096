"""Whether intervals of `migrate` cover the recall of queries from new documents.

    python tests/trust/migrate_documents.py [--draws 100]

60 documents of 12 rows; the new model is a nonlinear function of the old one. The truth
is the recall of the same map, in the same corpus, of 3,600 queries from 300 documents
that are in neither. The script also prints the recall if blocks are not given.
"""

import argparse
import sys

import numpy as np

import similitude as sim
from similitude.latent.migration._corpus import read_corpus
from similitude.latent.migration._rows import Rows, parts_of

DOCUMENTS, NEW_DOCUMENTS, ROWS, D_OLD, D_NEW = 60, 300, 12, 24, 20


def draw(seed: int) -> tuple[dict[str, tuple[bool, float, float]], float]:
    """By direction: covered or not, recall, truth; and the recall without blocks."""
    rng = np.random.default_rng([51, seed])
    weights = rng.normal(size=(D_OLD, D_NEW)) / 4

    def rows(documents: int) -> tuple[np.ndarray, np.ndarray]:
        old = np.repeat(rng.normal(size=(documents, D_OLD)), ROWS, axis=0)
        old += 0.7 * rng.normal(size=old.shape)
        return old, np.tanh(old @ weights) + 0.1 * rng.normal(size=(len(old), D_NEW))

    old, new = rows(DOCUMENTS)
    given = sim.Representation("old", old, blocks=np.arange(len(old)) // ROWS)
    found = sim.migrate(given, new, maps=["ridge"], rng=seed)
    corpus = read_corpus({"old": given, "new": new}, (None, None), found.k, seed).rows
    queries = rows(NEW_DOCUMENTS)[1]
    asked = Rows(None, queries, np.full(len(queries), DOCUMENTS))  # of other blocks
    truth = corpus.search(parts_of(corpus.new), queries, asked.blocks, found.k)
    covered = {}
    for side, each in found.directions.items():
        true = float(corpus.recalls(each.map, side, asked, truth).mean())
        covers = each.recall.low <= true <= each.recall.high
        covered[side] = (covers, each.recall.value, true)
    without = sim.migrate(old, new, maps=["ridge"], rng=seed, direction=found.best)
    return covered, without.recall.value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100)
    draws = [draw(seed) for seed in range(parser.parse_args().draws)]
    for side in ("corpus", "queries"):
        covers, value, true = np.mean([each[side] for each, _ in draws], axis=0)
        line = f"{side}: covers {covers:.1%}, recall {value:.3f}, truth {true:.3f}\n"
        sys.stdout.write(line)
    sys.stdout.write(f"without blocks: {np.mean([each for _, each in draws]):.3f}\n")


if __name__ == "__main__":
    main()
