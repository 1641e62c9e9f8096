"""Labeled texts in two languages: training texts differ, anchors are translations."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import InvalidInput

Strings = Sequence[str]


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of one language for one seed."""

    train: Strings
    test: Strings
    validation: Strings
    anchors: Strings  # text i is a translation of text i of the other language
    train_labels: np.ndarray
    test_labels: np.ndarray
    validation_labels: np.ndarray
    pretrained: Path | None = None  # folder of an encoder of this language


@dataclass(frozen=True, eq=False)
class LanguageTask:
    """A classification task in two languages.

    `draw` gives the texts by language for a seed. Test texts and labels are the same
    for all seeds. Training labels are the same, too; training texts may differ.
    """

    languages: tuple[str, str]
    classes: tuple[str, ...]
    about: str
    draw: Callable[[int], dict[str, Texts]]
    ordinal: bool = False

    @property
    def origin(self) -> str:
        """A sentence on the texts, and on the weights with which encoders begin."""
        start = "random weights"
        if all(texts.pretrained for texts in self.draw(0).values()):
            start += " (n-grams) and from given weights (transformer)"
        return f"The texts are {self.about}. Encoders are trained from {start}."


@dataclass(frozen=True)
class Sizes:
    """Texts of each class: for each language's training, and for all other uses."""

    train: int
    test: int
    validation: int
    anchors: int

    @property
    def needed(self) -> int:
        """Different descriptions of each class, for two languages."""
        return 2 * self.train + self.test + self.validation + self.anchors

    def scaled(self, available: int) -> "Sizes":
        """The same proportions with at most the available texts per class."""
        share = min(1.0, available / self.needed)
        found = [int(share * size) for size in astuple(self)]
        if min(found) < 1:
            raise InvalidInput(
                f"the smallest class has {available} texts, which is too few for a "
                f"split; choose fewer classes."
            )
        return Sizes(*found)


def debian_task(
    languages: tuple[str, str], classes: int, sizes: Sizes, seed: int
) -> LanguageTask:
    """Descriptions of Debian packages. The classes are the most frequent sections."""
    data = sim.networks.data.load_dataset("debian_descriptions", languages=languages)
    chosen = np.argsort(-data.counts, kind="stable")[:classes]
    names = tuple(data.class_names[c] for c in chosen)
    members = [np.flatnonzero(data.labels == c) for c in chosen]
    texts = {
        language: [str(text) for text in data.inputs[:, column]]
        for column, language in enumerate(languages)
    }
    about = (
        f"descriptions of Debian packages; the label is the section of the package "
        f"({', '.join(names)}: those with the most translated descriptions)"
    )
    return parallel_task(texts, members, names, sizes, seed=seed, about=about)


def parallel_task(
    texts: dict[str, list[str]],
    members: Sequence[np.ndarray],
    names: tuple[str, ...],
    sizes: Sizes,
    *,
    seed: int,
    about: str,
) -> LanguageTask:
    """A task from translated texts, with equally many texts of each class.

    Test texts, validation texts and anchors are drawn once. Each seed divides the other
    texts between the languages, so that no text is a translation of a training text of
    the other language.
    """
    sizes = sizes.scaled(min(map(len, members)))
    orders = [
        np.random.default_rng((seed, c)).permutation(rows)
        for c, rows in enumerate(members)
    ]
    ends = np.cumsum([sizes.test, sizes.validation, sizes.anchors])
    *drawn, rest = zip(*(np.split(order, ends) for order in orders), strict=True)
    parts = ("test", "validation", "anchors")
    fixed = dict(zip(parts, map(np.concatenate, drawn), strict=True))
    labels: dict[str, Any] = {
        f"{part}_labels": np.repeat(np.arange(len(names)), getattr(sizes, part))
        for part in ("train", "test", "validation")
    }

    def draw(number: int) -> dict[str, Texts]:
        rng = np.random.default_rng((seed, len(names), number))
        mixed = [rng.permutation(rows)[: 2 * sizes.train] for rows in rest]
        halves = zip(*(np.split(rows, [sizes.train]) for rows in mixed), strict=True)
        found = {}
        for (language, own), half in zip(texts.items(), halves, strict=True):
            rows_of = {"train": np.concatenate(half), **fixed}
            chosen = {part: [own[i] for i in rows] for part, rows in rows_of.items()}
            found[language] = Texts(**labels | chosen)
        return found

    first, second = texts
    return LanguageTask((first, second), names, about, draw)


def synthetic_task(classes: int, sizes: Sizes, seed: int) -> LanguageTask:
    """Random texts about topics, in two languages without common words.

    Each topic prefers some concepts. A concept has another word in each language, and
    translations have the same concepts in the same order.
    """
    rng = np.random.default_rng(seed)
    concepts, length = 40, 12
    topics = rng.dirichlet(np.full(concepts, 0.15), size=classes)
    count = sizes.needed
    drawn = [rng.choice(concepts, size=(count, length), p=topic) for topic in topics]
    chosen = np.concatenate(drawn)
    texts = {
        language: [" ".join(f"{language}{c}" for c in row) for row in chosen]
        for language in ("en", "fr")
    }
    members = list(np.arange(classes * count).reshape(classes, count))
    names = tuple(f"topic {i}" for i in range(classes))
    about = "random texts on topics"
    return parallel_task(texts, members, names, sizes, seed=seed, about=about)
