"""Training of image classifiers: equal requests give equal weights, epoch by epoch."""

from pathlib import Path

import pytest
import torch

from similitude.errors import InvalidInput
from similitude_lab.training.images import (
    Constant,
    Cyclic,
    HoldThenLinear,
    TrainedImages,
    plan_trainings,
    train_all,
    train_images,
    with_starts,
)

from .small_requests import request


class Interrupted(Exception):
    pass


def weights(trained: TrainedImages, epoch: int) -> dict[str, bytes]:
    state = trained.network(epoch).state_dict()
    return {name: tensor.numpy().tobytes() for name, tensor in state.items()}


def same_weights(
    a: TrainedImages, epoch_a: int, b: TrainedImages, epoch_b: int
) -> bool:
    return weights(a, epoch_a) == weights(b, epoch_b)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("training")


@pytest.fixture(scope="module")
def trained(folder: Path) -> TrainedImages:
    return train_images(request(), folder)


def test_there_is_one_checkpoint_per_epoch_and_one_optimizer_state(trained) -> None:
    assert list(trained.epochs) == [0, 1, 2, 3]
    names = {path.name for path in trained.folder.iterdir()} - {".lock"}
    epochs = {f"epoch-{epoch:03d}.safetensors" for epoch in range(4)}
    assert names == epochs | {"optimizer-003.safetensors", "manifest.json"}
    assert trained.log[0].loss is None
    assert trained.log[3].loss < trained.log[1].loss


def test_the_same_request_gives_the_same_weights_and_another_seed_does_not(
    trained, tmp_path
) -> None:
    again = train_images(request(), tmp_path)
    other = train_images(request(seed=1), tmp_path)
    assert all(same_weights(trained, epoch, again, epoch) for epoch in range(4))
    assert not same_weights(trained, 0, other, 0)


def test_a_finished_training_is_not_repeated(trained, folder) -> None:
    def fail(stage: str, done: int, total: int) -> None:
        raise AssertionError("a step was repeated")

    again = train_images(request(), folder, progress=fail)
    assert again.log == trained.log


@pytest.mark.parametrize("step", [1, 5, 7])
def test_an_interrupted_training_repeats_only_the_unfinished_epoch(
    step, trained, tmp_path
) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if done == step:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_images(request(), tmp_path, progress=interrupt)
    steps: list[int] = []
    resumed = train_images(
        request(), tmp_path, progress=lambda stage, done, total: steps.append(done)
    )
    finished = 3 * ((step - 1) // 3)
    assert steps == list(range(finished + 1, 10))
    assert all(same_weights(trained, epoch, resumed, epoch) for epoch in range(4))


def test_fine_tuning_starts_with_the_last_weights_and_a_new_classifier(
    trained, folder
) -> None:
    tuned = train_images(request(start=request(), classes=(3, 8), epochs=1), folder)
    assert tuned.network(0).head.weight.shape[0] == 2
    before, after = weights(trained, 3), weights(tuned, 0)
    for name in before:
        assert name.startswith("head.") or before[name] == after[name]


def test_cycles_start_with_all_of_the_last_weights(trained, folder) -> None:
    cyclic = request(start=request(), schedule=Cyclic(epochs=2), epochs=1)
    assert same_weights(trained, 3, train_images(cyclic, folder), 0)


def test_the_encoder_follows_its_own_schedule(folder) -> None:
    """With a tiny rate the encoder keeps its weights, but the classifier learns."""
    frozen = request(encoder_schedule=Constant(value=1e-12), weight_decay=0.0, epochs=1)
    tuned = train_images(frozen, folder)
    before, after = (tuned.network(e).state_dict() for e in (0, 1))
    name = "encoder.0.0.weight"
    torch.testing.assert_close(before[name], after[name], rtol=0, atol=1e-9)
    assert (before["head.weight"] - after["head.weight"]).abs().max() > 1e-3


def test_the_starting_training_is_trained_first(tmp_path) -> None:
    tuned = request(start=request(epochs=1), epochs=1)
    assert with_starts([tuned, tuned.start]) == (tuned.start, tuned)
    train_images(tuned, tmp_path)
    plan = plan_trainings([tuned, request(epochs=2)], tmp_path)
    assert [one.finished for one in plan.trainings] == [1, 1, 0]
    assert [one.request for one in plan.missing] == [request(epochs=2)]
    assert plan.seconds > 0
    assert list(train_all([tuned], tmp_path)) == [tuned.start, tuned]


def test_damaged_weights_are_named(tmp_path) -> None:
    trained = train_images(request(epochs=1), tmp_path)
    (trained.folder / "epoch-001.safetensors").write_bytes(b"?")
    with pytest.raises(InvalidInput, match=r"epoch-001.safetensors is damaged"):
        trained.network()


def test_a_wrong_epoch_is_an_error(trained) -> None:
    with pytest.raises(InvalidInput, match="epochs 0 to 3"):
        trained.network(4)


def test_the_digest_depends_on_every_option() -> None:
    changed = [
        request(network="resnet20"),
        request(multiplier=0.04),
        request(images=97),
        request(classes=(0, 1)),
        request(crop=0),
        request(flip=False),
        request(schedule=Constant(value=0.1)),
        request(schedule=HoldThenLinear(hold=0.4)),
        request(encoder_schedule=Constant(value=0.1)),
        request(start=request()),
        request(start=request(seed=1)),
        request(momentum=0.8),
        request(weight_decay=0.0),
    ]
    assert len({one.digest() for one in [request(), *changed]}) == 1 + len(changed)
    assert request(multiplier=1).digest() == request(multiplier=1.0).digest()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"network": "vgg"}, "network"),
        ({"dataset": "radial"}, "dataset"),
        ({"epochs": 0}, "epochs"),
        ({"start": request(multiplier=0.5)}, "multiplier"),
    ],
)
def test_a_wrong_option_is_an_error(changes, text) -> None:
    with pytest.raises(InvalidInput, match=text):
        request(**changes)
