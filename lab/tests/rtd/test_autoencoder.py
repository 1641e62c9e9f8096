"""Latent models: principal components, the RTD loss, triplets."""

from dataclasses import replace

import numpy as np
import pytest

import similitude as sim
from similitude_lab.rtd._autoencoder import STUDY, reconstruction
from similitude_lab.rtd._latent_models import (
    autoencoder,
    preserved,
    principal_components,
    triplet_accuracy,
)

pytest.importorskip("torch")


def test_all_components_keep_everything() -> None:
    images = np.random.default_rng(0).random((40, 6)).astype(np.float32)
    found = principal_components(images[:20], images[20:], 6)
    scores = preserved(images[20:], found, 500)
    assert scores["rtd"] == pytest.approx(0.0, abs=1e-5)
    assert scores["reconstruction"] == pytest.approx(0.0, abs=1e-10)
    assert scores["triplet_accuracy"] > 0.99
    assert scores["linear_correlation"] == pytest.approx(1.0)
    fewer = preserved(
        images[20:], principal_components(images[:20], images[20:], 2), 500
    )
    assert fewer["reconstruction"] > 0.01
    assert fewer["triplet_accuracy"] < 0.95


def test_triplets_count_agreement_of_the_order() -> None:
    x = np.array([[0.0], [1.0], [3.0]])  # distances 1, 3 and 2
    y = np.array([[0.0], [3.0], [1.0]])  # distances 3, 1 and 2
    rng = np.random.default_rng(0)
    assert triplet_accuracy(x, x, 300, rng) == 1.0
    # With a = 0 and with a = 1 the order is reversed; a = 3 asks 3 < 2 and 1 < 2.
    assert triplet_accuracy(x, y, 300, rng) == 0.0
    unrelated = np.random.default_rng(1).normal(size=(2, 200, 5))
    assert triplet_accuracy(*unrelated, 20_000, rng) == pytest.approx(0.5, abs=0.05)


def test_the_loss_lowers_the_rtd_of_the_latent_rows() -> None:
    digits = sim.networks.data.load_dataset("digits").inputs[:400]
    images = np.asarray(digits, np.float32).reshape(400, -1) / 16
    both = images[:300], images[300:]
    options = {"width": 64, "steps": 150, "batch": 60, "rate": 2e-3}
    setting = replace(STUDY.settings["smoke"], **options)
    plain, regularized = (
        preserved(images[300:], autoencoder(both, 8, setting, 0, weight=weight), 2000)
        for weight in (0.0, 0.1)
    )
    assert regularized["rtd"] < 0.8 * plain["rtd"]


def test_the_note_says_whether_the_autoencoder_exceeds_a_linear_model() -> None:
    names = ("pca", "autoencoder", "rtd_autoencoder")
    better = dict(
        zip([f"reconstruction_{n}_16" for n in names], (3, 2, 4), strict=True)
    )
    assert reconstruction(better, 16).endswith("reconstructs better than PCA.")
    worse = better | {"reconstruction_autoencoder_16": 3.5}
    assert "longer training may change" in reconstruction(worse, 16)
