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
    """The studies request training runs that take less than a second."""
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


def test_train_says_that_a_study_trains_nothing(capsys) -> None:
    found = run(capsys, "study", "train", "rtd/clusters")
    assert found.out == "rtd/clusters trains no networks.\n"


@pytest.mark.parametrize("name", studies.STUDIES)
def test_every_study_that_trains_has_a_plan_of_its_training(name, monkeypatch, capsys):
    monkeypatch.setattr("similitude_lab.training.images.plan_trainings", _no_times)
    found = run(capsys, "study", "train", name, "--scale", "paper", "--plan")
    study = studies.find_study(name)
    shared = study.trainings(study.settings["paper"])
    expected = "training runs in" if shared else f"{name} trains its networks in its"
    assert (expected if study.trains else f"{name} trains no networks.") in found.out


def _no_times(requests, **options):
    from similitude_lab.training.images._plan import PlannedTraining, TrainingPlan

    return TrainingPlan(tuple(PlannedTraining(one, 0, 1.0) for one in requests))


def test_train_runs_a_study_that_shares_no_networks(capsys, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(
        "similitude_lab.study._commands._run",
        lambda found, scale, **options: asked.append((found.name, scale, options)),
    )
    name = "rtd/transfer"  # at the scale paper its data are a folder of the user
    words = ["--data", "cifar-100-python", "--device", "cuda:1", "--out", "here"]
    run(capsys, "study", "train", name, "--scale", "paper", *words)
    folders = {"data": Path("cifar-100-python"), "out": Path("here")}
    assert asked == [(name, "paper", {"device": "cuda:1", **folders})]


def test_train_has_two_scales(capsys) -> None:
    run(capsys, "study", "train", "--scale", "smoke").assert_one_line(
        "choose from small, paper"
    )


def test_train_names_the_command_that_fetches_missing_data(capsys, tmp_path) -> None:
    with sim.config(cache_dir=tmp_path, progress="off"):
        found = run(capsys, "study", "train", "rtd/layers")
    found.assert_one_line("similitude data fetch cifar10")
