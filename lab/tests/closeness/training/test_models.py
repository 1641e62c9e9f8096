"""Names of checkpoints, and models read from files of ours and of the authors."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import save_file

from shared.close_dist import FOLDER, checkpoints, needs_checkpoints, unseen_points
from similitude import InvalidInput
from similitude_lab.closeness import (
    DatasetConfig,
    Setting,
    TrainConfig,
    find_model,
    load_config,
    load_model,
)
from similitude_lab.closeness.data import CloseDistName, find_close_dist_checkpoints


def setting(**fields: object) -> Setting:
    return Setting(
        **{
            "dataset": load_config(
                "radial_classification_20000_0_cls4.json", DatasetConfig
            ),
            "train": load_config(
                "radial_classification_0_128_ADAM_0_0001.json", TrainConfig
            ),
            "model_type": "SmallMLP",
            "nonlinearity": "leaky_relu",
            "width": 16,
            "dim": 2,
            **fields,
        }
    )


def test_stems_are_those_of_the_authors() -> None:
    assert str(setting().name(3, "2025-04-22")) == (
        "2025-04-22trained_radial_classification_SmallMLP_classes4_seed3_features16"
        "_fd2_data20000_lr0_0001_steps15000"
    )
    name = setting(width=32, fix_length_f=20, fix_length_g=0.5)
    assert str(name.name(0, "2025-04-22", steps=5000)) == (
        "2025-04-22trained_radial_classification_SmallMLP_fixf20_fixg0_5_classes4_seed0"
        "_features32_fd2_data20000_lr0_0001_steps5000"
    )
    with pytest.raises(InvalidInput, match="not the name"):
        setting().name(0, "yesterday")


@needs_checkpoints
def test_stems_of_all_forty_checkpoints() -> None:
    ours = {
        str(setting(width=width).name(seed, "2025-04-22", trained=trained))
        for width in (16, 32, 64, 128)
        for seed in range(5)
        for trained in (True, False)
    }
    assert ours == {str(name) for name in find_close_dist_checkpoints(FOLDER)}


@needs_checkpoints
def test_a_model_of_the_authors_and_our_copy_are_the_same(tmp_path: Path) -> None:
    name = setting(width=64).name(2, "2025-04-22")
    path = find_model(FOLDER, name)
    assert path == FOLDER / str(name)
    x = unseen_points().points
    theirs = load_model(path).softmax_model(x)
    save_file(checkpoints()["trained", 64, 2].state, tmp_path / f"{name}.safetensors")
    shutil.copy(path, tmp_path)
    ours = find_model(tmp_path, name)
    assert ours == tmp_path / f"{name}.safetensors"
    assert find_close_dist_checkpoints(tmp_path) == {name: ours}
    model = load_model(ours)
    assert not model.training
    np.testing.assert_array_equal(model.softmax_model(x).embeddings, theirs.embeddings)
    assert theirs.accuracy(unseen_points().labels) == 0.9950


@pytest.mark.parametrize(
    "model_type", ["SmallMLP", "SmallCIFAR10", "MedCIFAR10", "ResNetCIFAR10"]
)
def test_every_type_of_model_is_read(tmp_path: Path, model_type: str) -> None:
    chosen = setting(model_type=model_type, width=8, dim=3)
    networks = chosen.networks(1)
    path = tmp_path / f"{chosen.name(1, '2026-01-01')}.safetensors"
    save_file(networks.state_dict(), path)
    for key, weights in load_model(path).state_dict().items():
        np.testing.assert_array_equal(weights, networks.state_dict()[key])


def test_checkpoints_of_another_architecture_raise(tmp_path: Path) -> None:
    small = setting(model_type="SmallCIFAR10", width=8)
    name = CloseDistName.parse(str(small.name(0, "2026-01-01")))
    assert find_model(tmp_path, name) is None
    with pytest.raises(InvalidInput, match="does not exist"):
        load_model(tmp_path / f"{name}.safetensors")
    other = setting(model_type="MedCIFAR10", width=8).name(0, "2026-01-01")
    save_file(small.networks(0).state_dict(), tmp_path / f"{other}.safetensors")
    with pytest.raises(InvalidInput, match="another architecture than its name") as e:
        load_model(tmp_path / f"{other}.safetensors")
    assert "\n" not in str(e.value)
    path = tmp_path / f"{name}.safetensors"
    path.write_bytes(b"\x10" * 40)
    with pytest.raises(InvalidInput, match="damaged, truncated"):
        load_model(path)
