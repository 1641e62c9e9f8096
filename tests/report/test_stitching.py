"""Stitching folders: `StitchingTable.load`, `show`, and the section of the page."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from similitude import InvalidInput, Results
from similitude.latent.stitching import (
    Embeddings,
    StitchingData,
    StitchingTable,
    stitching_table,
)
from similitude.report import page


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two encoders that differ by a rotation."""
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 3
    x = rng.normal(size=(120, 5)) + 4 * np.eye(5)[labels]
    y = x @ np.linalg.qr(rng.normal(size=(5, 5)))[0]
    encoders = {
        name: Embeddings(train=z[:40], test=z[40:80], anchors=z[80:])
        for name, z in (("<b>x</b>", x), ("y", y))
    }
    path = tmp_path_factory.mktemp("stitching") / "cells"
    data = StitchingData(labels[:40], labels[40:80])
    stitching_table(encoders, None, data, ["cosine"], [0, 1], out=path)
    return path


def test_loaded_table_equals_the_computed_table(folder: Path) -> None:
    loaded = StitchingTable.load(folder)
    assert len(loaded.cells) == 2 * 2 * 3 * 2
    assert loaded.transforms == ["absolute", "procrustes", "cosine"]
    assert loaded.anchors == 40
    assert set(loaded.approaches) == set(loaded.transforms)
    assert 100 * 13 / 40 <= loaded.chance() <= 100 * 14 / 40
    assert loaded.differences(over="samples")


@pytest.mark.parametrize("cut", range(12))
def test_truncated_tables_say_that_they_are_unfinished(
    cut: int, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "cells")
    (part,) = (tmp_path / "cells" / "parts").iterdir()
    content = part.read_bytes()
    part.write_bytes(content[: len(content) * cut // 11])
    whole, found = StitchingTable.load(folder), StitchingTable.load(tmp_path / "cells")
    lost = len(whole.cells) - len(found.cells)
    assert (lost == 0) == (cut == 11)
    note = f"unfinished: {len(found.cells)} of {len(whole.cells)} cells are here."
    for shown in (str(found), page(Results(()), stitching=found)):
        assert (note in shown) == bool(lost)
    assert "unfinished" not in str(whole)


def test_folder_without_targets_names_the_remedy(folder: Path, tmp_path: Path) -> None:
    from similitude.engine import Folder, RunRecord
    from similitude.latent.stitching import cells_in

    run = cells_in(folder).run()
    other = Folder(tmp_path, cells_in(folder).schema, "cells")
    other.start(RunRecord("0", run.jobs))
    with pytest.raises(InvalidInput, match="Run the same stitching"):
        StitchingTable.load(tmp_path)


def test_page_shows_means_chance_and_costs(folder: Path) -> None:
    table = StitchingTable.load(folder)
    text = page(Results(()), stitching=table)
    assert "Zero-shot stitching, accuracy in %" in text
    assert f"chance is {table.chance():.1f}" in text
    assert "Cost of stitching" in text
    assert "&lt;b&gt;x&lt;/b&gt;" in text
    assert "<b>" not in text
    (line,) = re.findall(r"<tr><th scope=\"row\">procrustes</th>.*?</tr>", text)[:1]
    overall = table.overall()["procrustes"]
    assert f'<td class="n">{overall["stitched"]:.1f}</td>' in line


def test_cells_with_the_same_reason_are_one_line_of_the_page() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    x = rng.normal(size=(60, 4)) + 4 * np.eye(4)[labels]
    encoders = {
        name: Embeddings(train=z[:20], test=z[20:40], anchors=z[40:])
        for name, z in (("a", x), ("b", x[:, ::-1]), ("wide", np.hstack([x, x])))
    }
    data = StitchingData(labels[:20], labels[20:40])
    table = stitching_table(encoders, None, data, ["cosine"], [0])
    text = page(Results(()), stitching=table)
    assert text.count("absolute rows cannot be used. 2 cells, such as") == 2
