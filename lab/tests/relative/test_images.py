"""Few labels, and stitching of image encoders: arms, cells and missing encoders."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude.latent.stitching import Cell, StitchingTable
from similitude_lab.relative.images._encoders import (
    ARCHITECTURES,
    TRANSFORMS,
    TWINS,
    by_architecture,
)
from similitude_lab.relative.images._few_labels import (
    Candidate,
    balanced,
    image_sources,
    relative_radius,
    trained_on,
)
from similitude_lab.relative.images._generalization import ARMS, STUDY
from similitude_lab.relative.images._pretrained import (
    ENCODERS,
    advantage,
    check_present,
    pretrained,
)
from similitude_lab.study import Config, Parts

pytest.importorskip("torch")


def test_both_arms_have_equally_many_candidates() -> None:
    for setting in STUDY.settings.values():
        plain, densified = (setting.candidates(arm) for arm in ARMS)
        assert len(set(plain)) == len(set(densified)) == len(plain) == len(densified)
        assert {one.rate for one in plain} == {one.rate for one in densified}


def test_a_split_has_equally_many_images_of_each_class() -> None:
    labels = np.repeat([3, 5], [40, 10])
    rows = balanced(labels, 8, np.random.default_rng(0))
    assert np.unique(labels[rows], return_counts=True)[1].tolist() == [4, 4]
    assert len(set(rows.tolist())) == 8


def test_densification_makes_classes_denser_and_a_weight_of_zero_ignores_beta() -> None:
    pool, tested = image_sources("digits")
    few = pool.take(balanced(pool.labels, 60, np.random.default_rng(0)))
    test = tested.take(np.arange(200))

    options = {"per_class": 4, "steps": 40, "channels": (4,), "width": 16}
    setting = replace(STUDY.settings["smoke"], **options, weight=0.1)

    def train(arm: str, beta: float) -> dict[str, float]:
        candidate = Candidate(rate=1e-2, decay=0.01, beta=beta)
        return trained_on(few, test, candidate, setting, arm=arm, seed=0)

    plain = train("cross_entropy", 0.5)
    assert plain == train("cross_entropy", 5.0)
    assert plain["accuracy"] > 50
    assert train("densified", 0.2)["mean_death"] < 0.8 * plain["mean_death"]


def test_the_radius_of_classes_is_relative_to_their_distance() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    rows = labels[:, None] * np.array([10.0, 0.0]) + rng.standard_normal((100, 2))
    found = relative_radius(rows, labels)
    assert 0.1 < found < 0.15
    np.testing.assert_allclose(relative_radius(7 * rows, labels), found)
    assert relative_radius(rng.standard_normal((100, 2)), labels) > 2


def test_a_network_is_not_stitched_with_itself() -> None:
    names = [f"{a}-{t}" for a in ARCHITECTURES for t in TWINS]
    cells = []
    for transform, encoder, decoder in itertools.product(TRANSFORMS, names, names):
        own = encoder == decoder
        missing = transform == "whitened" and encoder == "mlp-a"
        score = None if missing else (90.0 if own else 10.0 + (encoder[0] == "r"))
        cells.append(
            Cell(
                encoder,
                decoder,
                decoder,
                transform,
                0,
                "undefined" if missing else "ok",
                "",
                score,
                score,
                None,
                (),
                "",
            )
        )
    found = by_architecture(StitchingTable(tuple(cells), {}))
    robust = TRANSFORMS.index("robust")
    assert found["own"][robust].tolist() == [90.0] * 3
    assert found["stitched"][robust].tolist() == [[10.0] * 3, [10.0] * 3, [11.0] * 3]
    undefined = np.isnan(found["stitched"][TRANSFORMS.index("whitened")])
    assert undefined.tolist() == [[False] * 3, [True] * 3, [False] * 3]


def test_transforms_of_pretrained_encoders_are_paired_by_image() -> None:
    one, two = ENCODERS
    answers = np.zeros((len(TRANSFORMS), 4))
    answers[TRANSFORMS.index("robust")] = [100, 100, 0, 100]
    correct = {f"{one}.{two}": answers, f"{two}.{one}": answers}
    gap = advantage(correct, "robust", "vanilla")
    assert (gap.mean, gap.n) == (75.0, 4)


@pytest.mark.data
def test_pretrained_encoders_are_stitched(tmp_path: Path) -> None:
    try:
        check_present()
    except sim.SimilitudeError as error:
        pytest.skip(str(error))
    config = Config(scale="smoke", setting=None, parts=Parts(tmp_path / "parts"))
    found = pretrained(config, (24, 20, 16), 1)
    assert found is not None
    assert {rows.shape for rows in found.values()} == {(len(TRANSFORMS), 16)}
    stitched = found[".".join(ENCODERS)]
    undefined = np.isnan(stitched).all(axis=1)
    assert [t for t, none in zip(TRANSFORMS, undefined, strict=True) if none] == [
        "absolute"
    ]
    again = Config(scale="smoke", setting=None, parts=Parts(tmp_path / "parts"))
    resumed = pretrained(again, (24, 20, 16), 1)
    assert resumed is not None
    np.testing.assert_array_equal(resumed[".".join(ENCODERS)], stitched)
    assert again.parts.computed == []


def test_missing_images_or_encoders_are_one_sentence(tmp_path: Path) -> None:
    missing = pytest.raises(sim.SimilitudeError, match="similitude data fetch cifar10")
    with sim.config(cache_dir=tmp_path), missing:
        check_present()
