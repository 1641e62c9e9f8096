"""Checkpoints of networks that were not trained, under the names of trained ones."""

from pathlib import Path

from safetensors.torch import save_file

from similitude_lab.closeness import Experiment
from similitude_lab.closeness.networks import SoftmaxNetworks

from .small_runs import DATE


def save_models(experiment: Experiment, folder: Path) -> None:
    """Save one model per setting and seed; initial weights are enlarged."""
    folder.mkdir(parents=True, exist_ok=True)
    for setting in experiment.settings():
        for seed in experiment.variations.random_seeds:
            networks: SoftmaxNetworks = setting.networks(seed)
            state = {key: 3.0 * value for key, value in networks.state_dict().items()}
            save_file(state, folder / f"{setting.name(seed, DATE)}.safetensors")
