"""Twins in stores as baselines of `compare`."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Representation, Results
from similitude.cli import main
from similitude.store import open_store

N = 30


def rows(seed: int, d: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, d))


A, B, A0, B0, C = (rows(seed) for seed in range(5))


def cka_of(results: Results, *, baseline: str = "untrained") -> float:
    (row,) = [row for row in results.rows if (row.a, row.b) == ("a", "b")]
    return row.baselines[baseline]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    return int(stop.value.code or 0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> Path:
    (tmp_path / "twins").mkdir()
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "b.npy", B)
    np.save(tmp_path / "c.npy", C)
    np.save(tmp_path / "twins/a.npy", A0)
    np.save(tmp_path / "twins/b.npy", B0)
    np.savez(tmp_path / "net.npz", h1=A, h2=B)
    np.savez(tmp_path / "init.npz", h1=A0, h2=B0)
    monkeypatch.chdir(tmp_path)
    return tmp_path


OPTIONS = ("-m", "cka", "--permutations", "0", "-o", "out")


def test_twins_in_a_store_become_baselines_of_the_table(files: Path, capsys) -> None:
    assert run("store", "add", "s", "a.npy", "b.npy") == 0
    twins = ("twins/a.npy", "twins/b.npy")
    assert run("store", "add", "s", "--baseline", "untrained", *twins) == 0
    seed = ("--baseline", "seed", "--twin-of", "a")
    assert run("store", "add", "s", *seed, "c.npy") == 0
    assert run("store", "verify", "s") == 0
    capsys.readouterr()
    assert run("store", "list", "s") == 0
    listed = capsys.readouterr().out.splitlines()
    assert sorted(line.split("  ")[-1] for line in listed[1:]) == [
        *("points", "points", "points, seed of a"),
        *("points, untrained of a", "points, untrained of b"),
    ]
    assert run("compare", "s", *OPTIONS) == 0
    assert "untrained   seed" in capsys.readouterr().out
    found = Results.load("out")
    assert found.names == ("a", "b")
    np.testing.assert_allclose(cka_of(found), sim.cka(A0, B0), rtol=1e-12)
    np.testing.assert_allclose(
        cka_of(found, baseline="seed"), sim.cka(A, C), rtol=1e-12
    )
    # The same in Python, and with --baseline, which replaces the stored twins.
    python = sim.compare(open_store("s").select(), "cka", permutations=0)
    assert [r.baselines for r in python.rows] == [r.baselines for r in found.rows]
    assert run("compare", "s", "--baseline", "untrained=c.npy", *OPTIONS) == 0
    mean = (sim.cka(A, C) + sim.cka(B, C)) / 2
    np.testing.assert_allclose(cka_of(Results.load("out")), mean, rtol=1e-12)
    # --rows also applies to twins, and `advise` prints one line for each twin.
    assert run("compare", "s", "--rows", "0:20", "-m", "cka", "-o", "few") == 0
    few = cka_of(Results.load("few"))
    np.testing.assert_allclose(few, sim.cka(A0[:20], B0[:20]), rtol=1e-12)
    capsys.readouterr()
    assert run("advise", "s", "--json") == 0
    known = json.loads(capsys.readouterr().out)["representations"]
    assert sorted(d["name"] for d in known) == [
        *("a", "a (untrained)", "b", "b (untrained)", "c"),
    ]


def test_layers_of_a_twin_match_layers_by_name(files: Path) -> None:
    assert run("store", "add", "s", "net.npz") == 0
    twin = ("--baseline", "untrained", "--twin-of", "net")
    assert run("store", "add", "s", *twin, "init.npz") == 0
    assert run("compare", "s", *OPTIONS) == 0
    (row,) = Results.load("out").rows
    assert (row.a, row.b) == ("net/h1", "net/h2")
    np.testing.assert_allclose(row.baselines["untrained"], sim.cka(A0, B0), rtol=1e-12)


def test_twins_stay_with_their_store_when_names_are_equal(files: Path) -> None:
    for store, main_, twin in (("s", A, A0), ("t", B, B0)):
        opened = open_store(store, create=True)
        opened.put(Representation("x", main_, model="x"))
        opened.put(Representation("x", twin, baseline="untrained"))
    assert run("compare", "s", "t", *OPTIONS) == 0
    (row,) = Results.load("out").rows
    assert (row.a, row.b) == ("s/x", "t/x")
    np.testing.assert_allclose(row.score, sim.cka(A, B), rtol=1e-12)
    np.testing.assert_allclose(row.baselines["untrained"], sim.cka(A0, B0), rtol=1e-12)


def test_twins_in_a_separate_store(files: Path) -> None:
    twins = ("twins/a.npy", "twins/b.npy")
    assert run("store", "add", "s", "--baseline", "untrained", *twins) == 0
    assert run("store", "add", "s", "--baseline", "seed", "c.npy") == 0
    for arguments in (("s",), ("--baseline", "untrained=s")):
        assert run("compare", "a.npy", "b.npy", *arguments, *OPTIONS) == 0
        found = Results.load("out")
        np.testing.assert_allclose(cka_of(found), sim.cka(A0, B0), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("store add new --twin-of a c.npy", "--twin-of needs --baseline"),
        (
            "store add new --baseline x --twin-of a c.npy b.npy",
            "--twin-of a: give one file; got 2",
        ),
        (
            "compare a.npy b.npy --baseline x=s",
            "belong to other baselines",
        ),
        ("compare s", "there are only baselines (untrained)"),
        (
            "compare a.npy b.npy --baseline x=c.npy --baseline x=b.npy",
            "--baseline x= is given twice",
        ),
        ("compare a.npy c.npy s --baseline=y", "write NAME=PATH"),
    ],
)
def test_mistakes_with_twins_give_one_line_and_write_nothing(
    files: Path, capsys, arguments: str, message: str
) -> None:
    assert run("store", "add", "s", "--baseline", "untrained", "twins/a.npy") == 0
    capsys.readouterr()
    assert run(*arguments.split()) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert not (files / "new").exists()
    assert not (files / "similitude-results").exists()
