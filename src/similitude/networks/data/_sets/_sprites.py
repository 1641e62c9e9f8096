"""dSprites: white shapes on black, with known factors of variation."""

from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InvalidInput
from ....representation import fingerprint
from .._cache import Builder
from .._clients import Progress
from .._dataset import Dataset
from .._formats import _dsprites as dsprites
from ._entry import Entry


class Sprites(Entry):
    """The official file if it was given, otherwise generated images like them.

    The label is the shape. `Dataset.factors` has the classes of the five factors.
    """

    def fetch(self, folder: Path, out: Builder, progress: Progress) -> None:
        out.array("sprites", [dsprites.render_sprites()])

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        files = [source] if source.is_file() else sorted(source.glob("dsprites*.npz"))
        if not files:
            raise InvalidInput(
                f"{source} is not a copy of dSprites: give {self.local}."
            )
        factors = dsprites.npz_factors(files[0])
        out.array("factors", [factors.astype(np.uint8)])
        if out.array("packed_images", dsprites.packed_npz(files[0])) != len(factors):
            raise InvalidInput(
                f"{files[0]} has {len(factors)} latents for another number of images."
            )

    def read(self, split: str, **options: Any) -> Dataset:
        self.no_options(options)
        files = self.files()
        if files.has("sprites.npy"):
            source = files.array("sprites.npy")
            images: dsprites.LazyImages = dsprites.SlidImages(source)
            factors = dsprites.factors(len(images))
        else:
            images = dsprites.PackedImages(files.array("packed_images.npy"))
            factors = files.array("factors.npy").astype(np.int64)
        sums = files.manifest.files
        generated = files.has("sprites.npy")
        return Dataset(
            name="dSprites-like" if generated else self.name,
            split=split,
            inputs=images,
            labels=np.ascontiguousarray(factors[:, 0]),
            class_names=dsprites.SHAPES,
            fingerprint=fingerprint(np.array([sums[name] for name in sorted(sums)])),
            origin=files.manifest.source,
            factors=dict(zip(dsprites.SIZES, factors.T, strict=True)),
        )


DSPRITES = Sprites(
    name="dsprites",
    about="737,280 binary images, 64 x 64, 3 shapes",
    source="generated, dSprites-like",
    license="MIT",
    splits=("all",),
    bytes=6_500_000,
    room=20_000_000,
    local="the official dsprites_*.npz file",
)
