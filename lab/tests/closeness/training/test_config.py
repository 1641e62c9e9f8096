"""Configuration files are read strictly, and the authors' file names work."""

import json
from pathlib import Path

import pytest

from similitude import InvalidInput
from similitude_lab.closeness import (
    DatasetConfig,
    Experiment,
    TrainConfig,
    VariationsConfig,
    load_config,
    shipped_configs,
)

KINDS = {
    "radial_classification_20000": DatasetConfig,
    "cifar10_0_cls": DatasetConfig,
    "model_variations": VariationsConfig,
    "radial_classification_0_": TrainConfig,
    "cifar10_0_32": TrainConfig,
}
TRAIN = "radial_classification_0_128_ADAM_0_0001.json"


def test_fourteen_configurations_are_shipped_and_valid() -> None:
    assert len(shipped_configs()) == 14
    for name in shipped_configs():
        (kind,) = (kind for start, kind in KINDS.items() if name.startswith(start))
        assert load_config(f"configs/{name}", kind) == load_config(name, kind)


def test_shipped_configurations_have_the_published_values() -> None:
    train = load_config("cifar10_0_32_ADAM_0_0001_20000steps.json", TrainConfig)
    assert (train.batch_size, train.train_steps, train.random_seed) == (32, 20_000, 0)
    assert (train.learning_rate, train.optimizer_type) == (1e-4, "ADAM")
    models = load_config(
        "model_variations_config_resnetcifar10_128_fd5.json", VariationsConfig
    )
    assert (models.model_type, models.rep_dim) == ("ResNetCIFAR10", 5)
    assert models.random_seeds == tuple(range(10))
    assert (models.num_features, models.fix_length_gs) == ((128,), (0,))
    models = load_config("model_variations_config_18_classes.json", VariationsConfig)
    assert models.num_features == (16, 32, 64, 128, 256)
    assert models.fix_length_fs == models.fix_length_gs == (0, 20)


def test_a_file_in_the_folder_comes_before_the_shipped_one(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    fields = json.loads(shipped_configs()[TRAIN].read_text())
    own = tmp_path / "configs" / TRAIN
    own.write_text(json.dumps(fields | {"train_steps": 7}))
    assert load_config(f"configs/{TRAIN}", TrainConfig).train_steps == 7
    assert load_config(TRAIN, TrainConfig).train_steps == 15_000


def test_toml_and_json_give_the_same_configuration(tmp_path: Path) -> None:
    fields = json.loads(shipped_configs()[TRAIN].read_text())
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    path = tmp_path / "train.toml"
    path.write_text("\n".join(lines))
    assert load_config(path, TrainConfig) == load_config(TRAIN, TrainConfig)
    path.write_text("batch_size = [")
    with pytest.raises(InvalidInput, match=r"train\.toml is not a TOML file"):
        load_config(path, TrainConfig)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lr": 0.1}, r"unknown field 'lr'\..* The fields are .*learning_rate"),
        ({"learning_rte": 0.1}, r"Did you mean 'learning_rate'\?"),
        ({"batch_size": "128"}, "batch_size is '128': input should be a valid integer"),
        ({"batch_size": True}, "batch_size is True: input should be a valid integer"),
        ({"batch_size": 0}, "batch_size is 0: .* greater than or equal to 1"),
        ({"train_steps": 1.5}, "train_steps is 1.5"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"optimizer_type": "LBFGS"}, "optimizer_type is 'LBFGS': .*'ADAM' or 'SGD'"),
        ({"use_forward_as_loss": "yes"}, "use_forward_as_loss"),
    ],
)
def test_wrong_fields_are_named(tmp_path: Path, change: dict, message: str) -> None:
    fields = json.loads(shipped_configs()[TRAIN].read_text())
    path = tmp_path / "train.json"
    path.write_text(json.dumps(fields | change))
    with pytest.raises(InvalidInput, match=message) as caught:
        load_config(path, TrainConfig)
    assert "\n" not in str(caught.value)


def test_missing_fields_wrong_json_and_missing_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    path.write_text("{}")
    with pytest.raises(InvalidInput, match="the field 'dataset_name' is missing"):
        load_config(path, TrainConfig)
    for text in ('{"batch_size": 3', "[1]", "", "\x00"):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=r"train\.json: ") as caught:
            load_config(path, TrainConfig)
        assert "\n" not in str(caught.value)
    with pytest.raises(InvalidInput, match="does not exist"):
        load_config(tmp_path / TRAIN, TrainConfig)
    with pytest.raises(InvalidInput, match=f"Did you mean '{TRAIN}'"):
        load_config(TRAIN.replace("ADAM", "ADM"), TrainConfig)


def test_a_repeated_seed_is_an_error(tmp_path: Path) -> None:
    name = "model_variations_config_4_classes.json"
    fields = json.loads(shipped_configs()[name].read_text())
    path = tmp_path / "models.json"
    path.write_text(json.dumps(fields | {"random_seeds": [0, 1, 0]}))
    with pytest.raises(InvalidInput, match="random_seeds contains a value twice"):
        load_config(path, VariationsConfig)


def experiment(data: str, models: str, train: str, **changes: object) -> Experiment:
    return Experiment(
        load_config(data, DatasetConfig),
        load_config(models, VariationsConfig),
        load_config(train, TrainConfig).model_copy(update=changes),
    )


def test_configurations_that_do_not_fit_together_raise() -> None:
    four = "radial_classification_20000_0_cls4.json"
    models = "model_variations_config_4_classes.json"
    for arguments, changes, message in (
        ((four, models.replace("4", "6"), TRAIN), {}, "num_classes is 4 .* and 6"),
        (("cifar10_0_cls10.json", models.replace("4", "10"), TRAIN), {}, "dataset_n"),
        (
            (
                "cifar10_0_cls10.json",
                models.replace("4", "10"),
                "cifar10_0_32_ADAM_0_0001_20000steps.json",
            ),
            {},
            "SmallMLP is for radial_classification",
        ),
        ((four, models, TRAIN), {"use_forward_as_loss": False}, "set it to true"),
    ):
        with pytest.raises(InvalidInput, match=message):
            experiment(*arguments, **changes)


def test_settings_are_in_the_order_of_the_authors() -> None:
    found = experiment(
        "radial_classification_20000_0_cls6.json",
        "model_variations_config_6_classes.json",
        TRAIN,
    ).settings()
    keys = [(s.width, s.fix_length_g, s.fix_length_f) for s in found]
    assert keys[:5] == [(16, 0, 0), (16, 0, 20), (16, 20, 0), (16, 20, 20), (32, 0, 0)]
    assert len(keys) == 20
