"""Distances, accuracies and correlations of all models: rows, resuming, facts."""

import json
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

import similitude as sim
from shared.close_dist import FOLDER, needs_checkpoints, reference
from similitude.errors import InvalidInput
from similitude.identifiability import llv_distance
from similitude.inputs import SoftmaxModel
from similitude_lab.closeness import load_model
from similitude_lab.closeness.data import radial_classification
from similitude_lab.closeness.results import (
    load_results,
    measure_accuracies,
    measure_distances,
    measure_mcca,
)

from .saved_models import save_models
from .small_runs import DATE, experiment

WIDTHS = (16, 32, 64, 128)
AUTHORS = experiment(
    (0, 1, 2, 3, 4), WIDTHS, 15_000, points=20_000, batch=128, norms=(0,)
)
FEW = {"date": DATE, "draws": 5}


@pytest.fixture
def checkpoints(tmp_path: Path) -> Path:
    save_models(experiment((0, 1, 2)), tmp_path / "checkpoints")
    return tmp_path / "checkpoints"


def by_width(table, name: str) -> dict[int, list[float]]:
    return {w: [getattr(r, name) for r in table.rows if r.width == w] for w in WIDTHS}


@needs_checkpoints
def test_accuracies_of_the_authors_models_are_exact() -> None:
    table = measure_accuracies(AUTHORS, FOLDER, date="2025-04-22")
    for row in table.rows:
        assert row.accuracy == reference()[f"4/{row.width}/acc"][str(row.seed)]
        assert row.inputs == 2000
    assert len(table) == 20


@needs_checkpoints
def test_width_effect_and_bounds_on_the_authors_models() -> None:
    table = measure_distances(AUTHORS, FOLDER, date="2025-04-22", compat=True)
    oracle = json.loads((FOLDER / "distances_k4_in_order.json").read_text())
    for width, values in by_width(table, "d_llv").items():
        pairs = oracle[f"W={width} max max 200"].values()
        np.testing.assert_allclose(values, [one["d"] for one in pairs], atol=2e-5)
    for width, values in by_width(table, "d_fg").items():
        pairs = oracle[f"W={width} max max 200"].values()
        worst = [1 - min(*one["mSVD_f"], *one["mSVD_g"]) for one in pairs]
        np.testing.assert_allclose(values, worst, atol=2e-5)
    d, fg = table.column("d_llv"), table.column("d_fg")
    assert len(table) == 40
    assert (fg <= 4 * d).all()
    assert (fg <= 2 * d**2).all()
    assert (table.column("d_f") <= 2 * table.column("t1") ** 2).all()
    assert (table.column("d_g") <= 2 * table.column("t2") ** 2).all()


def test_a_row_has_all_that_is_needed_to_compute_its_number_again(checkpoints) -> None:
    table = measure_distances(experiment((0, 1, 2)), checkpoints, **FEW, seed=3)
    row = table.rows[1]
    assert (row.seed_a, row.seed_b) == (0, 2)
    data = radial_classification(
        classes=row.classes,
        split=row.split,
        n=row.points,
        seed=row.dataset_seed,
        equal_classes=row.equal_classes,
    )
    models = [
        load_model(checkpoints / name, nonlinearity=row.nonlinearity).softmax_model(
            data.points
        )
        for name in (row.checkpoint_a, row.checkpoint_b)
    ]
    again = llv_distance(
        *models,
        weight=row.weight,
        aggregate=row.aggregate,
        reduce=row.reduce,
        draws=row.draws,
        rng=row.draw_seed,
    )
    assert (again.value, again.inputs) == (row.d_llv, row.input_set)
    assert (again.pivot, again.left_out) == (row.pivot, row.left_out)
    assert set(row.versions) == {"similitude", "torch", "numpy"}


def test_a_folder_keeps_rows_and_computes_damaged_ones_again(checkpoints) -> None:
    results = checkpoints.parent / "results"
    first = measure_distances(experiment((0, 1, 2)), checkpoints, results, **FEW)
    (part,) = results.rglob("*.jsonl")
    lines = part.read_bytes().splitlines(keepends=True)
    damaged = lines[1].replace(b'"seed_a": 0', b'"seed_a": 1')
    part.write_bytes(lines[0] + damaged + lines[2][:-20])  # as a kill leaves it
    said: list[str] = []
    again = measure_distances(
        experiment((0, 1, 2)), checkpoints, results, **FEW, say=said.append
    )
    assert again.rows == first.rows
    assert "line 2" in said[0]
    assert len(list(results.rglob("*.jsonl"))) == 2  # two rows were computed again
    measure_distances(experiment((0, 1, 2)), checkpoints, results, **FEW)
    assert len(list(results.rglob("*.jsonl"))) == 2
    assert load_results(results, "distances").rows == first.rows


def test_another_checkpoint_under_the_same_name_is_measured_anew(checkpoints) -> None:
    results = checkpoints.parent / "results"
    first = measure_mcca(experiment((0, 1, 2)), checkpoints, results, date=DATE)
    setting = next(experiment((0, 1, 2)).settings())
    path = checkpoints / f"{setting.name(2, DATE)}.safetensors"
    other = checkpoints / f"{setting.name(1, DATE)}.safetensors"
    path.write_bytes(other.read_bytes())
    second = measure_mcca(experiment((0, 1, 2)), checkpoints, results, date=DATE)
    assert second.rows[0] == first.rows[0]
    np.testing.assert_allclose(second.rows[2].m_cca_f, 1.0)
    assert load_results(results, "mcca").rows == second.rows


def test_rows_do_not_depend_on_the_number_of_workers(checkpoints) -> None:
    with sim.config(workers=2):
        two = measure_distances(experiment((0, 1, 2)), checkpoints, **FEW)
    assert two.rows == measure_distances(experiment((0, 1, 2)), checkpoints, **FEW).rows


def test_tables_become_data_frames_and_csv_files(checkpoints, tmp_path: Path) -> None:
    table = measure_accuracies(
        experiment((0, 1, 2)), checkpoints, date=DATE, split="train"
    )
    frame = table.to_polars()
    assert frame["seed"].to_list() == [0, 1, 2]
    assert frame["inputs"].to_list() == [400] * 3
    table.to_csv(tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("date,dataset,")
    assert json.loads(frame["versions"][0])["numpy"] == np.__version__
    assert "SmallMLP K=4 W=8 M=2" in str(table)


def test_missing_models_raise_or_are_named(checkpoints) -> None:
    four = experiment((0, 1, 2, 3))
    with pytest.raises(InvalidInput, match=r"seed3_.* does not exist \(1 of 4 models"):
        measure_accuracies(four, checkpoints, date=DATE)
    said: list[str] = []
    table = measure_accuracies(
        four, checkpoints, date=DATE, existing=True, say=said.append
    )
    assert len(table) == 3
    assert "no models of the seeds 3; they are left out" in said[0]
    with pytest.raises(InvalidInput, match="none of these models with the date"):
        measure_accuracies(four, checkpoints, date="2020-01-01", existing=True)
    with pytest.raises(InvalidInput, match="not a folder"):
        measure_accuracies(four, checkpoints / "no", date=DATE)


def test_models_without_a_distance_have_a_reason(checkpoints) -> None:
    from safetensors.torch import load_file, save_file

    setting = next(experiment((0, 1, 2)).settings())
    path = checkpoints / f"{setting.name(1, DATE)}.safetensors"
    save_file({key: 0.0 * value for key, value in load_file(path).items()}, path)
    table = measure_distances(experiment((0, 1, 2)), checkpoints, **FEW)
    assert [row.status for row in table.rows] == ["undefined", "ok", "undefined"]
    assert table.rows[0].d_llv is None
    assert table.rows[0].reason
    assert "2 pairs have no distance. Seeds 0 and 1: " in str(table)


def test_the_best_diverse_set_replaces_one_that_is_not_diverse() -> None:
    """As the authors' code chooses: the first set, if all have t2 >= 1."""
    from similitude_lab.closeness.results._pairs import distance_row

    rng = np.random.default_rng(3)
    n, draws = 60, 5
    sets = np.random.RandomState(0).choice(n, 3 * draws, replace=False).reshape(-1, 3)
    models = []
    for _ in range(2):
        f, g = rng.normal(size=(n, 2)), rng.normal(size=(5, 2))
        f[sets[0, 1]] = f[sets[0, 0]]
        models.append(SoftmaxModel(f, g))
    content = {
        "input_sets": "RandomState",
        "draw_seed": 0,
        "draw_number": 0,
        "draws": draws,
        "weight": 1e-5,
        "aggregate": "max",
        "reduce": "max",
    }
    with pytest.raises(sim.Undefined, match=r"degenerate|not diverse"):
        llv_distance(*models, input_sets=sets, rng=0, compat=True)
    fields = mock.Mock(side_effect=lambda **given: SimpleNamespace(**given))
    with mock.patch("similitude_lab.closeness.results._pairs.DistanceRow", fields):
        row = distance_row((content, None, *models))
    assert row.reason.startswith("the best set of inputs is not diverse")
    assert row.input_set == tuple(sets[1].tolist())
    expected = llv_distance(*models, input_sets=sets[1:], rng=0, compat=True)
    assert row.d_llv == expected.value
