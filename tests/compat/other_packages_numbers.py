"""Old and right numbers of docs/from_other_packages.md, by the key of the row."""

from collections.abc import Callable

import numpy as np
import torch

import similitude as sim
from compat import old_formulas
from compat.networks import loader, perceptron
from similitude.compat import cka_similarity, google_research
from similitude.compat.torch_cka import CKA

Numbers = tuple[float, float]


def _noise(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.random.default_rng(0).normal(size=(2, n, d))
    return x, y


def _related(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 10))
    return x, x + rng.normal(size=(n, 10))


def linear_noise() -> Numbers:
    x, y = _noise(50, 500)
    return old_formulas.linear_cka(x, y), float(cka_similarity.linear_CKA(x, y))


def features_noise() -> Numbers:
    x, y = _noise(50, 500)
    right = google_research.feature_space_linear_cka(x, y)
    return old_formulas.linear_cka(x, y), right


def kernel_noise() -> Numbers:
    x, y = _noise(50, 500)
    return old_formulas.kernel_cka(x, y), float(cka_similarity.kernel_CKA(x, y))


def linear_related() -> Numbers:
    x, y = _related(100)
    return old_formulas.linear_cka(x, y), float(cka_similarity.linear_CKA(x, y))


def notebook_rbf() -> Numbers:
    x, y = _related(10)
    grams = [google_research.gram_rbf(rows) for rows in (x, y)]
    right = google_research.cka(*grams, debiased=False)
    return old_formulas.notebook_rbf_cka(x, y), right


def mean_of_batches() -> Numbers:
    x, y = _related(800)
    return old_formulas.mean_of_batches(x, y, 8), float(
        sim.minibatch_cka(x, y, batch=8)
    )


def diagonal_subtracted() -> Numbers:
    x, y = _related(100)
    return old_formulas.diagonal_subtracted(x, y), float(sim.cka(x, y))


def offset() -> Numbers:
    x, y = (rows.astype(np.float32) + np.float32(10_000) for rows in _related(100))
    return old_formulas.linear_cka(x, y), float(cka_similarity.linear_CKA(x, y))


def shuffled() -> Numbers:
    """One loader that shuffles, read twice, as in versions up to 0.21."""
    model = perceptron(1)
    shuffling = loader(200, 50, shuffle=True, generator=torch.manual_seed(0))
    batches = [(a, b) for (a, _), (b, _) in zip(shuffling, shuffling, strict=True)]
    old = old_formulas.torch_cka((model, model), batches)
    return float(old[0, 0]), _score(model, model, "0", "0", shuffling)


def labels() -> Numbers:
    """The entry with the labels '' and '', which means the outputs of the models."""
    models = perceptron(1), perceptron(2)
    batches = [(x, x) for x, _ in loader(200, 50)]
    old = old_formulas.torch_cka(models, batches)
    return float(old[0, 0]), _score(*models, "", "", loader(200, 50))


def in_place() -> Numbers:
    """A linear layer and the ReLU in place that follows it."""
    model = perceptron(1, inplace=True)
    batches = [(x, x) for x, _ in loader(200, 50)]
    old = old_formulas.torch_cka((model, model), batches)
    return float(old[0, 1]), _score(model, model, "0", "1", loader(200, 50))


def _score(model1, model2, layer1: str, layer2: str, data) -> float:
    cka = CKA(model1, model2, model1_layers=[layer1], model2_layers=[layer2])
    cka.compare(data)
    return float(cka.export()["CKA"][0, 0])


NUMBERS: dict[str, Callable[[], Numbers]] = {
    "`linear_CKA(X, Y)`, noise": linear_noise,
    "`linear_CKA(X, Y)`, related": linear_related,
    "`kernel_CKA(X, Y)`, noise": kernel_noise,
    "`feature_space_linear_cka(X, Y)`, noise": features_noise,
    "`cka(gram_rbf(X), gram_rbf(Y), debiased=False)`, 10 rows": notebook_rbf,
    "`torch_cka`, a loader that shuffles": shuffled,
    "`torch_cka`, the labels `''` and `''`": labels,
    "`torch_cka`, a layer and its in-place ReLU": in_place,
    "mean of `linear_CKA` over batches of 8": mean_of_batches,
    "unbiased HSIC with `K - torch.diag(K)`": diagonal_subtracted,
}
