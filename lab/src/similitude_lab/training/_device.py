"""Devices of PyTorch."""

import torch

from similitude.errors import InvalidInput, either


def check_device(device: str) -> None:
    """Raise an error if a CUDA device is requested and there is none."""
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise InvalidInput(
            "CUDA is not available on this machine; run on the CPU, "
            + either(python="with device='cpu'.", shell="without --cuda.")
        )
