"""A resumed run keeps finished rows and gives a bit-identical table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import Results
from similitude.engine import _tiles
from similitude.engine._memory import Memory

MEASURES = ["cka", "procrustes", "distance_correlation", "pwcca"]


def reps(count: int = 9, n: int = 64, d: int = 48) -> dict[str, np.ndarray]:
    """Wide enough that all pairs of CKA are one product of Gram matrices."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 4))
    return {
        f"r{i}": z @ rng.normal(size=(4, d)) + rng.normal(size=(n, d))
        for i in range(count)
    }


def truncate(out: Path, share: float) -> set[str]:
    """Keep a share of the rows, as after a kill; return the jobs with statistics."""
    (part,) = (out / "parts").iterdir()
    whole = part.read_bytes()
    part.write_bytes(whole[: int(len(whole) * share)])
    return {row.job for row in Results.load(out).rows if row.complete}


@pytest.mark.parametrize("share", [0.1, 0.3, 0.55, 0.7, 0.9])
@pytest.mark.parametrize("null", ["counted", "moments"])
def test_resumed_table_is_bit_identical(
    share: float, null: str, tmp_path: Path
) -> None:
    auto: Any = "auto" if null == "moments" else 5
    measures = MEASURES if null == "counted" else ["cka"]
    expected = sim.compare(reps(), measures, permutations=auto, out=tmp_path)
    seconds = {row.job: row.seconds for row in expected.rows}
    done = truncate(tmp_path, share)
    again = sim.compare(reps(), measures, permutations=auto, out=tmp_path)
    assert again == expected == Results.load(tmp_path)
    assert all(r.seconds == seconds[r.job] for r in again.rows if r.job in done)


def test_resume_does_not_repeat_finished_products(tmp_path: Path, monkeypatch) -> None:
    """The size of a product is limited, so a kill loses little work."""
    products = []
    compare_all = sim.measures.CKA.compare_all

    def counted(self: Any, ps: Any) -> Any:
        products.append(len(ps))
        return compare_all(self, ps)

    monkeypatch.setattr(sim.measures.CKA, "compare_all", counted)
    monkeypatch.setattr(
        _tiles, "MAX_PRODUCT", 64 * 64 * (100 * 6 / 2 + 6 * 6 / 4) * 1.01
    )
    expected = sim.compare(reps(d=100), "cka", permutations=0, out=tmp_path)
    assert products == [3, 6, 6, 3, 6, 3]  # three tiles of three, and pairs of tiles
    (part,) = (tmp_path / "parts").iterdir()
    lines = part.read_bytes().splitlines(keepends=True)
    scores = [line for line in lines if not json.loads(line).get("complete")]
    assert len(scores) == 36
    # Keep two products, and one line of the third.
    part.write_bytes(b"".join(scores[: 3 + 9 + 1]))
    products.clear()
    again = sim.compare(reps(d=100), "cka", permutations=0, out=tmp_path)
    assert products == [6, 3, 6, 3]
    assert again == expected


def test_tile_size_is_limited_by_memory_and_by_work() -> None:
    cka, pwcca, knn = (
        sim.measures.CKA(),
        sim.MEASURES["pwcca"],
        sim.MEASURES["mutual_knn"],
    )
    mib = 2**20
    with sim.config(memory_budget=3 * 2**30):
        # 500 representations of 1000 x 256 are one product of about ten seconds.
        assert _tiles.tile_size(cka, 500, Memory(1000, 256), 2 * mib) == 500
        assert _tiles.tile_size(cka, 60, Memory(10_000, 256), 20 * mib) < 60
        assert _tiles.tile_size(pwcca, 60, Memory(1000, 256), 2 * mib) < 60
        assert _tiles.tile_size(knn, 300, Memory(10_000, 100), 2 * mib) == 300
        size = _tiles.tile_size(knn, 2000, Memory(1000, 10), 2 * mib)
        assert 200 < size < 3 * 2**30 // (4 * 2 * mib)  # two tiles take half of it
    with sim.config(memory_budget=3 * mib):
        assert _tiles.tile_size(cka, 500, Memory(1000, 256), 2 * mib) == 1


def test_a_few_pairs_are_not_computed_as_one_product() -> None:
    cka, shape = sim.measures.CKA(), (1000, 256)
    all_pairs = 20 * 19 // 2
    assert _tiles.in_one_product(cka, all_pairs, 20, shape, 0)
    assert not _tiles.in_one_product(cka, 19, 20, shape, 0)  # pairs with a reference
    # The pairs between two tiles: Gram matrices only pay off for wide rows.
    assert _tiles.in_one_product(cka, 10_000, 200, (1000, 256), 0)
    assert not _tiles.in_one_product(cka, 100, 20, (10_000, 16), 0)
    assert _tiles.in_one_product(cka, 100, 20, (10_000, 16), 8 * 10_000**2)
    rsa = sim.MEASURES["rsa"]
    assert not _tiles.in_one_product(rsa, all_pairs, 20, shape, 0)
