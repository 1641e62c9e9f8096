"""`similitude migrate`: retention of real encoders, coverage, wrong pairs, big files.

    python benchmarks/migrate.py FOLDER [--only retention coverage ...]

FOLDER has minilm.npy, wordllama.npy and use.npy of migrate_vectors.py; pairs without
both files are left out. Finished cases are in FOLDER/migrate.jsonl, and are not run
again.
"""

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import similitude as sim
from common.harness import command, cost, peak_gib, report
from similitude.latent import align
from similitude.latent.migration import _migrate, apply_map
from similitude.latent.migration._corpus import Corpus, read_corpus
from similitude.latent.migration._fits import FAMILIES
from similitude.latent.migration._retention import share
from similitude.latent.migration._rows import parts_of

UPGRADES = (("wordllama", "minilm"), ("use", "minilm"), ("wordllama", "use"))
SPLITS, QUERIES = 200, 200


def vectors(folder: Path, *names: str) -> list[np.ndarray] | None:
    files = [folder / f"{name}.npy" for name in names]
    return [np.load(f) for f in files] if all(f.exists() for f in files) else None


def retention(folder: Path) -> Iterator[tuple[str, Any]]:
    """Each map at 500, 2,000 and 8,000 paired rows, in both directions."""
    for old, new in UPGRADES:
        for family in FAMILIES:
            for pairs in (500, 8000):
                yield (
                    f"{old} to {new}, {family}, {pairs}",
                    lambda a=old, b=new, f=family, p=pairs: _kept(folder, a, b, f, p),
                )


def _kept(folder: Path, old: str, new: str, family: str, pairs: int) -> Any:
    rows = vectors(folder, old, new)
    if rows is None:
        return None
    seconds, found = cost(lambda: sim.migrate(*rows, pairs=pairs, maps=[family]))
    return {**found.to_dict(), "seconds": seconds}


def coverage(folder: Path) -> Iterator[tuple[str, Any]]:
    for side in ("corpus", "queries"):
        for split in range(0, SPLITS, 20):
            yield (
                f"coverage, {side}, splits from {split}",
                lambda s=side, i=split: _splits(folder, s, range(i, i + 20)),
            )


def _splits(folder: Path, side: str, splits: range) -> Any:
    rows = vectors(folder, "wordllama", "minilm")
    assert rows is not None
    return [covers(rows, side, split) for split in splits]


def covers(rows: Sequence[np.ndarray], side: Any, split: int) -> list[float]:
    """500 fitted rows of 2,000; the truth is the recall of all 1,500 other rows."""
    rng = np.random.default_rng(split)
    part = rng.choice(len(rows[0]), 2000, replace=False)
    given = {"old": rows[0][part], "new": rows[1][part]}
    corpus = read_corpus(given, (500, 1500), 10, split)
    recalls = _recalls(corpus, side)
    some = rng.choice(recalls, QUERIES)  # queries to come, and a sample
    drawn = share(some, np.arange(QUERIES), len(corpus.rows))
    true = float(np.mean(recalls))
    return [true, drawn.low, drawn.high]


def _recalls(corpus: Corpus, side: Any) -> np.ndarray:
    """The recall of each query, without a learning curve."""
    rows, asked = corpus.rows, corpus.asked
    truth = rows.search(parts_of(rows.new), asked.new, asked.blocks, 10)
    with mock.patch.object(_migrate, "_SIZES", (1,)):
        return _migrate._measured(corpus, side, truth, ["ridge"])[1]


def shuffled(folder: Path) -> Iterator[tuple[str, Any]]:
    def run() -> Any:
        rows = vectors(folder, "wordllama", "minilm")
        assert rows is not None
        order = np.random.default_rng(0).permutation(len(rows[1]))
        found = sim.migrate(rows[0], rows[1][order], pairs=500, keep_at_least=0.05)
        return found.to_dict()

    yield "shuffled pairing", run


def sampled(folder: Path) -> Iterator[tuple[str, Any]]:
    """Recall of 1,000 sampled queries against all other rows of 50,000."""

    def run() -> Any:
        rng = np.random.default_rng(0)
        old = rng.normal(size=(50_000, 64)) * np.logspace(0, -1, 64)
        new = np.tanh(old @ rng.normal(size=(64, 48))).astype(np.float32)
        given = {"old": old.astype(np.float32), "new": new}
        found = {}
        for queries in (1000, 48_000):
            corpus = read_corpus(given, (2000, queries), 10, 0)
            kept = corpus.share(_recalls(corpus, "corpus"))
            found[queries] = [kept.value, kept.low, kept.high]
        return found

    yield "sampled queries of 50,000 rows", run


def apply(folder: Path) -> Iterator[tuple[str, Any]]:
    def run(suffix: str) -> Any:
        rng = np.random.default_rng(0)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            some = rng.normal(size=(2000, 384)).astype(np.float32)
            align.fit_affine(some, some[:, ::-1], ridge=1.0).save(f"{place}/map")
            header = {"descr": "<f4", "fortran_order": False, "shape": (10**6, 384)}
            with open(f"{place}/old.npy", "wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                for _ in range(100):
                    file.write(rng.random((10**4, 384), np.float32).tobytes())
            out, start = f"{place}/new{suffix}", time.monotonic()
            seconds, shape = cost(
                lambda: apply_map(f"{place}/map", f"{place}/old.npy", out)
            )
            wall = time.monotonic() - start
            return {"cpu": seconds, "wall": wall, "gib": peak_gib(), "shape": shape}

    for suffix in (".npy", ".safetensors", ".parquet"):
        yield f"10^6 x 384 to {suffix}", lambda s=suffix: run(s)


PARTS = {f.__name__: f for f in (apply, shuffled, sampled, coverage, retention)}


def show(found: dict[str, Any]) -> None:
    covered = {"corpus": [], "queries": []}
    for name, value in found.items():
        if name.startswith("coverage"):
            covered[name.split(", ")[1]] += [low <= t <= high for t, low, high in value]
        elif value is not None and "directions" in value:
            for side, each in value["directions"].items():
                for pairs, kept in each["curve"].items():
                    ends = f"[{kept['low']:.3f}, {kept['high']:.3f}]"
                    print(f"{name}: {side} {pairs:>5} {kept['value']:.3f} {ends}")
            for base in ("old_model", "no_map", "decision"):
                if value[base]:
                    print(f"{name}: {base} {value[base]}")
        else:
            print(f"{name}: {value}")
    for side, hits in covered.items():
        if hits:
            print(f"coverage, {side}: {np.mean(hits):.3f} of {len(hits)} splits")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(PARTS), choices=PARTS)
    options = parser.parse_args()
    log, found = options.folder / "migrate.jsonl", {}
    if log.exists():
        for line in log.read_text().splitlines():
            found |= json.loads(line)
    for part in options.only:
        for name, run in PARTS[part](options.folder):
            if found.get(name) is None:
                found[name] = run()
                with log.open("a") as file:
                    file.write(json.dumps({name: found[name]}) + "\n")
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
