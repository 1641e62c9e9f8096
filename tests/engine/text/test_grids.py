"""Layer x layer grids of two models, the size of tables, and aligned numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest

import similitude as sim
from similitude.engine.text import layer_facts
from similitude.engine.text._numbers import aligned, number, numbers

N = 60
Z = np.random.default_rng(0).normal(size=(N, 4))


def rows(seed: int, noise: float = 0.5, d: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return Z @ rng.normal(size=(4, d)) + noise * rng.normal(size=(N, d))


def model(seed: int, layers: int = 3, noise: float = 0.5) -> dict[str, np.ndarray]:
    return {
        f"layer{i}": rows(100 * seed + i, noise * (1 + i)) for i in range(1, layers + 1)
    }


@pytest.fixture(scope="module")
def found() -> sim.Results:
    twins = {"seed0": model(2, noise=4.0), "seed1": model(3, noise=4.0)}
    return sim.compare(
        {"seed0": model(0), "seed1": model(1)},
        ["cka", "procrustes", "linear_regression"],
        baselines={"untrained": twins},
        permutations=19,
    )


@pytest.mark.parametrize("width", [80, 120])
def test_two_models_print_a_grid_with_null_and_baselines_beside_it(
    found: sim.Results, width: int
) -> None:
    text = found.table(width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    at = next(i for i, line in enumerate(lines) if line.startswith("cka: "))
    assert lines[at + 1].split() == "layer1 layer2 layer3 | null | untrained".split()
    for k, name in enumerate(("score", "null_mean", "untrained")):
        table = found.matrix("cka", name)[:3, 3:]
        shown = [
            [float(cell.rstrip("?")) for cell in line.split()[1 + 4 * k :][:3]]
            for line in lines[at + 2 : at + 5]
        ]
        np.testing.assert_allclose(shown, table, atol=6e-4)
    assert "Lines are layers of seed0, columns are layers of seed1." in lines


def test_columns_of_a_grid_are_below_their_headings(found: sim.Results) -> None:
    lines = found.table(80).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("procrustes: "))
    head, first = lines[at + 1], lines[at + 2]
    ends = [match.end() for match in re.finditer(r"layer\d", head)]
    assert all(first[end - 1].isdigit() for end in ends)
    assert all(first[end : end + 1] in {" ", "?"} for end in ends)


@pytest.mark.parametrize(("measure", "sign"), [("cka", 1), ("procrustes", -1)])
def test_the_verdict_orders_layers_by_their_gain_over_untrained(
    found: sim.Results, measure: str, sign: int
) -> None:
    score, floor = found.matrix(measure), found.matrix(measure, "untrained")
    gains = {i: sign * (score[i, 3 + i] - floor[i, 3 + i]) for i in range(3)}
    order = sorted(gains, key=lambda i: -gains[i])
    texts = [f"layer{i + 1} {sign * gains[i]:+.3f}" for i in order]
    expected = f"Score minus untrained: {', '.join(texts)}."
    assert expected in " ".join(found.table().split())


def test_layers_of_many_models_are_listed_with_their_baseline() -> None:
    """Only equal layers of different models count; the largest gain is first."""
    models = {f"model{i}": model(i, 8) for i in range(3)}
    reps = sim.representation.gather(models)
    twins = [
        replace(rep, values=rows(i + 40), baseline="untrained", twin_of=rep.name)
        for i, rep in enumerate(reps)
    ]
    found = sim.compare([*reps, *twins], "cka")
    text = found.table(80)
    facts = layer_facts(found.rows)
    gains = [fact.gain for fact in facts]
    assert gains == sorted(gains, reverse=True)
    assert {len(fact.rows) for fact in facts} == {3}
    one = facts[0]
    own = [row for row in found.rows if row.a_layer == row.b_layer == one.layer]
    assert all(row.a_model != row.b_model for row in own)
    assert one.score == np.mean([row.score for row in own])
    assert one.base == np.mean([row.baselines["untrained"] for row in own])
    assert re.search(rf"{one.layer} +{one.score:.3f} +{one.base:.3f} +\+0", text)
    assert "... 2 more layers" in text
    text = " ".join(text.split())
    assert f"{one.layer} gained most over untrained" in text
    assert "24 pairs of equal layers of different models" in text
    assert "(k/n): k of n pairs are more similar than their baseline" in text
    assert re.search(r"\(\d+/\d+\)", text)


def test_common_prefixes_of_layers_are_in_the_caption() -> None:
    both = {
        "minilm": {f"encoder.layer.{i}": rows(i) for i in range(6)},
        "gpt": {f"h.{i}": rows(9 + i) for i in range(4)},
    }
    text = sim.compare(both, "cka").table(80)
    caption = "Lines are layers of minilm (encoder.layer.*), columns are layers of gpt"
    assert f"{caption} (h.*)." in " ".join(text.split())
    grid = text.split("rotation and scale\n")[1].splitlines()
    assert grid[0].split() == ["0", "1", "2", "3"]
    assert [line.split()[0] for line in grid[1:7]] == list("012345")
    assert "null: 0.000 in all cells." in text  # no grid of zeros


def test_directed_measures_have_one_grid_per_direction(found: sim.Results) -> None:
    text = " ".join(found.table().split())
    for a, b in (("seed0", "seed1"), ("seed1", "seed0")):
        assert f"linear_regression from {a} (lines) to {b} (columns): " in text


def test_pairs_within_one_model_are_apart(found: sim.Results) -> None:
    within = found.matrix("cka")[:3, :3]
    low, high = (f(within[np.triu_indices(3, 1)]) for f in (np.min, np.max))
    (line,) = [
        line for line in found.table(120).splitlines() if line.startswith("cka   ")
    ]
    assert f"{low:.3f} to {high:.3f}" in line
    assert "within seed0" in found.table(120)
    assert "same-model" not in found.table()


def test_long_prints_one_line_per_pair(found: sim.Results) -> None:
    text = found.table(120, long=True)
    for row in found.rows:
        assert any(
            line.startswith(f"{row.a} - {row.b} ") and f"{row.score:.3f}" in line
            for line in text.splitlines()
        )
    assert "same-model" in text


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("count", [3, 5, 13, 30])
def test_any_number_of_representations_prints_about_sixty_lines(
    count: int, width: int
) -> None:
    reps = {f"network number {i}": rows(i) for i in range(count)}
    measures = ["cka", "procrustes", "mean_cca", "rsa", "mutual_knn"]
    measures += [sim.find_measure("cka(kernel=rbf(fraction=0.5))")]
    text = sim.compare(reps, measures, permutations=0).table(width)
    lines = text.splitlines()
    assert len(lines) <= 66
    assert max(map(len, lines)) <= width
    assert all(measure in text for measure in measures[:-1])


@pytest.mark.parametrize("layers", [2, 6, 20])
def test_models_with_any_number_of_layers_fit(layers: int) -> None:
    both = {"first": model(0, layers), "second": model(1, layers)}
    for width in (80, 120):
        text = sim.compare(both, ["cka", "rsa"], permutations=0).table(width)
        assert len(text.splitlines()) <= 66
        assert max(map(len, text.splitlines())) <= width
        assert "differs most between first and second: " in text


def test_extreme_pairs_are_pairs_of_different_models() -> None:
    models = {f"model{i}": model(i, 12) for i in range(3)}
    text = sim.compare(models, "cka", permutations=0).table(80)
    assert "36 pairs of equal layers of different models" in text
    pairs = re.findall(r"(model\d)/layer\d+ - (model\d)/layer\d+", text)
    assert len(pairs) >= 4
    assert all(a != b for a, b in pairs)
    assert "differs most between models: " in text
    assert "(mean of 3 pairs)" in text


def test_decimals_are_aligned() -> None:
    assert numbers([9.7071, 12.2, None]) == [" 9.71", "12.20", "    -"]
    assert aligned(["17.88", "0.856", "-"]) == ["17.88 ", " 0.856", "     -"]
    assert [number(v) for v in (0.5, 12.2, 123.4, 99999.0, 1e9, -0.0001)] == [
        *("0.500", "12.20", "123.4", "99999", "1.000e+09", "0.000")
    ]


def test_the_smallest_p_of_permutations_is_an_upper_bound() -> None:
    text = sim.compare({"a": rows(0), "b": rows(1)}, "procrustes").table()
    assert "<= 0.005" in text
    unrelated = {"a": rows(0), "b": np.random.default_rng(5).normal(size=(N, 3))}
    assert "<=" not in sim.compare(unrelated, "procrustes").table()
