"""A verdict covers what was asked: missing layers, and limits that can fail."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from torch import nn

import similitude as sim
from networks.diff.networks import network, stimuli
from similitude import InvalidInput
from similitude.measures import MEASURES


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


def layers(rng: np.random.Generator, names) -> dict[str, np.ndarray]:
    return {name: rng.normal(size=(60, 4)) for name in names}


@pytest.mark.parametrize("seed", range(30))
def test_each_layer_without_a_partner_fails_unless_it_is_allowed(seed) -> None:
    """Layers are dropped from either side, and some of them are allowed."""
    rng = np.random.default_rng(seed)
    names = [f"layer{i}" for i in range(int(rng.integers(3, 8)))]
    whole = layers(rng, names)
    gone = [
        str(n)
        for n in rng.choice(names, int(rng.integers(1, len(names) - 1)), replace=False)
    ]
    less = {name: rows for name, rows in whole.items() if name not in gone}
    sides = (whole, less) if seed % 2 else (less, whole)
    side = "before" if seed % 2 else "after"
    allowed = [name for name in gone if rng.random() < 0.5]
    found = sim.diff(*sides, allow={"cka": 0.9}, allow_missing=allowed)
    missing = [name for name in names if name in gone and name not in allowed]
    cases = {v.layer for v in found.verdicts if v.outcome == "fail"}
    assert cases == {f"{name} ({side})" for name in missing}
    assert found.outcome == ("fail" if missing else "pass")
    assert (
        sim.diff(*sides, allow={"cka": 0.9}, allow_missing="layer*").outcome == "pass"
    )
    if missing:
        assert "a rule of this version" in " ".join(repr(found).split())


def test_a_model_that_loses_a_layer_fails() -> None:
    net, x = network(), stimuli()
    patterns = {"before": ["0", "3", "6"], "after": ["0", "3"]}
    found = sim.diff(net, nn.Sequential(*net), x, layers=patterns, allow={"cka": 0.99})
    assert found.outcome == "fail"
    assert [v.layer for v in found.verdicts if v.outcome == "fail"] == ["6 (before)"]
    assert sim.diff(net, net, x, layers=patterns).outcome is None  # no limits, no gate


def test_limits_that_cannot_fail_or_pass_are_refused() -> None:
    """For each measure: beyond its range, and at the end that allows everything."""
    for name, measure in MEASURES.items():
        low, high = measure.claims().range
        similar = measure.claims().kind == "similarity"
        vacuous = low if similar else high
        for limit in (low - 1, high + 1, vacuous, -np.inf, np.inf):
            if low < limit < high:
                continue
            with pytest.raises(
                InvalidInput, match=f"allow: {re.escape(measure.label)}="
            ):
                limits_of({name: limit})
        strict = high if similar else low
        if np.isfinite(strict):
            limits_of({name: strict})


def limits_of(given):
    from similitude.networks.diff._gate import limits_of as checked

    return checked(given)


@pytest.mark.parametrize(
    "text",
    [
        "cka=0.99,cka=0.5",
        "cka=0.99, cka=0.99",
        "disagreement=0.1,cka=0.9,disagreement=0.2",
    ],
)
def test_a_limit_is_given_once(text) -> None:
    with pytest.raises(InvalidInput, match="is given twice"):
        limits_of(text)


def test_junit_markdown_and_json_list_the_same_cases() -> None:
    rng = np.random.default_rng(0)
    before = layers(rng, ["a", "b", "c", "d"])
    after = {
        k: v + 0.3 * rng.normal(size=v.shape) for k, v in before.items() if k != "d"
    }
    found = sim.diff(before, after, allow={"cka": 0.95, "relative_error": 0.5})
    cases = [(v.layer, v.measure, v.outcome) for v in found.verdicts]
    assert len(cases) == 7
    document = json.loads(json.dumps(found.to_dict()))
    assert [
        (v["layer"], v["measure"], v["outcome"]) for v in document["verdicts"]
    ] == cases
    tree = ElementTree.fromstring(found.to_junit())
    kinds = {"failure": "fail", "error": "inconclusive", "system-out": "pass"}
    listed = [
        (case.get("name").partition(":")[0], case.get("classname"), kinds[case[0].tag])
        for case in tree.iter("testcase")
    ]
    assert listed == cases
    table = (
        found.to_markdown().split("| outcome |")[1].split("\n\n")[0].splitlines()[2:]
    )
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table]
    assert [(row[1], row[2], row[0]) for row in rows] == cases


HOSTILE = [
    "<img src=x onerror=alert(1)>", "![t](https://evil/t.png)", "@org/team", "#1 GH-2",
    "https://evil.example", "www.evil.example", "a|b", "a\\|b", "a\\", "`x`", "``` x",
    "~~~", "[x](javascript:1)", "<!-- ", "--> <b>", "&lt;b&gt;", "*x*_y_", "a\nb",
    "$x$", "\u202eabc", "<details>", "| --- |", "x`|`y", "</code>@org",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_markdown_has_names_only_as_code(seed) -> None:
    """What is not code or our own words has no character of a name."""
    rng = np.random.default_rng(seed)
    parts = [str(p) for p in rng.choice(HOSTILE, 5, replace=False)]
    names = [f"q{i}{part}" for i, part in enumerate(parts) if part.isprintable()]
    x = {name: rng.normal(size=(30, 3)) for name in names}
    y = {name: rows + 0.2 * rng.normal(size=rows.shape) for name, rows in x.items()}
    ids = [f"z{i}{HOSTILE[i % len(HOSTILE)]}" for i in range(30)]
    sides = [
        [
            sim.Representation(f"{s}{i}", v, ids=ids, layer=k, model=s)
            for i, (k, v) in enumerate(d.items())
        ]
        for s, d in (("b", x), ("a", {k: v for k, v in y.items() if k != names[0]}))
    ]
    text = sim.diff(*sides, allow={"cka": 0.9}).to_markdown()
    outside, inside, fence = [], [], ""
    for line in text.split("\n"):
        ticks = re.match(r"`{3,}", line)
        if ticks and (not fence or line == fence):
            fence = "" if fence else ticks[0]
        elif fence:
            inside.append(line)
        else:
            outside.append(line)
    assert not fence
    assert any("z" in line for line in inside)
    for table in "\n".join(outside).split("\n\n"):
        assert len({line.count("|") for line in table.strip().split("\n")}) == 1
    plain = re.sub(r"<code>(?:[^<&]|&#\d+;)*</code>|`[^`|\\]*`", "", "\n".join(outside))
    plain = re.sub(r"\[\d\.\d+, \d\.\d+\]", "", plain)  # intervals
    assert not re.search(r"q\d|z\d|[@<>`\\!\[\]#$~]", plain), plain
