"""What a stopped run left is kept, and the rest comes back to the last bit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import Results
from similitude.engine import _plan, _tiles

MEASURES = ["cka", "procrustes", "distance_correlation", "pwcca"]


def reps(count: int = 9, n: int = 64, d: int = 48) -> dict[str, np.ndarray]:
    """Wide enough that all pairs of CKA are one product of Grams."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 4))
    return {
        f"r{i}": z @ rng.normal(size=(4, d)) + rng.normal(size=(n, d))
        for i in range(count)
    }


def keep(out: Path, share: float) -> set[str]:
    """As if the run had been killed there; the jobs whose statistics are done."""
    (part,) = (out / "parts").iterdir()
    whole = part.read_bytes()
    part.write_bytes(whole[: int(len(whole) * share)])
    return {row.job for row in Results.load(out).rows if row.complete}


@pytest.mark.parametrize("share", [0.1, 0.3, 0.55, 0.7, 0.9])
@pytest.mark.parametrize("many", [10**9, 3], ids=["counted", "moments"])
def test_the_rest_is_the_same_to_the_last_bit(
    share: float, many: int, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(_plan, "COUNTED_ENTRIES", many)
    auto: Any = "auto" if many == 3 else 5
    measures = MEASURES if many == 10**9 else ["cka"]
    expected = sim.compare(reps(), measures, permutations=auto, out=tmp_path)
    seconds = {row.job: row.seconds for row in expected.rows}
    done = keep(tmp_path, share)
    again = sim.compare(reps(), measures, permutations=auto, out=tmp_path)
    assert again == expected == Results.load(tmp_path)
    assert all(r.seconds == seconds[r.job] for r in again.rows if r.job in done)


def test_pieces_that_are_done_are_not_made_again(tmp_path: Path, monkeypatch) -> None:
    """A product is bounded in its work, so that a kill loses little of it."""
    products = []
    whole = sim.CKA.compare_all

    def counted(self: Any, ps: Any) -> Any:
        products.append(len(ps))
        return whole(self, ps)

    monkeypatch.setattr(sim.CKA, "compare_all", counted)
    monkeypatch.setattr(
        _tiles, "MAX_PRODUCT", 64 * 64 * (100 * 6 / 2 + 6 * 6 / 4) * 1.01
    )
    expected = sim.compare(reps(d=100), "cka", permutations=0, out=tmp_path)
    assert products == [3, 6, 6, 3, 6, 3]  # three runs of three, and every two of them
    (part,) = (tmp_path / "parts").iterdir()
    lines = part.read_bytes().splitlines(keepends=True)
    scores = [line for line in lines if not json.loads(line).get("complete")]
    assert len(scores) == 36
    # Two pieces and a line of the third are there.
    part.write_bytes(b"".join(scores[: 3 + 9 + 1]))
    products.clear()
    again = sim.compare(reps(d=100), "cka", permutations=0, out=tmp_path)
    assert products == [6, 3, 6, 3]
    assert again == expected


def test_tiles_hold_what_fits_and_what_may_be_lost() -> None:
    cka, pwcca, knn = sim.CKA(), sim.MEASURES["pwcca"], sim.MEASURES["mutual_knn"]
    mib = 2**20
    with sim.config(memory_budget=3 * 2**30):
        # 500 of 1000 x 256 are one product, of some ten seconds.
        assert _tiles.tile_size(cka, 500, (1000, 256), 2 * mib) == 500
        assert _tiles.tile_size(cka, 60, (10_000, 256), 20 * mib) < 60
        assert _tiles.tile_size(pwcca, 60, (1000, 256), 2 * mib) < 60
        assert _tiles.tile_size(knn, 1000, (10**9, 1000), 2 * mib) == 1000
        assert _tiles.tile_size(knn, 2000, (1000, 10), 2 * mib) == 512
    with sim.config(memory_budget=3 * mib):
        assert _tiles.tile_size(cka, 500, (1000, 256), 2 * mib) == 2


def test_a_product_for_a_few_pairs_is_not_made() -> None:
    cka, shape = sim.CKA(), (1000, 256)
    every = 20 * 19 // 2
    assert _tiles.in_one_product(cka, every, 20, shape, 0)
    assert not _tiles.in_one_product(cka, 19, 20, shape, 0)  # one with all others
    # Half of them, between two runs: products of Grams pay for wide rows only.
    assert _tiles.in_one_product(cka, 10_000, 200, (1000, 256), 0)
    assert not _tiles.in_one_product(cka, 100, 20, (10_000, 16), 0)
    assert _tiles.in_one_product(cka, 100, 20, (10_000, 16), 8 * 10_000**2)
    rsa = sim.MEASURES["rsa"]
    assert not _tiles.in_one_product(rsa, every, 20, shape, 0)
