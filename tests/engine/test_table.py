"""The text table: headings, notes and matrices within 80 columns."""

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
    title, head, *_ = text.splitlines()
    assert title == "a - b"
    headings = ["measure", "score", "95", "%", "CI", "null", "p", "interpretation"]
    assert head.split() == headings
    flat = " ".join(text.split())
    assert "1 = same up to rotation and scale (biased estimator:" in flat
    assert "divergence at 50 points, 0 if same" in flat
    assert "(no null; add one with --permutations 19)" in flat
    assert "null: mean score when rows are paired at random." in flat
    assert "batch-sizes (1 pair; rtd)" in text
    assert fits(text)


def test_empty_columns_are_omitted() -> None:
    found = sim.compare({"a": draw(0), "b": draw(1)}, "procrustes", permutations=0)
    head = str(found).splitlines()[1]
    assert head.split() == ["measure", "score", "interpretation"]


def test_headings_are_aligned_with_their_columns() -> None:
    found = sim.compare({"a": draw(1), "b": draw(2)}, "cka", permutations=0)
    head, line = found.table().splitlines()[1:3]
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
    measure = sim.CKA(kernel="rbf", fraction=0.5)
    twins = {"untrained": {name: draw(9) for name in names}, "seed": draw(8)}
    text = str(sim.compare(reps, [measure, "cka"], permutations=9, baselines=twins))
    assert fits(text)
    assert all(name in text for name in names)
    assert "cka(kernel='rbf', fraction=0.5): similarity" in text
    pair = dict(list(reps.items())[:2])
    alone = str(sim.compare(pair, [measure, "cka"], permutations=9))
    assert fits(alone)
    assert "cka(kernel='rbf', fraction=0.5)" in alone


def test_more_than_ten_pairs_are_a_matrix_grouped_by_model() -> None:
    reps = [
        Representation(
            f"m{i}/layer{j}", draw(5 * i + j, related=(i, j) != (1, 2)), model=f"m{i}"
        )
        for i in range(2)
        for j in range(5)
    ]
    found = sim.compare(reps, ["cka", "linear_regression"], permutations=9)
    assert fits(str(found))
    text = found.table(width=90)
    cka, regression = text.split("\n\nlinear_regression")
    lines = cka.splitlines()
    assert lines[1].split() == [str(i) for i in range(1, 10)]
    assert lines[2].split() == ["1", "m0/layer0"]
    assert lines[7] == ""  # between two models
    table = found.matrix("cka")
    for i, line in enumerate([*lines[3:7], *lines[8:13]], start=1):
        number, name, *cells = line.split()
        assert (int(number), name) == (i + 1, found.names[i])
        values = [float(cell.rstrip("?")) for cell in cells]
        np.testing.assert_allclose(values, table[i, :i], atol=6e-4)
        # Only the pairs of the unrelated layer are marked.
        marked = [cell.endswith("?") for cell in cells]
        assert marked == [7 in (i, j) for j in range(i)]
    assert "36 of 45 pairs differ from random pairing of rows" in cka
    assert "9 do not (marked ? in a matrix)" in " ".join(cka.split())
    assert "95 % CI: half-width" in cka
    # Nine permutations cannot give q < 0.05, so these pairs are not marked.
    assert "have the smallest p possible with 9 permutations, 0.1;" in " ".join(
        regression.split()
    )
    assert " . " in regression  # both halves, with a diagonal


def test_more_than_thirty_representations_show_only_extreme_pairs() -> None:
    reps = {f"r{i}": draw(i) for i in range(31)}
    text = str(sim.compare(reps, "procrustes", permutations=0))
    assert fits(text)
    assert len(text.splitlines()) < 20
    scores = np.sort(
        [r.score for r in sim.compare(reps, "procrustes", permutations=0).rows]
    )
    assert f"465 pairs, scores from {scores[0]:.3f} to {scores[-1]:.3f}" in text
    above, below = text.split("\n...\n")
    nearest = [float(line.split()[-1]) for line in above.splitlines()[-5:]]
    farthest = [float(line.split()[-1]) for line in below.splitlines()[:5]]
    np.testing.assert_allclose(nearest, scores[:5], atol=6e-4)
    np.testing.assert_allclose(farthest, scores[-5:], atol=6e-4)


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
