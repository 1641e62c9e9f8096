"""Decoders of one language with encoders of another: which transform makes it work."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import similitude as sim
from similitude.latent.align import fit_inverse_relative
from similitude.latent.align import relative as rows
from similitude.latent.stitching import (
    Decoder,
    Embeddings,
    PerSeed,
    StitchingData,
    StitchingTable,
    TorchHead,
)

from ...study import Config, Figures, StudyResult, described
from ._encoders import KINDS, embedded, trained
from ._figures import draw_accuracies, draw_differences
from ._setting import PAPER, SMALL, SMOKE, TextSetting, derived, tasks
from ._stitching_values import DIFFERENCES, ON_THE_POSTER, all_values
from ._table import LanguageTables
from ._texts import LanguageTask, Texts


@dataclass(frozen=True)
class Setting:
    """Texts and encoders; languages besides French, for n-grams only."""

    texts: TextSetting
    further: tuple[str, ...] = ()


def arms(width: int) -> dict[str, Any]:
    """Transforms besides absolute rows and Procrustes, which a table always has."""
    return {
        "vanilla": rows.Cosine(),
        "scaled_vanilla": rows.ScaledCosine(),
        "centered": rows.CenteredCosine(),
        "robust": rows.Robust(),
        "whitened": rows.WhitenedCosine(stats="train"),
        "inverse_relative": fit_inverse_relative,
        "inverse_relative_truncated": partial(fit_inverse_relative, rank=width // 4),
    }


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    seed = int(rng.integers(2**31))
    found = tasks(config, setting.texts, seed, setting.further)
    config.parts.expect(2 * setting.texts.seeds * len(found))
    by_network = {
        network: stitched(config, setting.texts, network, what, seed)
        for network, what in found.items()
    }
    tables = LanguageTables(by_network, home="absolute")
    return StudyResult(
        values=all_values(tables, data=config.data),
        tables=tables.all_tables(ON_THE_POSTER, DIFFERENCES),
        notes=tuple(dict.fromkeys(task.origin for _, task in found.values())),
    )


def stitched(
    config: Config,
    setting: TextSetting,
    network: str,
    what: tuple[str, LanguageTask],
    seed: int,
) -> StitchingTable:
    """The table of one kind of network: encoders are trained once per seed."""
    kind, task = what
    members: dict[str, dict[int, Embeddings]] = {name: {} for name in task.languages}
    data = {}
    for number in range(setting.seeds):
        for at, (language, texts) in enumerate(task.draw(number).items()):
            own = derived(seed, number, at, KINDS.index(kind))
            part = config.parts.keep(
                f"{network}-{language}-{number}",
                _rows,
                *(kind, texts, len(task.classes), setting.encoders, own, config.device),
            )
            members[language][number] = Embeddings(**part)
            labels = texts.train_labels, texts.test_labels
            data[language] = StitchingData(*labels, ordinal=task.ordinal)
    folder = config.parts.folder
    head = TorchHead(epochs=setting.head_epochs)
    return sim.latent.stitching.stitching_table(
        {language: PerSeed(by_seed) for language, by_seed in members.items()},
        {language: Decoder(language, head) for language in members},
        data,
        arms(setting.encoders.width),
        range(setting.seeds),
        allow_duplicates=True,  # two packages may have the same translation
        anchors=min(setting.anchors, len(next(iter(task.draw(0).values())).anchors)),
        out=None if folder is None else folder / f"cells-{network}",
        progress=None,
    )


def _rows(kind: str, texts: Texts, *given: Any) -> dict[str, np.ndarray]:
    return embedded(trained(kind, texts, *given), texts)


def draw(result: StudyResult) -> Figures:
    return {
        "accuracies": draw_accuracies(result.frame("cells"), result.values),
        "differences": draw_differences(result.frame("differences")),
    }


STUDY = described(
    "relative/stitching",
    run,
    draw,
    settings={
        "smoke": Setting(texts=SMOKE),
        "small": Setting(texts=SMALL, further=("de", "it")),
        "paper": Setting(texts=PAPER, further=("de", "it")),
    },
    trains=True,
    version=2,
)
