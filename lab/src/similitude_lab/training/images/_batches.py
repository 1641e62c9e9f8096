"""The training images of each step: order and augmentation follow from the seed."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from ._images import SIDE, load_pixels, scales
from ._request import ImageTraining

ROWS = 500  # images of one pass in an evaluation


class Batches:
    """The images of a training run, on its device, as bytes."""

    def __init__(self, request: ImageTraining, device: str = "cpu") -> None:
        self.request, self.device = request, device
        pixels, labels, _, self.fingerprint = load_pixels(
            request.dataset, "train", request.classes, request.images
        )
        crop = request.crop
        frame = [(0, 0), (crop, crop), (crop, crop), (0, 0)]
        self._pixels = torch.from_numpy(np.pad(pixels, frame)).to(device)
        self._labels = torch.from_numpy(labels).to(device)
        pixels, labels, _, _ = load_pixels(
            request.dataset, "test", request.classes, request.tested
        )
        self._test_pixels = torch.from_numpy(pixels).to(device)
        self._test_labels = torch.from_numpy(labels).to(device)
        mean, deviation = scales(request.dataset)
        self._mean = torch.from_numpy(255 * mean[:, 0, 0]).to(device)
        self._deviation = torch.from_numpy(255 * deviation[:, 0, 0]).to(device)

    @property
    def steps(self) -> int:
        """Steps of one epoch. The last batch of an epoch may be smaller."""
        return -(-len(self._labels) // self.request.batch)

    def epoch(self, number: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Inputs and labels of all steps of an epoch, counted from 1."""
        request, count = self.request, len(self._labels)
        rng = np.random.default_rng([request.seed, number])
        order = rng.permutation(count)
        corners = rng.integers(2 * request.crop + 1, size=(2, count))
        mirrored = rng.random(count) < (0.5 if request.flip else 0.0)
        line = np.arange(SIDE)
        rows = corners[0][:, None] + line
        columns = corners[1][:, None] + np.where(mirrored[:, None], line[::-1], line)
        for start in range(0, count, request.batch):
            part = slice(start, start + request.batch)
            at = torch.from_numpy(order[part]).to(self.device)
            pixels = self._pixels[
                at[:, None, None],
                torch.from_numpy(rows[part])[:, :, None].to(self.device),
                torch.from_numpy(columns[part])[:, None, :].to(self.device),
            ]
            yield self._inputs(pixels), self._labels[at]

    def test(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Inputs and labels of the test images."""
        for start in range(0, len(self._test_labels), ROWS):
            part = slice(start, start + ROWS)
            yield self._inputs(self._test_pixels[part]), self._test_labels[part]

    def _inputs(self, pixels: Tensor) -> Tensor:
        """Normalized images; channels are last in memory, as in the bytes."""
        return ((pixels - self._mean) / self._deviation).permute(0, 3, 1, 2)
