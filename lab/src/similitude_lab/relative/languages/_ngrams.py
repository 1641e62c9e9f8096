"""Texts as numbers: hashed n-grams with a projection, and ids of frequent words."""

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """Lower-case words; digits count as letters."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True, eq=False)
class NgramProjection:
    """Hashed words and pairs of words, weighted by rarity, on principal directions.

    The columns are those of a truncated singular value decomposition of the training
    texts, scaled to a variance of 1 on them.
    """

    rarity: np.ndarray  # of each bucket
    directions: np.ndarray  # buckets x columns

    @staticmethod
    def fit(
        texts: Sequence[str], columns: int, buckets: int = 2**15
    ) -> "NgramProjection":
        counts = _counts(texts, buckets)
        seen = np.bincount(counts.indices, minlength=buckets)
        rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
        rows = _weighted(counts, rarity)
        columns = min(columns, len(texts) - 1)
        start = np.ones(min(rows.shape))  # makes the result reproducible
        _, s, vt = scipy.sparse.linalg.svds(rows, k=columns, v0=start)
        scale = len(texts) ** 0.5 / np.maximum(s, 1e-6 * s.max())
        return NgramProjection(rarity, (vt * scale[:, None]).T)

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        rows = _weighted(_counts(texts, len(self.rarity)), self.rarity)
        return (rows @ self.directions).astype(np.float32)


def _ngrams(text: str) -> Iterator[str]:
    words = words_of(text)
    yield from words
    for pair in itertools.pairwise(words):
        yield " ".join(pair)


def _counts(texts: Sequence[str], buckets: int) -> "scipy.sparse.csr_array":
    data: list[float] = []
    indices: list[int] = []
    starts = [0]
    for text in texts:
        found = Counter(zlib.crc32(g.encode()) % buckets for g in _ngrams(text))
        indices += found.keys()
        data += found.values()
        starts.append(len(indices))
    shape = len(texts), buckets
    return scipy.sparse.csr_array(
        (np.array(data, dtype=np.float64), indices, starts), shape=shape
    )


def _weighted(
    counts: "scipy.sparse.csr_array", rarity: np.ndarray
) -> "scipy.sparse.csr_array":
    """Rows of length 1 of (1 + log count) times rarity."""
    values = (1 + np.log(counts.data)) * rarity[counts.indices]
    rows = scipy.sparse.csr_array((values, counts.indices, counts.indptr), counts.shape)
    length = np.sqrt(np.asarray((rows**2).sum(axis=1)).ravel())
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return scipy.sparse.csr_array(scipy.sparse.diags_array(inverse) @ rows)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Ids of the most frequent words of the training texts.

    0 is padding, and 1 is every other word.
    """

    ids: dict[str, int]
    tokens: int

    @staticmethod
    def fit(texts: Sequence[str], size: int, tokens: int) -> "Vocabulary":
        counts = Counter(word for text in texts for word in words_of(text))
        frequent = sorted(counts, key=lambda word: (-counts[word], word))[: size - 2]
        return Vocabulary({word: i for i, word in enumerate(frequent, 2)}, tokens)

    def __len__(self) -> int:
        return len(self.ids) + 2

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """The ids of the first words of each text, n x tokens; padded with 0."""
        found = np.zeros((len(texts), self.tokens), dtype=np.int64)
        for row, text in zip(found, texts, strict=True):
            ids = [self.ids.get(word, 1) for word in words_of(text)[: self.tokens]]
            row[: len(ids)] = ids
        return found
