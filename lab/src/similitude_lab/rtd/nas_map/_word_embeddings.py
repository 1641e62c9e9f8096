"""Word embeddings of many architectures: trained here, or read from a folder."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.store import read_arrays, read_json

from ...study import Config
from ._cells import random_cell

WEIGHTS, LOG = "dump_weights_", "log_stats_"  # names of files of NAS-Bench-NLP
UNKNOWN = 0  # number of all words outside of the vocabulary


def read_benchmark(
    folder: Path, count: int, rng: np.random.Generator
) -> dict[str, dict[str, np.ndarray]]:
    """Embeddings and log-perplexities of models that NAS-Bench-NLP has trained.

    The folder has the two files of each model that the benchmark writes: the weights
    ``dump_weights_model_*.pt`` and the log ``log_stats_model_*.json``. Random
    `count` models are used.
    """
    found = {}
    files = sorted(folder.glob(f"{WEIGHTS}*"))
    for at in sorted(rng.permutation(len(files))[:count]):
        weights = files[at]
        log = weights.with_name(weights.name.replace(WEIGHTS, LOG)).with_suffix(".json")
        arrays = read_arrays(weights)
        embeddings = [a for key, a in arrays.items() if key.endswith("encoder.weight")]
        losses = read_json(log).get("test_losses")
        if len(embeddings) != 1 or not losses:
            raise sim.InvalidInput(
                f"{weights} or {log} is not a model of NAS-Bench-NLP: one "
                f"encoder.weight and the list test_losses are needed."
            )
        name = weights.stem.removeprefix(WEIGHTS)
        found[name] = {
            "embeddings": embeddings[0],
            "log_perplexity": np.asarray(float(losses[-1])),
        }
    if len(found) < 3:
        raise sim.InvalidInput(
            f"{folder} has {len(found)} files {WEIGHTS}*; a map needs three models."
        )
    return found


def train_cells(
    config: Config, rng: np.random.Generator
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Embeddings and log-perplexities of random cells, and the cells as text."""
    require("torch", feature="training of recurrent cells", extra="torch")
    from ._language_model import train

    setting = config.setting
    config.parts.expect(setting.cells)
    text, _ = numbered_words(setting.text, setting.vocabulary)
    found, cells = {}, []
    for number, own in enumerate(rng.spawn(setting.cells)):
        cell = random_cell(own)
        name = f"cell-{number}"
        given = (cell, text, setting, int(own.integers(2**31)), config.device)
        found[name] = config.parts.keep(name, train, *given)
        cells.append(str(cell))
    return found, cells


def numbered_words(source: str, vocabulary: int) -> tuple[np.ndarray, list[str]]:
    """A text as numbers, most frequent words first, and the words."""
    if source == "docstrings":  # always there; for tests
        texts = [sim.MEASURES[name].__doc__ or "" for name in sorted(sim.MEASURES)]
        texts += [getattr(sim, name).__doc__ or "" for name in sorted(sim.MEASURES)]
    else:
        rows = sim.networks.data.load_dataset(source, languages=("en",)).inputs[:, 0]
        order = np.random.default_rng(0).permutation(len(rows))  # mixes the topics
        texts = [str(rows[i]) for i in order]
    tokens = [
        re.findall(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[.,;:()]", one.lower()) for one in texts
    ]
    counts = Counter(word for row in tokens for word in row)
    words = ["", *(word for word, _ in counts.most_common(vocabulary - 1))]
    numbers = {word: number for number, word in enumerate(words)}
    text = [numbers.get(word, UNKNOWN) for row in tokens for word in row]
    return np.array(text, dtype=np.int64), words
