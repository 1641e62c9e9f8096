"""The arms of densification: fine-tuning with several values of beta."""

from dataclasses import asdict, dataclass

import numpy as np

from similitude.latent.align import class_scores
from similitude.latent.stitching import Cell, StitchingTable
from similitude.topology import suggest_beta

from ...study import Config
from ._encoders import KINDS
from ._fine_tuned import Arrays, Run, Tuning, deaths_of, predictions
from ._setting import TextSetting, derived
from ._texts import LanguageTask

Found = dict[tuple[str, int], Arrays]  # (language, seed) -> results
SUGGESTED = 0.5  # times the mean largest death, the middle suggestion
PLAIN, DENSE = "robust", "densified"


@dataclass(frozen=True)
class Setting:
    """Texts, encoders and fine-tuning.

    `factors` times the mean largest death are the values of beta, for n-grams and for
    the transformer.
    """

    texts: TextSetting
    tuning: Tuning
    factors: tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Arms:
    """Results of one kind of network, by arm."""

    task: LanguageTask
    betas: dict[str, float]  # by arm, without the plain one
    found: dict[str, Found]

    @property
    def beta(self) -> float:
        return self.betas[DENSE]


def all_arms(config: Config, kind: str, task: LanguageTask, seed: int) -> Arms:
    """Train, suggest beta from the networks without densification, train again."""
    setting: Setting = config.setting
    options = setting.texts
    runs = {
        (language, number): Run(
            kind=kind,
            texts=texts,
            classes=len(task.classes),
            anchors=min(options.anchors, len(texts.anchors)),
            encoders=options.encoders,
            tuning=setting.tuning,
            seed=derived(seed, number, at, KINDS.index(kind)),
            draw=derived(seed, number),
            device=config.device,
        )
        for number in range(options.seeds)
        for at, (language, texts) in enumerate(task.draw(number).items())
    }
    plain = {
        (language, number): config.parts.keep(f"{kind}-{language}-{number}", one.before)
        for (language, number), one in runs.items()
    }
    pooled = deaths_of(np.concatenate([p["validation_post"] for p in plain.values()]))
    factors = setting.factors[KINDS.index(kind)]
    suggested = suggest_beta(pooled, factors=factors)["mean_largest"]
    betas, found = {}, {PLAIN: plain}
    for factor, beta in zip(factors, suggested, strict=True):
        arm = DENSE if factor == SUGGESTED else f"{DENSE}_{factor:g}"
        betas[arm] = beta
        found[arm] = {
            (language, number): config.parts.keep(
                f"{kind}-{language}-{number}-{factor:g}",
                one.densified,
                *(plain[language, number], beta),
            )
            for (language, number), one in runs.items()
        }
    return Arms(task, betas, found)


def stitched(arms: Arms) -> StitchingTable:
    """Every decoder with every encoder, for every arm and seed."""
    task, cells = arms.task, []
    targets = {lang: texts.test_labels for lang, texts in task.draw(0).items()}
    for arm, results in arms.found.items():
        for (encoder, seed), rows in results.items():
            for decoder in task.languages:
                guess = predictions(rows["rows"], results[decoder, seed])
                found = class_scores(guess, targets[encoder], ordinal=task.ordinal)
                cells.append(
                    Cell(
                        encoder=encoder,
                        decoder=decoder,
                        home=decoder,
                        transform=arm,
                        seed=seed,
                        status="ok",
                        reason="",
                        **asdict(found),
                        predictions=tuple(map(int, guess)),
                        job="",
                    )
                )
    return StitchingTable(tuple(cells), targets)
