"""A folder of image files, read in batches."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np

from ....errors import InvalidInput, require


class ImageFolder:
    """Batches of the images in a folder and its subfolders, sorted by path.

    `ids` are the paths inside the folder. All images need the same size, unless `size`
    is given; grayscale images become RGB.
    """

    SUFFIXES: ClassVar[frozenset[str]] = frozenset(
        {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm"}
    )

    def __init__(
        self,
        folder: str | Path,
        *,
        batch_size: int = 256,
        size: int | None = None,
        rows: slice | None = None,
    ) -> None:
        self.folder, self.batch_size, self.size = Path(folder), batch_size, size
        files = sorted(
            path
            for path in self.folder.rglob("*")
            if path.suffix.lower() in self.SUFFIXES and path.is_file()
        )
        if not files:
            raise InvalidInput(f"{folder} has no images ({', '.join(self.SUFFIXES)}).")
        self.files = files[rows or slice(None)]
        self.ids = [path.relative_to(self.folder).as_posix() for path in self.files]

    def __iter__(self) -> Iterator[np.ndarray]:
        for start in range(0, len(self.files), self.batch_size):
            files = self.files[start : start + self.batch_size]
            images = [self._read(path) for path in files]
            for path, image in zip(files, images, strict=True):
                if image.shape != images[0].shape:
                    raise InvalidInput(
                        f"{path} has {image.shape[1]} x {image.shape[0]} pixels and "
                        f"{files[0]} has {images[0].shape[1]} x {images[0].shape[0]}; "
                        f"give a size to resize all images."
                    )
            yield np.stack(images)

    def _read(self, path: Path) -> np.ndarray:
        pillow = require("PIL.Image", feature="reading images", extra="images")
        try:
            with pillow.open(path) as image:
                found = image.convert("RGB")
                if self.size is not None:
                    size = (self.size, self.size)
                    found = found.resize(size, pillow.Resampling.BILINEAR)
                return np.asarray(found)
        except OSError as error:
            raise InvalidInput(f"{path} is not a readable image: {error}.") from error
