"""Experiments that train in a second, and the files that a training run leaves."""

from pathlib import Path

from similitude_lab.closeness import (
    DatasetConfig,
    Experiment,
    TrainConfig,
    VariationsConfig,
    load_config,
    replace_fields,
)

DATE = "2026-01-01"


def experiment(
    seeds: tuple[int, ...] = (0, 1),
    widths: tuple[int, ...] = (8,),
    steps: int = 40,
    *,
    points: int = 400,
    batch: int = 64,
    norms: tuple[int, ...] = (0,),
    **training: object,
) -> Experiment:
    """Radial data with four classes; seven batches per epoch."""
    return Experiment(
        replace_fields(
            load_config("radial_classification_20000_0_cls4.json", DatasetConfig),
            num_points=points,
        ),
        replace_fields(
            load_config("model_variations_config_4_classes.json", VariationsConfig),
            random_seeds=seeds,
            num_features=widths,
            fix_length_fs=norms,
            fix_length_gs=(0,),
        ),
        replace_fields(
            load_config("radial_classification_0_128_ADAM_0_0001.json", TrainConfig),
            train_steps=steps,
            batch_size=batch,
            **training,
        ),
    )


def results(folder: Path) -> dict[str, bytes]:
    """Weights, optimizer states and losses by file name; times are in manifests."""
    files = [*folder.glob("*.safetensors"), *folder.parent.glob("metrics/*")]
    return {path.name: path.read_bytes() for path in files}


def unexpected(folder: Path) -> list[str]:
    """Temporary and partial files that a finished training must not leave."""
    files = [*folder.iterdir(), *folder.parent.glob("metrics/*")]
    wrong = (".partial", ".lock")
    names = [path.name for path in files]
    return [n for n in names if n.startswith(".") or any(word in n for word in wrong)]
