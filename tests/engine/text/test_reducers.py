"""The reducer of the activations is named wherever scores are."""

import csv
from pathlib import Path

import numpy as np
import pytest

import similitude as sim


@pytest.fixture
def images(tmp_path: Path) -> dict[str, sim.Results]:
    """Results of networks whose layers were stored with one and with two reducers."""
    rng = np.random.default_rng(0)
    store = sim.store.open_store(tmp_path / "reps", create=True)
    for model, reducer in (("a", "flatten"), ("b", "flatten"), ("c", "mean")):
        for layer, own in (("conv1", reducer), ("fc1", "none")):
            name, values = f"{model}/{layer}", rng.normal(size=(30, 4))
            rep = sim.Representation(name, values, model=model, layer=layer)
            store.put(rep, reducer=own)
    reps = list(store.select())
    return {
        "same": sim.compare([r for r in reps if r.model != "c"], "cka"),
        "mixed": sim.compare(reps, "cka"),
    }


def test_the_first_line_names_the_reducers(images: dict[str, sim.Results]) -> None:
    first = {name: found.table().splitlines()[0] for name, found in images.items()}
    assert first["same"].endswith("; reducer: flatten")
    assert first["mixed"].endswith("; reducer: flatten (2), mean (1)")


def test_a_note_says_that_two_sides_have_different_reducers(
    images: dict[str, sim.Results],
) -> None:
    """A layer with 2-d outputs has no reducer, so conv1 against fc1 has no note."""
    assert "different reducers" not in images["same"].table()
    text = " ".join(images["mixed"].table().split())
    assert "2 pairs have different reducers, such as a/conv1 (flatten) and c/" in text


def test_csv_has_the_reducers_of_both_sides(
    images: dict[str, sim.Results], tmp_path: Path
) -> None:
    images["mixed"].to_csv(tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as file:
        lines = list(csv.DictReader(file))
    of = {"a/conv1": "flatten", "b/conv1": "flatten", "c/conv1": "mean"}
    for line in lines:
        assert line["a_reducer"] == of.get(line["a"], "")
        assert line["b_reducer"] == of.get(line["b"], "")


def test_the_report_names_the_reducers(
    images: dict[str, sim.Results], tmp_path: Path
) -> None:
    pytest.importorskip("jinja2")
    images["mixed"].report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Activations were reduced by flatten, mean." in page
    assert "2 pairs have different reducers" in page
