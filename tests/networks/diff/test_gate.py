"""The gate of `diff`: an equivalence test with three outcomes."""

from xml.etree import ElementTree

import numpy as np
import pytest

import similitude as sim

LIMIT = 0.05


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


def classifier(n: int, share: float, seed: int) -> tuple[sim.Representation, ...]:
    """Predictions before and after; each changes with this probability."""
    rng = np.random.default_rng(seed)
    before = rng.integers(5, size=n)
    after = np.where(rng.random(n) < share, (before + 1) % 5, before)
    return tuple(
        sim.Representation(side, sim.Outputs(labels=labels), layer="fc", model=side)
        for side, labels in (("before", before), ("after", after))
    )


def outcome(n: int, share: float, seed: int = 0) -> str | None:
    before, after = classifier(n, share, seed)
    return sim.diff(before, after, allow={"disagreement": LIMIT}).outcome


def test_three_outcomes() -> None:
    assert outcome(1000, 0.01) == "pass"
    assert outcome(1000, 0.2) == "fail"
    assert outcome(20, 0.01) == "inconclusive"


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_a_change_at_the_limit_rarely_passes(n) -> None:
    """One-sided level 2.5 %; more than 5 of 50 has a probability below 1e-3."""
    passed = sum(outcome(n, LIMIT, seed) == "pass" for seed in range(50))
    assert passed <= 5
    if n == 20:
        assert passed == 0


def test_inconclusive_says_how_many_rows_would_decide() -> None:
    before, after = classifier(100, 0.03, 0)
    found = sim.diff(before, after, allow=f"disagreement={LIMIT}")
    (verdict,) = found.verdicts
    assert found.outcome == "inconclusive"
    rows = int(verdict.reason.split("about ")[1].split(" rows")[0].replace(",", ""))
    score = found.changes[0].rows["disagreement"].score
    high = found.changes[0].rows["disagreement"].high
    assert rows == np.ceil(100 * ((high - score) / (LIMIT - score)) ** 2)


def test_rows_that_decide_a_share_of_zero_pass_with_that_many_rows() -> None:
    """The error of a share of 0 falls as 1/n, not as 1/sqrt(n)."""
    before, after = classifier(20, 0.0, 0)
    (verdict,) = sim.diff(before, after, allow=f"disagreement={LIMIT}").verdicts
    rows = int(verdict.reason.split("about ")[1].split(" rows")[0])
    assert outcome(round(1.1 * rows), 0.0) == "pass"
    assert outcome(round(0.6 * rows), 0.0) == "inconclusive"


def spaces(*noises: float, n: int = 200) -> list[dict[str, np.ndarray]]:
    """One space, and copies of it with noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 6))
    return [{"h": x + noise * rng.normal(size=(n, 6))} for noise in (0.0, *noises)]


@pytest.mark.parametrize(("noise", "expected"), [(0.05, "pass"), (1.0, "fail")])
def test_limits_like_other_seeds_are_the_largest_change_among_them(
    tmp_path, noise, expected
) -> None:
    before, after, *seeds = spaces(noise, 0.2, 0.4, 0.3)
    for number, seed in enumerate(seeds):
        (tmp_path / f"seed{number}").mkdir()
        np.save(tmp_path / f"seed{number}" / "h.npy", seed["h"])
    found = sim.diff(before, after, allow_like=tmp_path)
    assert found.outcome == expected
    (verdict,) = found.verdicts
    scores = [float(sim.cka(before["h"], seed["h"])) for seed in seeds]
    assert verdict.limit == pytest.approx(min(scores), abs=1e-9)
    assert verdict.like == str(tmp_path)
    assert "(as in" in repr(found)
    named = {f"seed{i}": seed for i, seed in enumerate(seeds)}
    assert sim.diff(before, after, allow_like=named).outcome == expected


def test_a_change_of_the_size_of_another_seed_is_inconclusive() -> None:
    before, after, seed = spaces(0.3, 0.3)
    assert sim.diff(before, after, allow_like={"seed": seed}).outcome == "inconclusive"


def test_limits_like_seeds_also_test_the_predictions() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    near, far = ({"fc": x + e * rng.normal(size=x.shape)} for e in (0.02, 0.5))
    found = sim.diff({"fc": x}, near, outputs="fc", allow_like={"seed": far})
    assert [v.measure for v in found.verdicts] == ["cka", "disagreement"]
    changed = np.mean(x.argmax(1) != far["fc"].argmax(1))
    assert found.verdicts[1].limit == pytest.approx(changed)
    assert found.outcome == "pass"


def test_a_population_without_the_layer_is_refused() -> None:
    before, after, seed = spaces(0.3, 0.3)
    with pytest.raises(sim.InvalidInput, match="has no layer 'h'"):
        sim.diff(before, after, allow_like={"seed": {"other": seed["h"]}})


def test_limits_like_repeats_are_three_noise_floors() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4)).astype("f4")
    eps = np.finfo(np.float32).eps
    for size, expected in ((2, "pass"), (8, "fail")):
        found = sim.diff({"h": x}, {"h": x * (1 + size * eps)}, allow_like="repeats")
        assert found.outcome == expected
        assert found.verdicts[0].limit == pytest.approx(3 * eps)


def test_equal_values_are_within_a_limit_of_one() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    assert sim.diff({"h": x}, {"h": x}, allow="cka=1,sqnr=300").outcome == "pass"


def test_neighbors_are_tested_by_their_interval() -> None:
    before, near, far = spaces(0.02, 1.0)
    verdicts = [
        sim.diff(before, after, allow="mutual_knn=0.6").verdicts[0]
        for after in (near, far)
    ]
    assert [v.outcome for v in verdicts] == ["pass", "fail"]
    assert {v.scope for v in verdicts} == {"interval"}


def test_measures_without_an_interval_are_limits_on_these_rows() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    found = sim.diff({"h": x}, {"h": x + 0.01}, allow="max_deviation=0.02,sqnr=60")
    assert [v.outcome for v in found.verdicts] == ["pass", "fail"]
    assert {v.scope for v in found.verdicts} == {"these rows"}
    assert found.outcome == "fail"
    assert "on these rows only: no interval" in repr(found)


def test_a_limit_on_another_measure_adds_it_to_the_table() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    found = sim.diff({"h": x}, {"h": x}, allow={"cka(kernel=rbf)": 0.9, "rsa": 0.9})
    assert {"cka(kernel=rbf)", "rsa"} <= found.changes[0].rows.keys()
    assert len(found.verdicts) == 2


def test_too_few_rows_for_an_interval_are_inconclusive() -> None:
    x = np.random.default_rng(0).normal(size=(5, 4))
    found = sim.diff({"h": x}, {"h": x}, allow="cka=0.9")
    assert found.outcome == "inconclusive"
    assert "rows here; there are 5" in found.verdicts[0].reason


def test_a_score_that_does_not_exist_is_inconclusive() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    found = sim.diff({"h": x}, {"h": x[:, :3]}, allow="sqnr=20")
    assert found.outcome == "inconclusive"
    assert "x has 4 columns and y has 3" in found.verdicts[0].reason


def test_junit_is_read_by_a_parser() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    layers = {"good": x, "bad<&\"'": x, "other": x}
    after = {"good": x, "bad<&\"'": x + 1, "other": x[:, :3]}
    found = sim.diff(layers, after, allow="sqnr=60")
    root = ElementTree.fromstring(found.to_junit("a > b"))
    suite = root.find("testsuite")
    assert suite.attrib | {"name": ""} == {
        "name": "", "tests": "3", "failures": "1", "errors": "1",
    }  # fmt: skip
    kinds = [case[0].tag for case in suite]
    assert kinds == ["system-out", "failure", "error"]
    assert suite[1].attrib["name"].startswith("bad<&\"'")
