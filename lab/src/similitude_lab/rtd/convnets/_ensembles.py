"""Ensembles: networks of several seeds, against cycles of one network."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...study import (
    Config,
    Figures,
    Frame,
    Scale,
    StudyResult,
    Table,
    described,
    table_of,
)
from ...study._published import published
from ...training.images import Cyclic, ImageTraining
from ._layers_figure import draw_ensembles
from ._representations import (
    ENCODER,
    LOGITS,
    TITLES,
    UNPOOLED,
    OnTestImages,
    dissimilarities,
    extract_networks,
    predictions,
    representations,
)
from ._trainings import fast_geometric, resnets

#: Table 4: standard deviations over pairs of the classical ensemble and of Fast
#: Geometric Ensembling (FGE). The means are in studies.toml.
SPREADS = {"rtd": (0.12, 0.32), "cka": (0.02, 0.003), "disagreement": (0.05, 0.03)}
TABLE_4 = ("table 4", "table 4, relative differences")
ENSEMBLES = ("classical", "fge")
UNPOOLED_TITLES = {"rtd_unpooled": "RTD", "cka_unpooled": "1 - CKA"}


@dataclass(frozen=True, kw_only=True)
class Setting(OnTestImages):
    """Networks of both ensembles, and batches of test images."""

    classical: tuple[ImageTraining, ...]
    cycles: ImageTraining

    @property
    def members(self) -> tuple[int, ...]:
        """Epochs of the members of FGE."""
        schedule = self.cycles.schedule
        assert isinstance(schedule, Cyclic)
        return schedule.members(self.cycles.epochs)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(ENSEMBLES))
    images, batches = setting.images(setting.cycles, rng)
    classical = [config.trained(request) for request in setting.classical]
    cycles = config.trained(setting.cycles)
    members = {
        "classical": {
            f"seed {one.request.seed}": (one, one.epochs[-1]) for one in classical
        },
        "fge": {f"epoch {epoch}": (cycles, epoch) for epoch in setting.members},
    }
    pairs: list[dict[str, Any]] = []
    accuracies: list[dict[str, Any]] = []
    for ensemble, networks in members.items():
        folder = config.parts.path(f"representations-{ensemble}")
        given = (networks, images, batches, folder)
        part = config.parts.keep(ensemble, compare_members, *given)
        for at, (a, b) in enumerate(itertools.combinations(networks, 2)):
            titles = (*TITLES, *UNPOOLED_TITLES)
            scores = {title: round(float(part[title][at]), 6) for title in titles}
            pairs.append({"ensemble": ensemble, "a": a, "b": b, **scores})
        right = [*part["accuracy"].tolist(), float(part["combined"])]
        accuracies += [
            {"ensemble": ensemble, "member": name, "accuracy": accuracy}
            for name, accuracy in zip([*networks, "all"], right, strict=True)
        ]
    values, summary = summarize(Frame(table_of(pairs)))
    return StudyResult(
        values=values,
        tables={
            "pairs": table_of(pairs),
            "summary": summary,
            "accuracies": table_of(accuracies),
        },
    )


def compare_members(
    networks: Mapping[str, Any], images: Any, batches: np.ndarray, folder: Any
) -> dict[str, Any]:
    """All pairs; accuracies of members, and of the sum of their probabilities."""
    extract_networks(networks, images, folder, (ENCODER, UNPOOLED, LOGITS))
    outputs = predictions(folder, images)
    scores: dict[str, Any] = {}
    for layer, titles, predicted in (
        (ENCODER, dict(zip(TITLES, TITLES, strict=True)), outputs),
        (UNPOOLED, {"rtd": "rtd_unpooled", "cka": "cka_unpooled"}, {}),
    ):
        reps = representations(folder, layer)
        found = [dissimilarities(reps, predicted, rows) for rows in batches]
        for title, name in titles.items():
            scores[name] = [
                np.mean([_of(one[title], pair) for one in found])
                for pair in itertools.combinations(networks, 2)
            ]
    accuracy = [(outputs[n].labels == images.labels).mean() for n in networks]
    total = sum(np.exp(out.log_probs) for out in outputs.values())
    combined = (total.argmax(axis=1) == images.labels).mean()
    return {**scores, "accuracy": accuracy, "combined": combined}


def _of(scored: Mapping[Any, float], pair: tuple[str, str]) -> float:
    return scored[pair] if pair in scored else scored[pair[::-1]]


def summarize(pairs: Frame) -> tuple[dict[str, float], Table]:
    """Means and standard deviations over pairs, and relative differences.

    The paper has one number for the features, pooled or not.
    """
    values: dict[str, float] = {}
    printed = published("rtd", *TABLE_4)
    theirs: dict[str, float] = {}
    for title in (*SPREADS, *UNPOOLED_TITLES):
        shown = title.removesuffix("_unpooled")
        for ensemble, spread in zip(ENSEMBLES, SPREADS[shown], strict=True):
            name = f"{ensemble}_{title}"
            scores = pairs.where(ensemble=ensemble)[title]
            values |= {name: scores.mean(), f"{name}_sd": scores.std(ddof=1)}
            theirs |= {name: printed[f"{shown}_{ensemble}"], f"{name}_sd": spread}
        classical, fge = (values[f"{ensemble}_{title}"] for ensemble in ENSEMBLES)
        values[f"relative_{title}"] = (classical - fge) / classical
        theirs[f"relative_{title}"] = printed[f"{shown}_relative"]
    table = table_of(
        {"quantity": name, "ours": values[name], "published": number}
        for name, number in theirs.items()
    )
    for title in ("rtd", "cka"):
        gap = values[f"relative_{title}"] - values["relative_disagreement"]
        values[f"gap_{title}"] = abs(gap)
    return values, table


def draw(result: StudyResult) -> Figures:
    figure = draw_ensembles(result.frame("pairs"), published("rtd", *TABLE_4), SPREADS)
    return {"ensembles": figure}


def _setting(scale: Scale, members: int = 4, **batches: int) -> Setting:
    # RTD depends on the width, so these networks have the published one.
    width = {} if scale == "smoke" else {"multiplier": 1.0}
    networks = resnets(scale, members, **width)
    cycles = fast_geometric(scale, networks[0], members)
    return Setting(classical=networks, cycles=cycles, **batches)


STUDY = described(
    "rtd/ensembles",
    run,
    draw,
    settings={
        "smoke": _setting("smoke", batches=2, batch=50),
        "small": _setting("small", members=3),
        "paper": _setting("paper"),
    },
    version=4,
    trainings=lambda setting: (*setting.classical, setting.cycles),
)
