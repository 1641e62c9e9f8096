"""Outputs of classifiers in the shell."""

from pathlib import Path

import numpy as np
import pytest

from cli.command import run

N = 40
RNG = np.random.default_rng(0)
TARGETS = RNG.integers(3, size=N)
LOGITS = [RNG.normal(size=(N, 3)) + np.eye(3)[TARGETS] for _ in range(2)]
FIRST, SECOND = (x.argmax(axis=1) for x in LOGITS)
OPTIONS = ("--permutations", "0", "--json", "-o", "out")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outs").mkdir()
    np.save("outs/a.npy", FIRST)
    np.save("outs/b.npy", SECOND)
    np.save("targets.npy", TARGETS)
    np.savez("m.npz", logits=LOGITS[0], layer=LOGITS[0] ** 2)
    np.savez("n.npz", logits=LOGITS[1], layer=LOGITS[1] ** 2)
    np.save("x.npy", RNG.normal(size=(N, 3)))
    return tmp_path


def test_disagreement_of_predictions_and_accuracies(folder: Path, capsys) -> None:
    said = run(
        capsys,
        *("compare", "--outputs", "outs/", "--targets", "targets.npy", *OPTIONS),
    )
    scores = {row["measure"]: row["score"] for row in said.rows()}
    assert scores["disagreement"] == (FIRST != SECOND).mean()
    gap = abs((FIRST == TARGETS).mean() - (SECOND == TARGETS).mean())
    np.testing.assert_allclose(scores["accuracy_difference"], gap)
    assert "error_consistency" in scores
    assert "jensen_shannon" not in scores  # it needs probabilities


def test_names_and_representations_beside_outputs(folder: Path, capsys) -> None:
    said = run(
        capsys,
        *("compare", "m.npz", "n.npz", "--outputs", "m=m.npz", "--outputs", "n=n.npz"),
        *("-m", "cka,churn", *OPTIONS),
    )
    rows = [(row["measure"], row["a"], row["b"]) for row in said.rows()]
    assert ("disagreement", "m", "n") in rows
    assert {row[0] for row in rows} == {"cka", "disagreement"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.npy", "m.npz", "-m", "disagreement"], "with --outputs PATH."),
        (["outs"], "If it holds predicted classes, give it with --outputs outs/a.npy."),
        (["x.npy", "--targets", "targets.npy"], "give outputs with --outputs PATH"),
        (["--outputs", "outs", "--targets", "no.npy"], "no.npy does not exist"),
        (["--outputs", "a=m.npz", "--outputs", "n.npz"], "write NAME=PATH for all"),
        (["--outputs", "a=outs"], "outs has outputs of 2 classifiers"),
    ],
)
def test_mistakes_say_what_to_type(
    folder: Path, capsys, arguments: list[str], message: str
) -> None:
    run(capsys, "compare", *arguments, *OPTIONS).assert_one_line(message)
