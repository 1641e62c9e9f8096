"""Options of measures in parentheses, completion, formulas, and remedies that fit."""

import inspect
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from cli.command import START, lines_fit, run, start
from similitude import measures
from similitude._base._record import parse_label
from similitude.cli._measures._docstring import readable
from similitude.cli._measures._formulas import plain_formula
from similitude.errors import in_shell

ALL = [variant for m in sim.MEASURES.values() for variant in m.variants()]


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.label)
def test_every_label_is_found_again(measure: sim.Measure) -> None:
    assert sim.find_measure(measure.label) == measure
    name, _ = parse_label(measure.label)
    shown = measure.label.replace(name, name.upper().replace("_", "-"), 1)
    assert sim.find_measure(shown) == measure


def test_options_are_typed_in_parentheses(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 20, 3))
    np.save("a.npy", x)
    np.save("b.npy", y)
    typed = "CKA(kernel=rbf(fraction=0.5)),rsa( inner = 'cosine' ),Mutual-kNN(k=3)"
    options = ("--permutations", "0", "--json", "-o", "out")
    rows = run(capsys, "compare", "a.npy", "b.npy", "-m", typed, *options).rows()
    assert [(row["label"], row["score"]) for row in rows] == [
        (
            "cka(kernel=rbf(fraction=0.5))",
            float(sim.cka(x, y, kernel="rbf(fraction=0.5)")),
        ),
        ("rsa(inner=cosine)", float(sim.rsa(x, y, inner="cosine"))),
        ("mutual_knn(k=3)", float(sim.mutual_knn(x, y, k=3))),
    ]
    shown = run(capsys, "show", "out").out
    assert "rsa(inner=cosine)" in shown


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("kernel cka", "cka"),
        ("procustes", "procrustes"),
        ("knn_mutual", "mutual_knn"),
        ("rotation_procrustes", "procrustes"),
    ],
)
def test_unknown_names_get_a_suggestion(typed: str, suggested: str) -> None:
    with pytest.raises(sim.InvalidInput, match=f"Did you mean '{suggested}'"):
        sim.find_measure(typed)


def test_remedies_fit_the_door() -> None:
    x = np.eye(6)
    with pytest.raises(sim.InvalidInput, match=r"or use rows='0:4'\.$"):
        sim.compare({"a": x, "b": x[:4, :3]}, "cka")
    with in_shell(), pytest.raises(sim.InvalidInput, match=r"or use --rows 0:4\.$"):
        sim.compare({"a": x, "b": x[:4, :3]}, "cka")
    with pytest.raises(sim.InvalidInput, match=r"similitude\.MEASURES has all"):
        sim.find_measure("nothing")


def complete(line: str, cwd: Path) -> str:
    env = os.environ | {
        "_SIMILITUDE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = subprocess.run(START, capture_output=True, text=True, env=env, cwd=cwd)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("similitude comp", {"compare"}),
        ("similitude measures mutual", {"mutual_knn"}),
        ("similitude compare -m cka,procr", {"cka,procrustes"}),
        ("similitude compare --outp", {"--outputs"}),
    ],
)
def test_the_shell_completes_commands_options_and_measures(
    tmp_path: Path, line: str, expected: set[str]
) -> None:
    assert set(complete(line, tmp_path).split()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed(tmp_path: Path, shell: str) -> None:
    said = start(cwd=tmp_path, _SIMILITUDE_COMPLETE=f"source_{shell}")
    assert said.returncode == 0
    assert "_SIMILITUDE_COMPLETE" in said.stdout


@pytest.mark.parametrize("name", [*sim.MEASURES, "deconfounded_cka"])
def test_documentation_is_readable_in_a_terminal(name: str) -> None:
    text = readable(inspect.getdoc(getattr(measures, name)) or "", 80)
    body = text.split("Examples\n--------")[0]
    assert lines_fit(body)
    for mark in ("\\", ":math:", ".. math", "{,", "``"):
        assert mark not in body


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{n} \sum_{i=1}^n x_i^2", "1/n Σ_(i=1)^n x_i²"),
        (r"\frac{a + b}{2} c", "((a + b) / 2) c"),
        (r"\log \frac{p_{ic}}{q_{ic}}", "log (p_ic / q_ic)"),
        (r"\sqrt{\mathrm{HSIC}(K, K)\,2}", "√(HSIC(K, K) 2)"),
        (r"\tilde w \ne \hat{c}_i", "w̃ ≠ ĉ_i"),
        (r"\|X\|_F^2 \big[ y \big]", "‖X‖_F² [y]"),
    ],
)
def test_formulas_become_plain_text(latex: str, text: str) -> None:
    assert plain_formula(latex) == text


def test_measures_are_listed_by_family_with_what_they_ask(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run(capsys, "measures").out
    assert lines_fit(text)
    assert re.search(r"^  mutual_knn +Share of nearest neighbors that two", text, re.M)
    for name in sim.MEASURES:
        assert f"\n  {name} " in text


def test_gradients_point_to_the_loss() -> None:
    torch = pytest.importorskip("torch")
    x, y = torch.randn(8, 2, requires_grad=True), torch.randn(8, 2)
    for name in ("rtd", "rtd_lite", "srtd"):
        function = getattr(sim, name)
        with pytest.raises(sim.InvalidInput, match=rf"topology\.{name}_loss\(x, y\)"):
            function(x, y)
        with torch.no_grad():
            assert function(x, y) == function(x.detach(), y)
