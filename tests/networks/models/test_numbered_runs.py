"""Runs of `Monitor` are numbered: nothing of another run is deleted or joined."""

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from similitude.store import open_store


def data() -> torch.Tensor:
    return torch.randn(30, 4, generator=torch.Generator().manual_seed(5))


def net(seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


def course(seed: int, branch: int, last: int) -> list[nn.Sequential]:
    """The networks of a training; courses with one seed part at step 2."""
    model, found = net(seed), []
    generator = torch.Generator().manual_seed(seed)
    for step in range(last + 1):
        if step == 2:
            generator.manual_seed(100 * seed + branch)
        copied = net(0)
        copied.load_state_dict(model.state_dict())
        found.append(copied)
        with torch.no_grad():
            for weights in model.parameters():
                weights += 0.1 * torch.randn(weights.shape, generator=generator)
    return found


def contents(out) -> dict[str, bytes]:
    elements = open_store(out).elements
    return {str(p): p.read_bytes() for p in elements.rglob("*") if p.is_file()}


def watched(networks, out, first: int, last: int, every: int) -> sim.Monitor:
    """A process: it starts with the weights of a step, and watches every so many."""
    model = net(0)
    model.load_state_dict(networks[first].state_dict())
    with sim.Monitor(model, data(), out=out, name="net") as monitor:
        for step in range(first, last + 1):
            model.load_state_dict(networks[step].state_dict())
            if step % every == 0:
                monitor.step(step)
    return monitor


@pytest.mark.parametrize("seed", range(40))
def test_any_sequence_of_processes_keeps_runs_apart(seed, tmp_path) -> None:
    """Each stored run is a part of one course, and no file ever changes or vanishes."""
    rng = np.random.default_rng(seed)
    courses = {(s, b): course(s, b, 8) for s in (1, 2) for b in (0, 1)}
    before: dict[str, bytes] = {}
    for _ in range(int(rng.integers(2, 5))):
        which = int(rng.integers(1, 3)), int(rng.integers(2))
        first = int(rng.choice([0, 0, 2, 4]))
        last = int(rng.integers(first, 9))
        watched(courses[which], tmp_path, first, last, int(rng.integers(1, 3)))
        after = contents(tmp_path)
        assert before.items() <= after.items()
        before = after
    runs: dict[str, dict[int, np.ndarray]] = {}
    for rep in open_store(tmp_path).select(layer="2"):
        steps = runs.setdefault(str(rep.model), {})
        assert rep.step not in steps
        steps[rep.step] = rep.load()
    with torch.no_grad():
        true = {k: [n(data()).numpy() for n in nets] for k, nets in courses.items()}
    for steps in runs.values():
        fits = [
            all(np.abs(values[s] - rows).max() < 1e-5 for s, rows in steps.items())
            for values in true.values()
        ]
        assert any(fits), sorted(steps)


def test_an_interrupted_run_is_continued_and_another_seed_is_not(tmp_path) -> None:
    one, two = course(1, 0, 6), course(2, 0, 6)
    watched(one, tmp_path, 0, 4, 1)
    whole = contents(tmp_path)
    assert watched(one, tmp_path, 2, 6, 1).steps == [0, 1, 2, 3, 4, 5, 6]
    other = watched(two, tmp_path, 0, 1, 1)
    assert other.steps == [0, 1]
    assert {rep.model for rep in other.store.select()} == {"net", "net-2"}
    assert whole.items() <= contents(tmp_path).items()
    third = watched(two, tmp_path, 5, 6, 1)  # no stored step has these weights
    assert third.steps == [5, 6]
    with sim.Monitor(two[6], data(), out=tmp_path, name="net", run=2) as monitor:
        assert monitor.steps == [0, 1]
