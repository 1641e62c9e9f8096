"""`similitude diff`: models, stores, exit codes and formats."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch import nn

from cli.command import lines_fit, run

NETS = """
import torch
from torch import nn

def make():
    torch.manual_seed(0)
    linear = nn.Linear(16, 16)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), linear, nn.Linear(16, 4))

def fault():
    net = make()
    net[2].bias.data.zero_()
    return net
"""
WITH = ("--data", "x.npy", "--layers", "0,1,2,3")


@pytest.fixture
def nets(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("net.py").write_text(NETS)
    np.save("x.npy", np.random.default_rng(0).normal(size=(300, 8)).astype("f4"))
    torch.manual_seed(0)
    linear = nn.Linear(16, 16)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), linear, nn.Linear(16, 4))
    net[3].weight.data *= 2
    torch.save(net.state_dict(), "tuned.pt")
    return tmp_path


def test_two_functions_print_the_first_layer_that_differs(nets, capsys) -> None:
    said = run(capsys, "diff", "net.py:make", "net.py:fault", *WITH, "--outputs", "3")
    assert said.code == 0, said.err
    assert "2 is the first of 4 layers that differs" in " ".join(said.out.split())
    assert "4 of 4 layers are matched by name" in said.out
    assert lines_fit(said.out)


def test_weights_follow_the_function(nets, capsys) -> None:
    said = run(capsys, "diff", "net.py:make", "net.py:make=tuned.pt", *WITH, "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["first"] == "3"


def test_a_golden_store_against_a_model(nets, capsys) -> None:
    stored = run(capsys, "extract", "net.py:make", *WITH, "-o", "golden")
    assert stored.code == 0, stored.err
    for golden in ("golden", "golden:make"):
        said = run(capsys, "diff", golden, "net.py:make", *WITH, "--json")
        assert json.loads(said.out)["first"] is None
        said = run(capsys, "diff", golden, "net.py:fault", *WITH, "--json")
        assert json.loads(said.out)["first"] == "2"


def test_two_files_and_a_map(nets, capsys) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 60, 4))
    np.savez("a.npz", one=x, two=y)
    np.savez("b.npz", eins=x, zwei=y)
    said = run(capsys, "diff", "a.npz", "b.npz", "--map", "one=eins,two=zwei", "--json")
    layers = json.loads(said.out)["layers"]
    assert [layer["after"] for layer in layers] == ["eins", "zwei"]
    assert {layer["matched_by"] for layer in layers} == {"map"}


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ("cka=0.5", 0),
        ("sqnr=200", 1),
        ("disagreement=0.1", 1),
        ("disagreement=0.3,cka=0.5", 4),
        ("disagreement=0.3,sqnr=200", 1),
    ],
)
def test_exit_codes_of_the_gate(nets, capsys, limits, code) -> None:
    said = run(capsys, "diff", "net.py:make", "net.py:fault", "--data", "x.npy",
               "--layers", "2,3", "--outputs", "3", "--rows", "0:200", "--allow",
               limits, "--junit", "verdict.xml")  # fmt: skip
    assert said.code == code, said.out
    suite = ElementTree.parse("verdict.xml").getroot().find("testsuite")
    failed = int(suite.attrib["failures"])
    assert (failed > 0) == (code == 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["net.py:make", "net.py:fault"], "net.py:make is a model; give --data"),
        (["net.py:none", "net.py:fault", *WITH], "no function 'none'"),
        (["missing", "net.py:fault", *WITH], "missing"),
        (["x.npy", "x.npy", "--json", "--latex"], "choose one of"),
        (["x.npy", "x.npy", "--junit", "j.xml"], "give limits by --allow"),
        (["x.npy", "x.npy", "--map", "a"], "write BEFORE=AFTER"),
        (["x.npy", "x.npy", "--allow", "cka"], "write NAME=NUMBER"),
    ],
)
def test_mistakes_are_one_line(nets, capsys, arguments, message) -> None:
    run(capsys, "diff", *arguments).assert_one_line(message)


@pytest.mark.parametrize(
    ("option", "start"), [("--latex", "\\begin{tabular}"), ("--markdown", "On 300 ")]
)
def test_formats_for_papers_and_pull_requests(nets, capsys, option, start) -> None:
    said = run(capsys, "diff", "net.py:make", "net.py:fault", *WITH, option)
    assert said.code == 0, said.err
    assert said.out.startswith(start)
