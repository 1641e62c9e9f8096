"""Descriptions of Debian packages in several languages, with their sections."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InvalidInput
from ....representation import fingerprint
from .._cache import Builder
from .._clients import Progress, apt_lists
from .._dataset import Dataset
from .._formats import _debian_lists as lists
from ._entry import Entry

LANGUAGES = ("en", "fr", "de", "it")


class Descriptions(Entry):
    """Texts that are translations of each other.

    The option `languages` gives the columns of `Dataset.inputs`. A row is a description
    that exists in all of them. Its id is the md5 of the English description, and its
    label is the section of the package.
    """

    def download(self, folder: Path, progress: Progress) -> Path:
        needed = [f"*_i18n_Translation-{language}" for language in LANGUAGES]
        return apt_lists(
            folder,
            ["*_Packages", *needed],
            languages=LANGUAGES,
            megabytes=134,
            progress=progress,
        )

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        packages = lists.find_lists(source, "Packages")
        translations = {
            language: lists.find_lists(source, f"Translation-{language}")
            for language in LANGUAGES
        }
        present = [language for language, paths in translations.items() if paths]
        if not packages or "en" not in present or len(present) < 2:
            raise InvalidInput(
                f"{source} is not a copy of Debian's package lists: give {self.local}."
            )
        texts = {}
        for i, language in enumerate(present):
            texts[language] = lists.descriptions(translations[language], language)
            progress("read", 100 * (i + 1) // len(present), 134)
        lines = []
        for key, (package, section) in sorted(lists.sections(packages).items()):
            row = {lang: found[key] for lang, found in texts.items() if key in found}
            if "en" in row and len(row) > 1:
                about = {"id": key, "package": package, "section": section}
                lines.append(json.dumps(about | row, ensure_ascii=False))
        if not lines:
            raise InvalidInput(f"{source} has no description in two languages.")
        out.text("descriptions.jsonl", "\n".join([*lines, ""]))
        out.release = lists.release(source)

    def read(
        self, split: str, *, languages: Sequence[str] = ("en", "fr"), **options: Any
    ) -> Dataset:
        self.no_options(options)
        if isinstance(languages, str) or not set(languages) <= set(LANGUAGES):
            raise InvalidInput(
                f"languages={languages!r}; give some of {', '.join(LANGUAGES)}, as in "
                f"languages=('en', 'fr')."
            )
        files = self.files()
        rows = [
            row
            for row in files.lines("descriptions.jsonl")
            if all(language in row for language in languages)
        ]
        if not rows or not languages:
            raise InvalidInput(f"{self.name} has no text in {languages!r}.")
        sections = sorted({row["section"] for row in rows})
        numbers = {section: i for i, section in enumerate(sections)}
        release = files.manifest.release
        content = [files.manifest.files["descriptions.jsonl"], *languages]
        return Dataset(
            name=self.name,
            split=split,
            inputs=np.array(
                [[row[language] for language in languages] for row in rows],
                dtype=np.dtypes.StringDType(),
            ),
            labels=np.array([numbers[row["section"]] for row in rows], dtype=np.int64),
            class_names=tuple(sections),
            fingerprint=fingerprint(np.array(content)),
            origin=", ".join(filter(None, [files.manifest.source, release])),
            sample_ids=np.array([row["id"] for row in rows]),
        )


DESCRIPTIONS = Descriptions(
    name="debian_descriptions",
    about="translated texts: en, fr, de, it; labels: sections",
    source="Debian package lists",
    license="see Debian",
    splits=("all",),
    bytes=60_000_000,
    room=350_000_000,
    local="a folder with Packages and Translation-* lists",
)
