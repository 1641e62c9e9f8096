"""All models of a setting at the inputs of one split: one pass of each network."""

from os import PathLike
from typing import Unpack

import numpy as np

from similitude.errors import InvalidInput, check_extra
from similitude.inputs import SoftmaxModel

from ..training._data import Samples, load_data
from ..training._models import load_model
from ..training._setting import Experiment, Setting
from ._request import File, Request, Where, as_request

__all__ = ["evaluate_models"]

BATCH = 1024  # images at a time


def load_samples(request: Request) -> Samples:
    """The inputs at which models are compared, and their labels."""
    check_extra("models of closeness in distribution", "torch")
    samples: Samples = getattr(load_data(request.experiment.dataset), request.split)
    return samples


def evaluate(
    request: Request, setting: Setting, samples: Samples, file: File
) -> SoftmaxModel:
    """The model of a checkpoint at all inputs of a split."""
    import torch

    device = request.device
    networks = load_model(file.path, nonlinearity=setting.nonlinearity).to(device)
    f = []
    with torch.no_grad():
        for start in range(0, len(samples), BATCH):
            rows = slice(start, start + BATCH)
            x = samples.inputs(rows, torch.float32).to(device)
            f.append(networks.embeddings(x).cpu().numpy())
        g = networks.unembeddings().cpu().numpy()
    return SoftmaxModel(np.concatenate(f), g)


def evaluate_models(
    experiment: Experiment, checkpoints: str | PathLike[str], **where: Unpack[Where]
) -> dict[int, SoftmaxModel]:
    """Embeddings and unembeddings of each seed; the experiment has one setting.

    See `measure_distances` for the parameters.
    """
    settings = list(experiment.settings())
    if len(settings) != 1:
        raise InvalidInput(
            f"these configurations have {len(settings)} settings; choose one width and "
            f"one norm option."
        )
    request = as_request(experiment, checkpoints, None, where)
    files, samples = request.files(settings[0]), load_samples(request)
    return {one.seed: evaluate(request, settings[0], samples, one) for one in files}
