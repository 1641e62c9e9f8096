"""`similitude study train`: plan, training into the cache, nothing to repeat."""

from pathlib import Path

import pytest

import similitude as sim
from cli.command import run
from similitude_lab import study as studies
from similitude_lab.training.images import ImageTraining

REQUESTS = tuple(
    ImageTraining(
        network="vgg11",
        multiplier=0.02,
        dataset="digits",
        images=64,
        epochs=2,
        seed=seed,
    )
    for seed in (0, 1)
)


@pytest.fixture
def small_trainings(monkeypatch, tmp_path: Path) -> Path:
    """The studies request trainings that take less than a second."""
    monkeypatch.setattr(studies, "shared_trainings", lambda names, scale: REQUESTS)
    return tmp_path / "cache"


def test_train_prints_a_plan_and_trains_what_is_missing(
    capsys, small_trainings
) -> None:
    with sim.config(cache_dir=small_trainings, progress="off"):
        planned = run(capsys, "study", "train", "--plan")
        assert not small_trainings.exists()
        assert "0 of   2 epochs  VGG-11 on digits, seed 1" in planned.out
        assert "2 training runs in" in planned.out
        assert "2 to train, about" in planned.out
        trained = run(capsys, "study", "train")
        assert trained.out.count("accuracy 0.") == 2
        assert len(list(small_trainings.rglob("epoch-002.safetensors"))) == 2
        again = run(capsys, "study", "train")
        assert "2 of   2 epochs" in again.out
        assert "0 to train." in again.out


def test_train_says_that_a_study_does_not_share_trainings(capsys) -> None:
    found = run(capsys, "study", "train", "rtd/clusters")
    assert found.out == "These studies do not share training runs.\n"


def test_train_has_two_scales(capsys) -> None:
    run(capsys, "study", "train", "--scale", "smoke").assert_one_line(
        "choose from small, paper"
    )


def test_train_names_the_command_that_fetches_missing_data(capsys, tmp_path) -> None:
    with sim.config(cache_dir=tmp_path, progress="off"):
        found = run(capsys, "study", "train", "rtd/layers")
    found.assert_one_line("similitude data fetch cifar10")
