"""Checkpoints: `compare` reads steps from names and compares the pairs they need."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput
from similitude.cli._inputs._steps import needed_pairs, with_steps

from .command import run


def reps(*names: str, layers: tuple[str | None, ...] = ("fc",)) -> list:
    x = np.zeros((4, 2))
    return [
        sim.Representation(f"{name}/{layer}", x, model=name, layer=layer)
        for name in names
        for layer in layers
    ]


@pytest.mark.parametrize(
    ("names", "steps", "run_name"),
    [
        (("step0010", "step0020", "step0100"), [10, 20, 100], "run"),
        (("epoch=1", "epoch=2", "epoch=3"), [1, 2, 3], "run"),
        (
            ("checkpoint-500", "checkpoint-1000", "checkpoint-50"),
            [500, 1000, 50],
            "run",
        ),
        (("gpt_step1", "gpt_step2", "gpt_step3"), [1, 2, 3], "gpt"),
        (("net-epoch3-best", "net-epoch4-best", "net-epoch5-best"), [3, 4, 5], None),
    ],
)
def test_steps_are_guessed_from_names(
    names: tuple[str, ...], steps: list[int], run_name: str | None
) -> None:
    found = with_steps(reps(*names), None)
    assert found is not None
    assert [rep.step for rep in found] == steps
    assert len({rep.model for rep in found}) == 1
    assert run_name in (None, found[0].model)


@pytest.mark.parametrize(
    "names",
    [
        ("seed0", "seed1", "seed2"),  # numbers of other things
        ("step1", "step2"),  # too few for a run
        ("step1", "step2", "other"),
        ("step1", "step01", "step2"),  # two checkpoints with one step
        ("a-step1", "b-step1", "c-step1"),  # three models at one step
    ],
)
def test_other_names_have_no_steps(names: tuple[str, ...]) -> None:
    assert with_steps(reps(*names), None) is None


def test_a_pattern_is_used_as_given() -> None:
    found = with_steps(reps("k10", "k20"), r"k(\d+)")
    assert found is not None
    assert [rep.step for rep in found] == [10, 20]
    assert with_steps(reps("step1", "step2", "step3"), "none") is None
    for pattern, message in (
        (r"k\d+", "put the number into"),
        (r"k(", "--step 'k\\('"),
        (r"step(\d+)", "k10 has no whole number"),
        (r"k(1)\d", "same step"),
    ):
        with pytest.raises(InvalidInput, match=message):
            with_steps(reps("k10", "k11"), pattern)


def test_only_the_pairs_of_the_dynamics_are_needed() -> None:
    found = with_steps(reps(*(f"step{i}" for i in range(6)), layers=("a", "b")), None)
    assert found is not None
    needed = needed_pairs(found)
    by = {(rep.step, rep.layer): rep for rep in found}
    kept = {
        (i, j) for i in range(6) for j in range(i) if needed(by[i, "a"], by[j, "a"])
    }
    assert kept == {
        (i, j) for i in range(6) for j in range(i) if j == 0 or i == 5 or i - j == 1
    }
    assert not needed(by[0, "a"], by[0, "b"])
    two = with_steps(reps("a-step1", "a-step2", "a-step3", "b-step1", "b-step3"), None)
    assert two is not None
    assert needed_pairs(two)(two[0], two[3])
    assert not needed_pairs(two)(two[1], two[4])


def test_compare_announces_steps_and_draws_no_permutations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 40, 4))
    for step in (0, 10, 20, 30, 40):
        (tmp_path / f"ck/step{step:04d}").mkdir(parents=True)
        values = x * step / 40 + noise * (1 - step / 40)
        np.save(tmp_path / f"ck/step{step:04d}/fc1.npy", values)
    out = tmp_path / "out"
    done = run(capsys, "compare", str(tmp_path / "ck"), "-m", "cka", "-o", str(out))
    assert done.code == 0
    assert "steps from the names: 0 to 40, 5 checkpoints of run." in done.err
    results = sim.Results.load(out)
    assert len(results.rows) == 9  # of 10: steps 10 and 30 are not neighbors
    assert all(row.p is None for row in results.rows)
    table = results.matrix("cka")[:4, 4]  # with the last checkpoint
    halfway = np.abs(table - table[0]) >= abs(table[3] - table[0]) / 2
    assert (
        f"cka with the last checkpoint: run fc1 from {table[0]:.3f} (step 0) to "
        f"{table[3]:.3f} (step 30), half of the way at step {10 * halfway.argmax()}."
    ) in " ".join(done.out.split())
    again = tmp_path / "again"
    arguments = (str(tmp_path / "ck"), "-m", "cka", "-o", str(again), "--step", "none")
    assert run(capsys, "compare", *arguments).code == 0
    assert len(sim.Results.load(again).rows) == 10
