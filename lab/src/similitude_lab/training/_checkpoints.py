"""Files of tensors of a training run, which is a `similitude.store.Work`; devices."""

from typing import Any

import torch
from safetensors.torch import load, save
from torch import Tensor

from similitude import __version__
from similitude.errors import InvalidInput, either
from similitude.store import Work


def versions() -> dict[str, str]:
    """The versions that affect the last bits of a training run."""
    return {"similitude": __version__, "torch": torch.__version__}


def write_tensors(work: Work[Any], name: str, tensors: dict[str, Tensor]) -> str:
    """Write a file of tensors, and return its sha256."""
    found = {k: v.detach().cpu().contiguous() for k, v in tensors.items()}
    return work.write(name, save(found, metadata={"similitude": __version__}))


def read_tensors(work: Work[Any], name: str, manifest: Any) -> dict[str, Tensor]:
    """Read a file of tensors, after a check of its sha256."""
    return load(work.read(name, manifest))


def check_device(device: str, option: str = "--cuda") -> None:
    """Raise an error if networks cannot be trained on a device.

    `option` is the option of the command that named it.
    """
    on_the_cpu = either(python="with device='cpu'.", shell=f"without {option}.")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise InvalidInput(
            f"CUDA is not available on this machine; run on the CPU, {on_the_cpu}"
        )
    try:
        float(torch.ones(1, device=device).sum())
    except (RuntimeError, NotImplementedError, AssertionError) as error:
        raise InvalidInput(
            f"PyTorch cannot compute on the device {device!r}; run on the CPU, "
            f"{on_the_cpu}"
        ) from error
