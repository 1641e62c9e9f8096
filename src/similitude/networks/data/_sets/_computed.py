"""Data sets that need no files: digits of scikit-learn."""

from importlib.util import find_spec
from typing import Any

import numpy as np

from ....errors import SimilitudeError
from ....representation import fingerprint
from .._dataset import Dataset
from ._entry import Entry


class Digits(Entry):
    """1,797 gray digits of 8 x 8 pixels with values 0 to 16."""

    @property
    def present(self) -> bool:
        return find_spec("sklearn") is not None

    def read(self, split: str, **options: Any) -> Dataset:
        self.no_options(options)
        try:
            from sklearn.datasets import load_digits  # type: ignore[import-untyped]
        except ImportError as error:
            raise SimilitudeError(
                "the data set digits is part of scikit-learn: pip install scikit-learn."
            ) from error
        bunch = load_digits()
        images = bunch.images.astype(np.uint8)
        labels = bunch.target.astype(np.int64)
        return Dataset(
            name=self.name,
            split=split,
            inputs=images,
            labels=labels,
            class_names=tuple("0123456789"),
            # The same as for files: sha256 of the two sha256.
            fingerprint=fingerprint(np.array([*map(fingerprint, (images, labels))])),
            origin=self.source,
        )


DIGITS = Digits(
    name="digits",
    about="1,797 digits, 8 x 8, 10 classes",
    source="scikit-learn",
    license="CC BY 4.0",
    splits=("all",),
)
