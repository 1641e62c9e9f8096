"""Saved weights and checkpoints: exact, and rejected if they do not match."""

import copy
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from similitude import InvalidInput
from similitude.latent.align.relative import Relative, Robust
from similitude.store import write_sealed
from similitude_lab.training.tuning import (
    Recipe,
    RelativeNetwork,
    Stage,
    fine_tune,
    load_weights,
    predict,
    save_weights,
)
from training.tuning.networks import (
    ANCHORS,
    CLASSES,
    LABELS,
    QUICK,
    TRANSFORMS,
    X,
    assert_same,
    encoder,
    network,
    state,
)


@pytest.mark.parametrize("transform", [*TRANSFORMS, None], ids=str)
def test_reloaded_networks_predict_identical_bits(
    transform: Relative | None, tmp_path: Path
) -> None:
    net, path = network(transform), tmp_path / "deep" / "net.safetensors"
    save_weights(net, path)
    other = network(transform, seed=1)
    assert float((predict(other, X) - predict(net, X)).abs().max()) > 1e-2
    load_weights(other, path)
    np.testing.assert_array_equal(predict(other, X), predict(net, X))
    assert [p.name for p in path.parent.iterdir()] == ["net.safetensors"]


def test_load_weights_rejects_files_that_do_not_match(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_weights(network(Robust()), path)
    with pytest.raises(InvalidInput, match="same transform"):
        load_weights(network(Robust(stats="train")), path)
    narrow = RelativeNetwork(encoder(), Robust(), nn.Linear(4, CLASSES), anchors=X[:4])
    with pytest.raises(InvalidInput, match=r"shape \(9, 8\) in the file and \(4, 8\)"):
        load_weights(narrow, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidInput, match="not a complete safetensors file"):
        load_weights(network(), path)
    with pytest.raises(InvalidInput, match="does not exist"):
        load_weights(network(), tmp_path / "nothing")


def test_shared_weights_are_shared_after_loading(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    net[2].weight = net[0].weight
    save_weights(net, tmp_path / "tied")
    other = copy.deepcopy(net)
    nn.init.zeros_(other[0].weight)
    load_weights(other, tmp_path / "tied")
    assert_same(state(other), state(net))
    assert other[2].weight is other[0].weight


def test_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    recipe, path = Recipe(epochs=3, batch=32, encoder_rate=1e-2, refresh=4), tmp_path

    def run(stop: int | None, checkpoint: Path | None) -> tuple[Any, RelativeNetwork]:
        net = network(dropout=0.5)

        def penalty(stage: Stage) -> torch.Tensor:
            if stage.step == stop:
                raise KeyboardInterrupt
            return 0.01 * stage.post.square().mean()

        options = {"anchors": ANCHORS, "validation": (X, LABELS), "penalty": penalty}
        tuned = fine_tune(
            net, X, LABELS, recipe, rng=3, checkpoint=checkpoint, every=2, **options
        )
        return tuned, net

    whole, net = run(None, None)
    file = path / "runs" / "run.pt"
    for stop in (7, 12):  # within an epoch, and between checkpoints
        with pytest.raises(KeyboardInterrupt):
            run(stop, file)
    again, resumed = run(None, file)
    assert again == whole
    assert_same(state(resumed), state(net))
    finished, last = run(0, file)  # the run is finished: step 0 does not run
    assert finished == whole
    assert_same(state(last), state(net))
    assert [p.name for p in file.parent.iterdir()] == ["run.pt"]


def _sealed(state: Any, path: Path) -> None:
    """Write a checkpoint with a correct checksum, as an attacker could."""
    content = io.BytesIO()
    torch.save(state, content)
    write_sealed(path, content.getvalue())


def test_fine_tune_rejects_checkpoints_of_other_runs(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    fine_tune(network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS, checkpoint=path)
    for change in (
        {"rng": 1},
        {"recipe": Recipe(epochs=3)},
        {"labels": LABELS[::-1].copy()},
    ):
        options = {"rng": 0, "recipe": QUICK, "labels": LABELS} | change
        with pytest.raises(InvalidInput, match="another run"):
            fine_tune(network(), X, anchors=ANCHORS, checkpoint=path, **options)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InvalidInput, match="has changed since it was written"):
        fine_tune(network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS, checkpoint=path)
    _sealed({"schema": 99}, path)
    with pytest.raises(InvalidInput, match="schema 99"):
        fine_tune(network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS, checkpoint=path)


def test_loading_a_checkpoint_does_not_execute_code(tmp_path: Path) -> None:
    class Bad:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    _sealed({"schema": 2, "run": Bad()}, tmp_path / "run.pt")
    with pytest.raises(InvalidInput, match="not a complete checkpoint"):
        fine_tune(
            network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS,
            checkpoint=tmp_path / "run.pt",
        )  # fmt: skip
    assert not (tmp_path / "ran").exists()
