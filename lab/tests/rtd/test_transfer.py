"""Transfer between data sets: training runs, classifiers, and a local CIFAR-100."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from shared.published_files import write_cifar100_pickles, write_pickle
from similitude_lab.networks import ResNet20
from similitude_lab.rtd.transfer import _transfer
from similitude_lab.rtd.transfer._trainings import FINE_TUNING, PRETRAINING
from similitude_lab.study import run_study

pytest.importorskip("torch")
pytest.importorskip("matplotlib")


def test_the_trainings_of_the_paper_are_those_of_its_tables() -> None:
    setting = _transfer.STUDY.settings["paper"]
    for before, after in setting.requests(cifar100=False):
        assert after.start == before
        assert (before.dataset, after.dataset) == ("cifar100", "cifar10")
        assert (before.epochs, after.epochs) == (100, 50)
        assert (before.batch, after.batch, after.momentum) == (128, 128, 0.9)
        encoder, classifier = after.encoder_schedule, after.schedule
        ends = [s.rate(step, 1, 50) for s in (encoder, classifier) for step in (0, 49)]
        np.testing.assert_allclose(ends, [0.001, 0.001, 0.1, 0.001])
    assert _transfer.shared(setting) == []  # CIFAR-100 cannot be downloaded


@pytest.mark.parametrize("scale", ["smoke", "small"])
def test_source_and_target_have_no_common_classes(scale: str) -> None:
    before, after = PRETRAINING[scale], FINE_TUNING[scale]
    assert set(before.classes) | set(after.classes) == set(range(10))
    assert not set(before.classes) & set(after.classes)
    local = _transfer.STUDY.settings[scale].requests(cifar100=True)[0]
    assert (local[0].dataset, local[0].classes) == ("cifar100", None)
    assert (local[1].dataset, local[1].classes) == (after.dataset, None)


def test_source_images_are_classified_by_the_classifier_of_the_pretraining() -> None:
    class Trained:
        epochs = range(2)

        def network(self, epoch: int) -> ResNet20:
            return ResNet20(5, multiplier=0.125, seed=epoch)

    head = ResNet20(7, multiplier=0.125, seed=9).head
    with_head = list(_transfer.networks_with(Trained(), head))
    own = list(_transfer.networks_with(Trained()))
    assert [network.head is head for network in with_head] == [True, True]
    assert [network.head.out_features for network in own] == [5, 5]
    np.testing.assert_array_equal(
        with_head[1].encoder[0][0].weight.detach(),
        own[1].encoder[0][0].weight.detach(),
    )


def test_a_missing_cifar100_is_one_sentence_with_the_command(tmp_path: Path) -> None:
    with (
        sim.config(cache_dir=tmp_path),
        pytest.raises(sim.SimilitudeError, match="similitude data fetch cifar100"),
    ):
        run_study("rtd/transfer", scale="paper", out=tmp_path)


def test_a_local_cifar100_is_the_source(tmp_path: Path) -> None:
    folder = write_cifar100_pickles(tmp_path / "local")
    rng = np.random.default_rng(0)
    for split, count in (("train", 128), ("test", 100)):
        fine = rng.integers(100, size=count)
        images = rng.integers(256, size=(count, 32, 32, 3), dtype=np.uint8)
        images[np.arange(count), 0] = fine[:, None, None]
        labels = {"fine_labels": fine.tolist(), "coarse_labels": [0] * count}
        write_pickle(folder / "cifar-100-python" / split, images, labels)
    cache = tmp_path / "cache"
    with sim.config(cache_dir=cache):
        record = run_study(
            "rtd/transfer", scale="smoke", out=tmp_path / "out", data=folder
        )
    assert "Source: 128 images of cifar100" in record.notes[0]
    assert record.values["accuracy_source_after"] < 0.2  # of a hundred classes
    assert not cache.exists()  # neither the copy nor the networks stay in the cache
