"""Amazon reviews in several languages: the layouts in which they were published."""

import csv
import gzip
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import InvalidInput

from ._texts import LanguageTask, Texts

SHARE = 0.01  # of the training reviews
SHUFFLE = 42  # seed of the published subset and anchors
TRANSLATED = ("en", "it", "es", "fr", "ja")  # columns of translations.tsv
SPLITS = {"train": ("train",), "validation": ("validation", "dev"), "test": ("test",)}


def reviews_task(
    folder: Path, languages: tuple[str, str], anchors: int
) -> LanguageTask:
    """Star ratings of reviews, with translated reviews as anchors.

    Parameters
    ----------
    folder
        ``train``, ``validation`` (or ``dev``) and ``test`` as CSV files of all
        languages, or as JSON lines of one language each (``dataset_en_train.json``),
        also in folders and compressed by gzip. ``translations.tsv``: one review per
        line, in the columns en, it, es, fr, ja, separated by tabs. If it has
        ``encoders/en`` and so on, folders of Hugging Face transformers, the
        transformer of a language begins with these weights.
    anchors
        Number of translated reviews.
    """
    parallel = _anchors(folder, languages, anchors)
    found = {}
    for at, language in enumerate(languages):
        parts = {split: list(_rows(folder, split, language)) for split in SPLITS}
        for split, rows in parts.items():
            if not rows:
                raise InvalidInput(
                    f"{folder} has no reviews of the split {split} in {language}; give "
                    f"the folder with {split}.csv or dataset_{language}_{split}.json."
                )
        random.Random(SHUFFLE).shuffle(parts["train"])
        parts["train"] = parts["train"][: max(1, int(len(parts["train"]) * SHARE))]
        texts: dict[str, Any] = {}
        for split, rows in parts.items():
            texts[split] = [join_title(row) for row in rows]
            texts[f"{split}_labels"] = (
                np.array([_stars(row, folder) for row in rows]) - 1
            )
        found[language] = Texts(
            **texts,
            anchors=[line[at] for line in parallel],
            pretrained=_encoder(folder, language),
        )
    about = (
        f"Amazon reviews; the label is the number of stars; {SHARE:.0%} of the "
        f"training reviews"
    )
    classes = tuple(f"{n} stars" for n in range(1, 6))
    return LanguageTask(languages, classes, about, lambda seed: found, ordinal=True)


def _encoder(folder: Path, language: str) -> Path | None:
    """The folder of the encoder of a language; none if there are no encoders."""
    if not (folder / "encoders").is_dir():
        return None
    found = folder / "encoders" / language
    if not found.is_dir():
        raise InvalidInput(
            f"{folder / 'encoders'} has no encoder of the language {language}; put a "
            f"folder of Hugging Face transformers there as {language}."
        )
    return found


def join_title(row: dict[str, Any]) -> str:
    """Title and body as one text; a title that the body repeats is dropped.

    >>> join_title({"review_title": '"Great"', "review_body": "Works well."})
    'Great. Works well'
    >>> join_title({"review_title": "Works", "review_body": "works well."})
    'works well'
    """
    title, body = (
        str(row.get(name) or "").strip('"').strip(".").strip()
        for name in ("review_title", "review_body")
    )
    if body.lower().startswith(title.lower()):
        title = ""
    if title and title[-1].isalpha():
        title += "."
    return f"{title} {body}".lstrip(".").strip()


def _stars(row: dict[str, Any], folder: Path) -> int:
    try:
        stars = int(row["stars"])
    except (KeyError, TypeError, ValueError):
        stars = 0
    if not 1 <= stars <= 5:
        raise InvalidInput(
            f"{folder} has a review with stars={row.get('stars')!r}; give reviews with "
            f"1 to 5 stars in the column stars."
        )
    return stars


def _rows(folder: Path, split: str, language: str) -> Iterator[dict[str, Any]]:
    """The reviews of a split and language, from all files that may have them."""
    before = ("", f"dataset_{language}_", f"{language}_")
    kinds = ("csv", "json", "jsonl")
    for name, start, kind in itertools.product(SPLITS[split], before, kinds):
        file = f"{start}{name}.{kind}"
        for path in sorted(folder.rglob(f"{file}*")):
            if path.name in {file, f"{file}.gz"}:
                for row in _read(path, kind):
                    if row.get("language", language) == language:
                        yield row


def _read(path: Path, kind: str) -> Iterator[Any]:
    """A dictionary per line, or the columns of each line of a tsv file.

    Unlike splitlines, it does not cut reviews at line separators of Unicode.
    """
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8", newline="") as lines:
            if kind == "csv":
                yield from csv.DictReader(lines)
            elif kind == "tsv":
                yield from (line.rstrip("\r\n").split("\t") for line in lines)
            else:
                yield from (json.loads(line) for line in lines if line.strip())
    except (OSError, EOFError, UnicodeDecodeError, ValueError, csv.Error) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error


def _anchors(folder: Path, languages: tuple[str, str], count: int) -> list[list[str]]:
    """Translated reviews: rows of texts in both languages, shuffled by seed 42."""
    found = sorted(folder.rglob("translations.tsv"))
    if not found:
        raise InvalidInput(
            f"{folder} has no translations.tsv; put the translated reviews there, one "
            f"per line, with the columns {', '.join(TRANSLATED)} separated by tabs."
        )
    unknown = [language for language in languages if language not in TRANSLATED]
    if unknown:
        raise InvalidInput(
            f"translations.tsv has no column for {unknown[0]}; choose from "
            f"{', '.join(TRANSLATED)}."
        )
    lines = list(_read(found[0], "tsv"))
    short = [i for i, line in enumerate(lines, 1) if len(line) != len(TRANSLATED)]
    if short:
        raise InvalidInput(
            f"{found[0]}, line {short[0]}: expected {len(TRANSLATED)} columns "
            f"separated by tabs."
        )
    random.Random(SHUFFLE).shuffle(lines)
    columns = [TRANSLATED.index(language) for language in languages]
    return [[line[c] for c in columns] for line in lines[:count]]
