"""A truncated part is not shown as a finished table."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Results
from similitude.report import write_page

CUTS = 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(40, 3))
    reps = {f"r{i}": z @ rng.normal(size=(3, 4)) for i in range(4)}
    out = tmp_path_factory.mktemp("whole")
    twins = {"untrained": {name: rng.normal(size=(40, 3)) for name in reps}}
    measures = ["cka", "rsa", "procrustes"]
    sim.compare(reps, measures, baselines=twins, permutations=9, out=out)
    return out


@pytest.mark.parametrize("cut", range(CUTS))
def test_every_truncation_that_loses_a_row_or_its_statistics_is_named(
    cut: int, whole: Path, tmp_path: Path
) -> None:
    (part,) = (whole / "parts").iterdir()
    content = part.read_bytes()
    (tmp_path / "parts").mkdir()
    (tmp_path / "run.json").write_bytes((whole / "run.json").read_bytes())
    kept = content[: len(content) * cut // (CUTS - 1)]
    (tmp_path / "parts" / part.name).write_bytes(kept)
    found, expected = Results.load(tmp_path), Results.load(whole)
    equal = found == expected
    assert equal == (cut == CUTS - 1)
    unfinished = found.unfinished
    assert bool(unfinished) != equal
    if unfinished:
        whole_lines = set(content.splitlines())  # the last may lack its line end
        lines = [line for line in kept.splitlines() if line in whole_lines]
        complete = sum(b'"complete": true' in line for line in lines)
        scores = len({line.split(b'"')[3] for line in lines})
        total = len(expected.rows) + len(expected.baseline_rows)
        assert f"{scores} of {total} rows have a score, and {complete} " in unfinished
    assert ("unfinished: " in found.table()) == bool(unfinished)
    assert (unfinished in found.to_dict()["notes"]) == bool(unfinished)
    write_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert ("rows have a score, and" in page) == bool(unfinished)
