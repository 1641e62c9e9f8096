"""All pairs of all layers under every measure of points, and questions to them."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from networks import Network

import similitude as sim
from similitude import Measure


@dataclass(frozen=True)
class Place:
    """A layer of a network."""

    network: Network
    layer: str

    @property
    def label(self) -> str:
        state = "" if self.network.trained else "untrained "
        return f"{state}{self.network.architecture}-{self.network.seed} {self.layer}"

    @property
    def values(self) -> np.ndarray:
        return self.network.layers[self.layer]


@dataclass(frozen=True)
class Score:
    """One pair under one measure; `value` is None where it is undefined."""

    measure: Measure
    a: Place
    b: Place
    value: float | None
    reason: str = ""
    details: dict | None = None


def compare(
    measures: Iterable[Measure], places: list[Place], tick: Callable[[], None]
) -> list[Score]:
    """Prepare every place once for each measure, then compare all pairs."""
    scores = []
    for measure in measures:
        prepared = [measure.prepare(place.values) for place in places]
        for (a, p), (b, q) in itertools.combinations(
            zip(places, prepared, strict=True), 2
        ):
            try:
                scores.append(Score(measure, a, b, score(measure, p, q)))
            except sim.Undefined as error:
                scores.append(Score(measure, a, b, None, str(error)))
            tick()
    return scores


def same_layer(
    measure: Measure, places: list[Place], tick: Callable[[], None]
) -> list[Score]:
    """A heavy measure, only where trained networks are compared layer by layer."""
    scores = []
    for a, b in topological_pairs(places):
        p, q = measure.prepare(a.values), measure.prepare(b.values)
        value, details = float(measure.compare(p, q)), measure.details(p, q)
        scores.append(Score(measure, a, b, value, details=details))
        tick()
    return scores


def topological_pairs(places: list[Place]) -> list[tuple[Place, Place]]:
    return [
        (a, b)
        for a, b in itertools.combinations(places, 2)
        if other_seed(a, b) or other_architecture(a, b)
    ]


def score(measure: Measure, p: object, q: object) -> float:
    """Of a pair without order: for a measure with a direction, the mean of both."""
    there = float(measure.compare(p, q))
    if measure.claims().symmetric:
        return there
    return (there + float(measure.compare(q, p))) / 2


def values(scores: list[Score], name: str, question: Callable) -> np.ndarray:
    """Defined scores of one measure for the pairs that a question is about."""
    chosen = [
        s.value
        for s in scores
        if s.measure.name == name and s.value is not None and question(s.a, s.b)
    ]
    return np.asarray(chosen)


def other_seed(a: Place, b: Place, *, trained: bool = True) -> bool:
    """Same architecture, same layer, another seed."""
    return (
        a.network.architecture == b.network.architecture
        and a.layer == b.layer
        and a.network.seed != b.network.seed
        and a.network.trained == b.network.trained == trained
    )


def untrained(a: Place, b: Place) -> bool:
    """The same question to networks that have learnt nothing."""
    return other_seed(a, b, trained=False)


def other_architecture(a: Place, b: Place) -> bool:
    """Same depth, the other architecture, both trained."""
    return (
        a.network.architecture != b.network.architecture
        and a.layer == b.layer
        and a.network.trained
        and b.network.trained
    )


def first_and_last(a: Place, b: Place) -> bool:
    """The two ends of networks of one architecture, trained, with other seeds."""
    return (
        {a.layer, b.layer} == {"one", "logits"}
        and a.network.architecture == b.network.architecture
        and a.network.seed != b.network.seed
        and a.network.trained
        and b.network.trained
    )


QUESTIONS: dict[str, Callable[[Place, Place], bool]] = {
    "layer": other_seed,
    "layer, untrained": untrained,
    "depth, mlp vs cnn": other_architecture,
    "first vs last layer": first_and_last,
}
# One of each kind; `similitude measures` lists all there are.
NAMES = ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "linear_regression")
MEASURES = [sim.MEASURES[name] for name in NAMES]
RTD = sim.MEASURES["rtd"]
