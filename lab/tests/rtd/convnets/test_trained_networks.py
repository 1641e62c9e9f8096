"""Studies of trained networks: shared training runs, resuming, and their statistics."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude_lab import study as studies
from similitude_lab.networks import VGG11, ResNet20
from similitude_lab.rtd.convnets._ensembles import summarize
from similitude_lab.rtd.convnets._layers import BLOCKS, judge
from similitude_lab.rtd.convnets._trainings import fast_geometric, resnets, vggs
from similitude_lab.rtd.curves._correlations import correlation, over_seeds
from similitude_lab.study import Frame

pytest.importorskip("matplotlib")

NAMES = ("rtd/dynamics", "rtd/layers", "rtd/ensembles")
RUN = """
import sys
from similitude_lab.study import run_study
run_study("rtd/layers", scale="smoke", out=sys.argv[1])
"""


def test_a_killed_study_does_not_repeat_finished_epochs(tmp_path: Path) -> None:
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path)], env=env)
    while not list(tmp_path.rglob("epoch-002.safetensors")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("epoch-*")}
    steps: list[int] = []

    def count(stage: str, done: int, total: int) -> None:
        if stage.startswith("training: ResNet-20"):
            steps.append(done)
            for path in list(kept)[:2]:
                assert path.stat().st_mtime_ns == kept[path]

    record = studies.run_study(
        "rtd/layers", scale="smoke", out=tmp_path, progress=count
    )
    assert steps == list(range(steps[0], 25))
    assert steps[0] > 8, "the first epoch was trained again"
    assert record.values
    assert not list(tmp_path.rglob("*.safetensors"))


def test_shared_trainings_are_listed_once_and_starts_come_first() -> None:
    found = studies.shared_trainings(NAMES, "small")
    assert len(found) == len(set(found)) == 11
    wide = resnets("small", 3, multiplier=1.0)
    cycles = fast_geometric("small", wide[0], 3)
    assert cycles in found
    assert found.index(cycles.start) < found.index(cycles)
    assert {*resnets("small", 4), *vggs("small", 3), *wide} < set(found)
    with pytest.raises(sim.InvalidInput, match="choose from small, paper"):
        studies.shared_trainings(NAMES, "smoke")


def test_the_paper_scale_is_the_published_training() -> None:
    for request in studies.shared_trainings(["rtd/dynamics"], "paper"):
        assert (request.epochs, request.batch, request.multiplier) == (100, 128, 1.0)
        assert (request.momentum, request.images) == (0.9, None)
        rate = [request.schedule.rate(e, steps=1, epochs=100) for e in (0, 49, 70, 95)]
        np.testing.assert_allclose(rate, [0.1, 0.1, 0.0505, 0.001])


def test_all_blocks_of_the_paper_are_layers_of_the_networks() -> None:
    for name, network in (("resnet20", ResNet20), ("vgg11", VGG11)):
        layers = {layer for layer, _ in network(multiplier=0.05).named_modules()}
        assert set(BLOCKS[name]) <= layers
    assert [len(BLOCKS[name]) for name in ("resnet20", "vgg11")] == [10, 8]


def test_judged_blocks_of_a_line_and_of_a_remote_last_block() -> None:
    line = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    even = judge(line)
    np.testing.assert_allclose(even["neighbors"], 1 / (16 / 6))
    np.testing.assert_allclose([even["depth"], even["last_step"]], 1)
    np.testing.assert_allclose(even["last_block"], 1)  # as far as the first block
    line[-1, :-1] += 3
    line[:-1, -1] += 3
    far = judge(line)
    np.testing.assert_allclose(far["last_step"], 4)
    np.testing.assert_allclose(far["last_block"], (22 / 4) / (13 / 4))


def test_relative_differences_of_the_published_table() -> None:
    scores = {
        "rtd": (15.27, 10.45),
        "cka": (0.094, 0.033),
        "disagreement": (0.915, 0.607),
    }
    scores |= {f"{name}_unpooled": scores[name] for name in ("rtd", "cka")}
    pairs = {"ensemble": ["classical"] * 2 + ["fge"] * 2} | {
        name: [a - 0.1, a + 0.1, b, b] for name, (a, b) in scores.items()
    }
    values, _ = summarize(Frame(pairs))
    for name, expected in (("rtd", 0.316), ("cka", 0.649), ("disagreement", 0.336)):
        # The published means are rounded to two or three digits.
        np.testing.assert_allclose(values[f"relative_{name}"], expected, atol=1e-3)
    np.testing.assert_allclose(values["classical_rtd_sd"], np.sqrt(0.02))
    assert values["gap_rtd"] < values["gap_cka"]


def test_the_interval_over_seeds_is_that_of_student() -> None:
    found = over_seeds([1.0, 2.0, 3.0, 6.0])
    half = 3.182446 * np.std([1, 2, 3, 6], ddof=1) / 2
    expected = {"mean": 3, "low": 3 - half, "high": 3 + half, "seeds": 4}
    assert found == pytest.approx(expected, rel=1e-6)
    alone = over_seeds([1.0])
    assert np.isnan([alone["low"], alone["high"]]).all()


def test_correlations_of_curves() -> None:
    x = np.array([4.0, 2.0, 1.0, 0.0])
    np.testing.assert_allclose(correlation("spearman", x, x**3), 1)
    assert 0.8 < correlation("pearson", x, x**3) < 1
    assert np.isnan(correlation("pearson", x, np.ones(4)))
