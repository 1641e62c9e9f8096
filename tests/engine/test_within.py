"""`compare(within=labels)`: scores within and between classes."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation, Results
from similitude.engine import Row
from similitude.inputs import class_means, without_class_means

LABELS = np.arange(600) % 10


def shared_classes(
    seed: int = 0, within: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two representations that share class means, and a part `within` of the rest."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(LABELS)
    means, common = rng.normal(size=(10, 24)), rng.normal(size=(600, 30))
    sides = []
    for _ in range(2):
        rotation = np.linalg.qr(rng.normal(size=(30, 30)))[0]
        own = rng.normal(size=(600, 30))
        rest = np.sqrt(within) * common + np.sqrt(1 - within) * own
        sides.append((1.05 * means[labels] @ np.eye(24, 30) + rest / 2) @ rotation)
    return sides[0], sides[1], labels


def one(found: Results, label: str = "cka") -> Row:
    return next(row for row in found.rows if row.label == label)


def test_representations_that_share_only_class_means_score_zero_within_them() -> None:
    x, y, labels = shared_classes()
    inputs = np.eye(10)[labels]
    found = sim.compare({"a": x, "b": y}, "cka", inputs=inputs, within=labels)
    row = one(found)
    assert 0.84 < row.score < 0.89
    assert 0.5 < one(found, "deconfounded_cka").score < 0.7
    assert abs(row.baselines["within"]) < 0.01
    assert row.baselines["between"] > 0.95
    assert row.details["within_p"] > 0.05
    assert row.details["class_share"] > 0.99
    assert row.advice == ("classes",)
    assert one(found, "deconfounded_cka").baselines == {}
    text = found.table(width=100)
    assert "carried by the classes" in text
    assert "cka 100%" in text
    assert "class means carry more than half of the score" in text


def test_shared_structure_within_classes_is_found() -> None:
    x, y, labels = shared_classes(within=0.9)
    row = one(sim.compare({"a": x, "b": y}, "cka", within=labels, permutations=19))
    assert row.baselines["within"] > 0.5
    assert row.details["within_p"] == 1 / 20
    assert row.details["class_share"] < 0.5
    assert row.advice == ()


@pytest.mark.parametrize("name", ["procrustes", "rsa", "mutual_knn", "mean_cca"])
def test_columns_equal_the_scores_of_transformed_rows(name: str) -> None:
    x, y, labels = shared_classes(within=0.5)
    row = one(sim.compare({"a": x, "b": y}, name, within=labels, permutations=0), name)
    score = sim.MEASURES[name]
    inner = [without_class_means(side, labels).values for side in (x, y)]
    np.testing.assert_allclose(row.baselines["within"], score(*inner), rtol=1e-12)
    outer = [class_means(side, labels) for side in (x, y)]
    if "between" in row.baselines:
        np.testing.assert_allclose(row.baselines["between"], score(*outer), rtol=1e-12)
    np.testing.assert_allclose(row.score, score(x, y), rtol=1e-12)


def test_all_forms_of_labels_give_the_same_table(tmp_path: Path) -> None:
    x, y, labels = shared_classes(within=0.5)
    ids = np.array([f"s{i}" for i in range(600)])
    order = np.random.default_rng(1).permutation(600)
    names = np.array([f"class {label}" for label in labels])
    reps = [
        Representation("a", x, ids=ids, fields={"kind": names}),
        Representation("b", y[order], ids=ids[order]),
    ]
    np.save(tmp_path / "labels.npy", labels)
    forms = [
        labels,
        names,
        labels.tolist(),
        "kind",
        dict(zip(ids.tolist(), names, strict=True)),
        tmp_path / "labels.npy",
        str(tmp_path / "labels.npy"),
    ]
    tables = [sim.compare(reps, "cka", within=form, permutations=9) for form in forms]
    assert all(one(table) == one(tables[0]) for table in tables[1:])
    plain = one(sim.compare({"a": x, "b": y}, "cka", within=labels, permutations=9))
    np.testing.assert_allclose(
        one(tables[0]).baselines["within"], plain.baselines["within"], rtol=1e-9
    )


def test_labels_follow_selected_and_joined_rows() -> None:
    x, y, labels = shared_classes(within=0.5)
    ids = np.arange(600)
    reps = [
        Representation("a", x, ids=ids),
        Representation("b", y[200:], ids=ids[200:]),
    ]
    found = sim.compare(
        reps, "cka", within=labels, join_ids="common", rows="0:300", permutations=0
    )
    rows = slice(200, 500)
    expected = sim.compare(
        {"a": x[rows], "b": y[rows]}, "cka", within=labels[rows], permutations=0
    )
    for name in ("within", "between"):
        np.testing.assert_allclose(
            one(found).baselines[name], one(expected).baselines[name], rtol=1e-9
        )


def test_columns_are_resumed_and_loaded_from_a_folder(tmp_path: Path) -> None:
    x, y, labels = shared_classes(within=0.5)
    reps = {"a": x, "b": y, "c": x[:, :5]}
    first = sim.compare(reps, ["cka", "rsa"], within=labels, out=tmp_path)
    assert Results.load(tmp_path) == first
    assert sim.compare(reps, ["cka", "rsa"], within=labels, out=tmp_path) == first
    parts = sorted((tmp_path / "within" / "parts").glob("*.jsonl"))
    lines = [line for part in parts for line in part.read_text().splitlines()]
    jobs = [json.loads(line)["job"] for line in lines]
    assert len(jobs) == 2 * len(set(jobs)) == 12  # the scores, and their statistics
    # Values that changed since do not keep the columns of the old values.
    changed = sim.compare(reps | {"a": -2 * x + 1}, "cka", out=tmp_path)
    kept = {(row.a, row.b): row.baselines for row in Results.load(tmp_path).rows}
    assert kept["a", "b"] == {}
    assert set(kept["b", "c"]) == {"within", "between"}
    assert one(changed).baselines == {}


def test_baselines_and_class_columns_are_independent() -> None:
    x, y, labels = shared_classes(within=0.5)
    rng = np.random.default_rng(3)
    twins = {name: rng.normal(size=(600, 6)) for name in ("a", "b")}
    found = sim.compare(
        {"a": x, "b": y},
        "cka",
        within=labels,
        baselines={"untrained": twins},
        permutations=0,
    )
    assert set(one(found).baselines) == {"untrained", "within", "between"}
    plain = sim.compare(
        {"a": x, "b": y}, "cka", baselines={"untrained": twins}, permutations=0
    )
    assert one(found).baselines["untrained"] == one(plain).baselines["untrained"]


def test_estimators_that_cannot_count_classes_have_no_column() -> None:
    x, y, labels = shared_classes()
    names = ["minibatch_cka", "cka_feature_corrected"]
    found = sim.compare({"a": x, "b": y}, names, within=labels, permutations=0)
    assert all("within" not in row.baselines for row in found.rows)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (LABELS[:-1], "one label per row of a"),
        (LABELS + 0.5, "not whole numbers"),
        (np.zeros(600, int), "two or more classes"),
        (np.arange(600), "two or more rows each"),
        ({"s0": 1}, "no ids"),
        (np.eye(600), "one label per row"),
    ],
)
def test_unusable_labels_are_refused_with_the_remedy(
    labels: np.ndarray, text: str
) -> None:
    x, y, _ = shared_classes()
    with pytest.raises(InvalidInput, match=text):
        sim.compare({"a": x, "b": y}, "cka", within=labels)


def test_within_is_a_reserved_name_of_a_baseline() -> None:
    x, y, labels = shared_classes()
    with pytest.raises(InvalidInput, match="choose another name"):
        sim.compare({"a": x, "b": y}, "cka", within=labels, baselines={"within": x})


def test_only_paired_measures_of_points_have_parts() -> None:
    x, y, labels = shared_classes()
    with pytest.raises(InvalidInput, match="a measure that pairs rows"):
        sim.compare({"a": x, "b": y}, "uniformity_difference", within=labels)
    outputs = {name: sim.Outputs(labels=labels) for name in "ab"}
    with pytest.raises(InvalidInput, match="needs representations of points"):
        sim.compare(outputs, within=labels)
    mixed = {"a": x, "b": y, "c": sim.Outputs(labels=labels)}
    found = sim.compare(mixed, ["cka"], within=labels, permutations=0)
    assert set(one(found).baselines) == {"within", "between"}
