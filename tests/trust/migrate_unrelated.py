"""How often `migrate` passes a gate of chance + 0.1 between unrelated spaces.

    python tests/trust/migrate_unrelated.py FILE [--draws 50]

Eight cells of n rows, of which some are fitted, and d columns, fewer or more than are
fitted; each draw without blocks, and with documents of five rows that are alike in both
spaces. Old and new rows are independent. Odd draws have a decaying spectrum and a mean.
Cells and seeds are fixed. FILE has one JSON line per draw; the same command resumes. At
most 12 of all draws may pass, and at most 4 of a cell, with and without blocks. The
exit status says so.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim

CELLS = (  # n, fitted rows, d
    (100, 50, 20),
    (100, 50, 150),
    (300, 150, 32),
    (300, 150, 320),
    (1000, 500, 64),
    (1000, 100, 128),
    (3000, 1500, 64),
    (3000, 100, 128),
)
ROWS_OF_A_DOCUMENT = 5
DRAWS, MOST, MOST_IN_A_CELL = 50, 12, 4


def unrelated(n: int, d: int, draw: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of one space; rows of a document are near each other."""
    documents = rng.normal(size=(-(-n // ROWS_OF_A_DOCUMENT), d))
    rows = 2 * np.repeat(documents, ROWS_OF_A_DOCUMENT, axis=0)[:n]
    rows += rng.normal(size=(n, d))
    return rows / np.arange(1, d + 1) ** 0.5 + 0.5 if draw % 2 else rows


def gate(cell: int, draw: int, *, blocks: bool) -> dict[str, Any]:
    """One draw: the recall of both directions, and whether the gate passes."""
    n, pairs, d = CELLS[cell]
    rng = np.random.default_rng([51, cell, draw, blocks])
    labels = np.arange(n) // ROWS_OF_A_DOCUMENT
    if blocks:
        old, new = (unrelated(n, d, draw, rng) for _ in range(2))
        given = sim.Representation("old", old, blocks=labels)
    else:  # one row of each document
        many = n * ROWS_OF_A_DOCUMENT
        old, new = (
            unrelated(many, d, draw, rng)[::ROWS_OF_A_DOCUMENT] for _ in range(2)
        )
        given = sim.Representation("old", old)
    found = sim.migrate(given, new, pairs=pairs, rng=draw)
    lows = {side: each.recall.low for side, each in found.directions.items()}
    return {
        "cell": cell,
        "blocks": blocks,
        "draw": draw,
        "chance": found.chance,
        "recall": found.recall.value,
        "passes": found.recall.low >= found.chance + 0.1,
        "either": max(lows.values()) >= found.chance + 0.1,
    }


def counts(lines: list[dict[str, Any]]) -> dict[tuple[int, bool], tuple[int, ...]]:
    """By cell and blocks: draws, passes, and draws in which either direction passes."""
    found = {}
    for cell in range(len(CELLS)):
        for blocks in (False, True):
            here = [x for x in lines if (x["cell"], x["blocks"]) == (cell, blocks)]
            sums = [sum(line[name] for line in here) for name in ("passes", "either")]
            found[cell, blocks] = (len(here), *sums)
    return found


def holds(found: dict[tuple[int, bool], tuple[int, ...]]) -> bool:
    """Whether few enough draws pass, with blocks and without."""
    return all(
        sum(passes) <= MOST and max(passes) <= MOST_IN_A_CELL
        for passes in (
            [sums[1] for (_, each), sums in found.items() if each == blocks]
            for blocks in (False, True)
        )
    )


def table(lines: list[dict[str, Any]]) -> str:
    names = (
        "rows, fitted, columns, blocks, chance, recall, pass, either direction passes"
    )
    rows = [names.split(", "), ["---"] * 8]
    for (cell, blocks), (draws, passes, either) in counts(lines).items():
        here = [x for x in lines if (x["cell"], x["blocks"]) == (cell, blocks)]
        chance, recall = (
            f"{np.mean([each[name] for each in here] or [np.nan]):.3f}"
            for name in ("chance", "recall")
        )
        sizes = [f"{size:,}" for size in CELLS[cell]]
        word = "documents" if blocks else "none"
        rows.append([*sizes, word, chance, recall, f"{passes} of {draws}", str(either)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--draws", type=int, default=DRAWS)
    options = parser.parse_args()
    text = options.file.read_text() if options.file.exists() else ""
    lines = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
    done = {(line["cell"], line["blocks"], line["draw"]) for line in lines}
    with options.file.open("a") as file:
        for draw in range(options.draws):
            for cell in range(len(CELLS)):
                for blocks in (False, True):
                    if (cell, blocks, draw) not in done:
                        lines.append(gate(cell, draw, blocks=blocks))
                        file.write(json.dumps(lines[-1]) + "\n")
                        file.flush()
                        os.fsync(file.fileno())
    sys.stdout.write(table(lines))
    return int(not holds(counts(lines)))


if __name__ == "__main__":
    sys.exit(main())
