"""Sampled queries of mutual_knn among many rows, against the flat index of faiss.

    python benchmarks/neighbors.py [--rows N] [--columns D] [--queries Q] [--folder DIR]

Two stores of float32 are written to a temporary folder, by default 1,000,000 x 128,
512 MB each. `compare` draws 10,000 query rows and finds their neighbors among all rows,
which are read in parts. Then faiss, with one thread and all rows in memory, searches
the same queries by inner products of unit rows. The largest anonymous memory (RssAnon)
of the process is sampled during the comparison. Processor seconds exclude the time of
other processes.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, report
from out_of_core import anonymous_memory, both_times, write_stores

K = 10
MOST_GIB, MOST_SECONDS = 2.0, 180.0


def search_by_faiss(folder: Path, queries: np.ndarray) -> float:
    """The score from the flat index, which holds all rows."""
    import faiss

    faiss.omp_set_num_threads(1)
    lists = []
    for rep in sim.load(folder / "reps"):
        rows = np.array(rep.load())
        faiss.normalize_L2(rows)
        index = faiss.IndexFlatIP(rows.shape[1])
        index.add(rows)
        found = index.search(rows[queries], K + 1)[1]
        lists.append([set(row.tolist()) for row in found])
        del index, rows
    own = queries.tolist()
    pairs = zip(*lists, own, strict=True)
    return float(np.mean([len((a & b) - {i}) / K for a, b, i in pairs]))


def measure(rows: int, columns: int, queries: int, folder: Path) -> dict[str, Any]:
    write_stores(folder, rows, columns)
    wanted = sim.find_measure(f"mutual_knn(query_rows={queries})")
    budget = min(2**31, 4 * rows * columns)  # smaller than the rows in float64
    results: list[Any] = []
    with threadpool_limits(1), sim.config(threads=1, memory_budget=budget):
        with anonymous_memory() as most:
            ours = both_times(
                lambda: results.append(sim.compare(folder / "reps", wanted))
            )
        (row,) = results[0].rows
        drawn = wanted.queries(rows, np.random.SeedSequence(0))
        theirs = both_times(
            lambda: results.append(search_by_faiss(folder, drawn)),
        )
    return {
        "rows": rows,
        "columns": columns,
        "queries": queries,
        "score": row.score,
        "interval": (row.low, row.high),
        "faiss_score": results[1],
        "seconds": {"similitude": ours, "faiss": theirs},
        "gib": most[0] / 2**30,
    }


def show(found: dict[str, Any]) -> None:
    print(f"{found['queries']:,} queries among {found['rows']:,} x {found['columns']}")
    low, high = found["interval"]
    print(f"mutual_knn {found['score']:.4f} [{low:.4f}, {high:.4f}]", end="; ")
    print(f"by the lists of faiss {found['faiss_score']:.4f}")
    for name, (wall, cpu) in found["seconds"].items():
        print(f"{name:<10} {wall:6.1f} s, {cpu:6.1f} processor seconds")
    print(f"target below {MOST_SECONDS:g} processor seconds")
    print(f"anonymous memory: {found['gib']:.2f} GiB; target below {MOST_GIB}")


if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where 1 GB is free")
    arguments = parser.parse_args()
    place = Path(tempfile.mkdtemp(dir=arguments.folder))
    sizes = arguments.rows, arguments.columns, arguments.queries
    try:
        result = measure(*sizes, place)
    finally:
        shutil.rmtree(place)
    report(result, show, as_json=arguments.json)
