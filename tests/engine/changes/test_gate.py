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
