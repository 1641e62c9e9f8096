"""The sizes of the language studies at each scale, and their data."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...study import Config
from ._encoders import KINDS, EncoderOptions
from ._reviews import reviews_task
from ._texts import LanguageTask, Sizes, debian_task, synthetic_task

LANGUAGES = ("en", "fr")
#: What config.json of the poster's encoders has.
POSTER = {"model_type": "roberta", "hidden_size": 768, "num_hidden_layers": 12}
MARGIN = 10.0  # points above the most frequent class, for a verdict


@dataclass(frozen=True)
class TextSetting:
    """Data, anchors and encoders.

    `anchors` are drawn by each seed from `sizes.anchors` texts of each class.
    """

    seeds: int
    classes: int
    sizes: Sizes
    anchors: int
    head_epochs: int = 20
    synthetic: bool = False
    encoders: EncoderOptions = field(default_factory=EncoderOptions)


SMOKE = TextSetting(
    seeds=2,
    classes=3,
    sizes=Sizes(train=24, test=20, validation=8, anchors=14),
    anchors=40,
    head_epochs=8,
    synthetic=True,
    encoders=EncoderOptions(
        width=16,
        columns=8,
        vocabulary=60,
        tokens=12,
        epochs=(12, 4),
        rates=(1e-2, 1e-2),
        batch=16,
    ),
)
SMALL = TextSetting(
    seeds=5,
    classes=10,
    sizes=Sizes(train=160, test=100, validation=48, anchors=40),
    anchors=256,
)
PAPER = TextSetting(
    seeds=5,
    classes=10,
    sizes=Sizes(train=220, test=150, validation=50, anchors=100),
    anchors=768,
    encoders=EncoderOptions(
        width=768,
        columns=768,
        vocabulary=30_000,
        tokens=512,
        layers=12,
        dropout=0.1,
        epochs=(40, 40),
        rates=(1e-3, 1e-4),
    ),
)


def derived(seed: int, *key: int) -> int:
    """Another seed for each key."""
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1)[0])


def tasks(
    config: Config, setting: TextSetting, seed: int, further: tuple[str, ...] = ()
) -> dict[str, tuple[str, LanguageTask]]:
    """Name of a network to its kind and its task.

    The networks of English and a `further` language only use n-grams.
    """
    options = (setting.classes, setting.sizes, seed)
    if config.data is not None:
        task = reviews_task(config.data, LANGUAGES, setting.anchors)
    elif setting.synthetic:
        task = synthetic_task(*options)
    else:
        task = debian_task(LANGUAGES, *options)
    found = {kind: (kind, task) for kind in KINDS}
    if config.data is None and not setting.synthetic:
        for language in further:
            other = debian_task(("en", language), *options)
            found[f"ngrams-{language}"] = "ngrams", other
    return found


def has_poster_encoders(data: Path | None) -> bool:
    """Whether the folder has encoders of both languages that are like the poster's."""
    if data is None:
        return False
    for language in LANGUAGES:
        path = data / "encoders" / language / "config.json"
        try:
            config = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            return False
        if not (isinstance(config, dict) and POSTER.items() <= config.items()):
            return False
    return True
