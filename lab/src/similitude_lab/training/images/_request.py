"""The configuration of a training run; its digest names the folder of checkpoints."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from similitude.errors import InvalidInput
from similitude.plugins import (
    check_at_least,
    check_not_negative,
    check_one_of,
    check_positive,
)
from similitude.store import digest_of

from ._images import DATASETS
from ._schedules import Constant, Cyclic, HoldThenLinear

VERSION = 1  # of the training procedure; a change invalidates all caches
NETWORKS = ("resnet20", "vgg11")
TITLES = {"resnet20": "ResNet-20", "vgg11": "VGG-11"}


@dataclass(frozen=True, kw_only=True)
class ImageTraining:
    """A network, its data, and the training. Equal values give equal weights.

    Training is SGD with momentum on the cross-entropy.

    Parameters
    ----------
    network
        ``"resnet20"`` or ``"vgg11"``; see `similitude_lab.networks`.
    multiplier
        Factor of all widths of the network.
    dataset
        A data set of images, such as ``"cifar10"``.
    classes
        Only images of these classes, which become 0, 1, ... in this order. [default:
        all]
    images
        Number of training images: the first ones of the data set. [default: all]
    epochs
        Passes over the training images.
    batch
        Images per step.
    seed
        Seed of initial weights, order of images and augmentation.
    schedule
        Learning rate. The default is that of the RTD paper's table 9.
    encoder_schedule
        Learning rate of all layers except the classifier. [default: `schedule`]
    start
        Begin with the final weights of that training. If data set or classes differ,
        the classifier is new.
    momentum, weight_decay
        Options of SGD.
    crop
        Images are moved by a random number of pixels up to this one, with black
        borders.
    flip
        Half of the images, at random, are mirrored.
    tested
        Number of test images for the accuracy after each epoch. [default: all]

    Examples
    --------
    >>> first = ImageTraining(network="vgg11", dataset="digits", epochs=2, seed=0)
    >>> str(first), first.digest()[:8]
    ('VGG-11 on digits, seed 0', '6dc3a9b5')
    """

    network: Literal["resnet20", "vgg11"]
    dataset: str
    epochs: int
    seed: int
    multiplier: float = 1.0
    classes: tuple[int, ...] | None = None
    images: int | None = None
    batch: int = 128
    schedule: HoldThenLinear | Constant | Cyclic = field(default_factory=HoldThenLinear)
    encoder_schedule: HoldThenLinear | Constant | Cyclic | None = None
    start: "ImageTraining | None" = None
    momentum: float = 0.9
    weight_decay: float = 0.0005
    crop: int = 0
    flip: bool = False
    tested: int | None = None

    def __post_init__(self) -> None:
        # Equal values must have equal digests: 1 and 1.0 differ as JSON.
        for name in ("multiplier", "momentum", "weight_decay"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(map(int, self.classes)))
        check_one_of("network", self.network, NETWORKS)
        check_one_of("dataset", self.dataset, tuple(DATASETS))
        check_positive("multiplier", self.multiplier)
        check_not_negative("momentum", self.momentum)
        check_not_negative("weight_decay", self.weight_decay)
        for name, least in (("epochs", 1), ("batch", 1), ("seed", 0), ("crop", 0)):
            check_at_least(name, getattr(self, name), least)
        for name in ("images", "tested"):
            if getattr(self, name) is not None:
                check_at_least(name, getattr(self, name), 1)
        start = self.start
        if start is None:
            return
        for name in ("network", "multiplier"):
            if getattr(start, name) != getattr(self, name):
                raise InvalidInput(
                    f"start has {name}={getattr(start, name)!r}, but this training has "
                    f"{getattr(self, name)!r}; weights fit only the same network."
                )

    @property
    def title(self) -> str:
        """The usual name of the network."""
        return TITLES[self.network]

    @property
    def new_classifier(self) -> bool:
        """Whether the classifier of `start` does not fit these classes."""
        start = self.start
        return start is None or (start.dataset, start.classes) != (
            self.dataset,
            self.classes,
        )

    def to_json(self) -> dict[str, Any]:
        """All options as JSON values."""
        found: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        found["classes"] = None if self.classes is None else list(self.classes)
        found["start"] = None if self.start is None else self.start.to_json()
        for name in ("schedule", "encoder_schedule"):
            value = found[name]
            if value is not None:
                found[name] = {"kind": type(value).__name__, **vars(value)}
        return found

    def digest(self) -> str:
        """sha256 of all options; it names the folder of the checkpoints."""
        return digest_of({"version": VERSION, **self.to_json()})

    def __str__(self) -> str:
        text = f"{self.title} on {self.dataset}"
        if self.classes is not None:
            text += f" (classes {', '.join(map(str, self.classes))})"
        text += f", seed {self.seed}"
        if isinstance(self.schedule, Cyclic):
            text += ", cyclic rate"
        elif self.start is not None:
            text += ", fine-tuned"
        return text


def with_starts(requests: Iterable[ImageTraining]) -> tuple[ImageTraining, ...]:
    """The training runs without repetitions, each one after the run it starts from."""
    found: dict[ImageTraining, None] = {}
    for request in requests:
        if request.start is not None:
            found |= dict.fromkeys(with_starts([request.start]))
        found[request] = None
    return tuple(found)
