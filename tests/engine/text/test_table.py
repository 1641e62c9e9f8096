"""The text table: headings, notes, lists and matrices within 80 columns."""

import numpy as np

import similitude as sim
from similitude import Representation

N = 50


def draw(seed: int, d: int = 6, *, related: bool = True) -> np.ndarray:
    rng = np.random.default_rng(seed)
    z = np.random.default_rng(99).normal(size=(N, 3))
    noise = rng.normal(size=(N, d))
    return z @ rng.normal(size=(3, d)) + noise if related else noise


def fits(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


def test_one_pair_has_one_line_per_measure() -> None:
    found = sim.compare({"a": draw(0), "b": draw(1)}, ["cka", "rtd", "procrustes"])
    text = str(found)
    title, head, *_ = text.splitlines()[4:]
    assert title == "a - b"
    headings = ["measure", "score", "95", "%", "CI", "null", "p"]
    assert head.split() == headings
    assert found.table(120).splitlines()[5].split() == [*headings, "interpretation"]
    flat = " ".join(text.split())
    assert "1 = same up to rotation and scale (biased:" in flat
    assert "divergence at 50 points, 0 if same" in flat
    assert "(no null; add one with permutations=19)" in flat
    assert "null: mean score when rows are paired at random." in flat
    assert "batch-sizes (1 pair; rtd)" in text
    assert fits(text)


def test_empty_columns_are_omitted() -> None:
    found = sim.compare({"a": draw(0), "b": draw(1)}, "procrustes", permutations=0)
    head = str(found).splitlines()[5]
    assert head.split() == ["measure", "score", "interpretation"]


def test_headings_are_aligned_with_their_columns() -> None:
    found = sim.compare({"a": draw(1), "b": draw(2)}, "cka", permutations=0)
    head, line = found.table(120).splitlines()[5:7]
    assert head.index("interpretation") == line.index("similarity, 1 = same")
    assert head.index("95 % CI") == line.index("[")


def test_tiny_p_values_and_negative_zeros_are_not_printed() -> None:
    same = draw(0)
    text = str(sim.compare({"a": same, "b": same + 1}, "cka"))
    assert "<1e-6" in text  # neither 0 nor the far tail of a fitted distribution
    assert "-0.000" not in text
    assert "0e+00" not in text


def test_long_names_have_their_own_lines() -> None:
    names = [f"resnet20-seed{i}-imagenet/stage{i}.block2.conv{i}" for i in range(3)]
    reps = {name: draw(i) for i, name in enumerate(names)}
    measure = sim.find_measure("cka(kernel=rbf(fraction=0.5))")
    twins = {"untrained": {name: draw(9) for name in names}, "seed": draw(8)}
    text = str(sim.compare(reps, [measure, "cka"], permutations=9, baselines=twins))
    assert fits(text)
    assert all(name in text for name in names)
    assert "cka(kernel=rbf(fraction=0.5)): similarity" in text
    pair = dict(list(reps.items())[:2])
    alone = str(sim.compare(pair, [measure, "cka"], permutations=9))
    assert fits(alone)
    assert "cka(kernel=rbf(fraction=0.5))" in alone


def test_more_than_ten_pairs_are_a_matrix_grouped_by_model() -> None:
    reps = [
        Representation(
            f"m{i}/layer{j}", draw(4 * i + j, related=(i, j) != (1, 2)), model=f"m{i}"
        )
        for i in range(3)
        for j in range(3)
    ]
    found = sim.compare(reps, ["cka", "linear_regression"], permutations=9)
    text = found.table(width=90, header=False)
    assert text.startswith("warning: m1/layer2 (in all pairs)")
    lines = text[text.index("cka: ") :].splitlines()
    assert lines[1].split() == [str(i) for i in range(1, 9)]
    assert lines[2].split() == ["1", "m0/layer0"]
    assert lines[5] == lines[9] == ""  # between two models
    table = found.matrix("cka")
    body = [line for line in lines[3:13] if line]
    for i, line in enumerate(body, start=1):
        number, name, *cells = line.split()
        assert (int(number), name) == (i + 1, found.names[i])
        values = [float(cell.rstrip("?")) for cell in cells]
        np.testing.assert_allclose(values, table[i, :i], atol=6e-4)
        # Only the pairs of the unrelated layer are marked.
        marked = [cell.endswith("?") for cell in cells]
        assert marked == [5 in (i, j) for j in range(i)]
    assert "Most similar: m" in text
    assert "In a grid, ? marks the others." in " ".join(text.split())
    # Nine permutations cannot give q < 0.05, so these pairs are not marked.
    assert "have the smallest p possible with 9 permutations, 0.1;" in " ".join(
        text.split()
    )
    assert " . " in text  # both halves of the regression, with a diagonal


def test_more_than_thirty_representations_show_quartiles_and_extreme_pairs() -> None:
    reps = {f"r{i}": draw(i) for i in range(31)}
    found = sim.compare(reps, "procrustes", permutations=0)
    text = found.table(header=False)
    assert fits(text)
    assert len(text.splitlines()) < 20
    scores = np.sort([row.score for row in found.rows])
    head, line = text.splitlines()[1:3]
    assert head.split() == "lowest 25 % median 75 % highest".split()
    quartiles = np.quantile(scores, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(
        [float(cell) for cell in line.split()[1:]], quartiles, atol=6e-4
    )
    extremes = [line.split() for line in text.splitlines()[5:8]]
    nearest = [float(parts[-8]) for parts in extremes]
    farthest = [float(parts[-4]) for parts in extremes]
    np.testing.assert_allclose(nearest, scores[:3], atol=6e-4)
    np.testing.assert_allclose(farthest, scores[::-1][:3], atol=6e-4)


def test_pairs_with_a_reference_are_listed() -> None:
    reps = {f"r{i}": draw(i) for i in range(15)}
    found = sim.compare(reps, "procrustes", reference="r3", permutations=0)
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[-14:]] == ["r3"] * 14


def test_summary_counts_pairs_without_a_score_and_gives_one_reason() -> None:
    reps = {f"r{i}": draw(i) for i in range(5)}
    reps |= {f"wide{i}": draw(i, 48) for i in range(2)}
    text = str(sim.compare(reps, "mean_cca", permutations=0))
    assert "11 pairs are undefined, such as r0 - wide0: ranks 6 + 48" in text
    assert fits(text)
