"""Spirals, losses of distillation, and the scores of students."""

import numpy as np
import pytest

from similitude_lab.closeness.studies.distillation._distillation import (
    SCORES,
    counts,
    examples,
    scores,
    teacher_means,
)
from similitude_lab.closeness.studies.distillation._spirals import (
    LABELS,
    SPIRALS,
    Training,
    distillation_loss,
    divided,
    spirals,
    trained,
)
from similitude_lab.study import Frame

torch = pytest.importorskip("torch")


def test_spirals_have_arms_of_one_label() -> None:
    points, labels = spirals(50, np.random.default_rng(0))
    assert points.shape == (50 * LABELS * SPIRALS, 2)
    arms = labels.reshape(SPIRALS, LABELS, 50)
    assert (arms == arms[..., :1]).all()
    assert arms[:, 0].max() == 0  # the first label is not permuted
    assert all(sorted(row) == list(range(LABELS)) for row in arms[..., 0].tolist())
    radius = np.linalg.norm(points, axis=1).reshape(-1, 50)
    assert np.abs(radius - np.linspace(1, 10, 50)).max() < 1e-5
    turned = (
        np.angle(points[:, 0] + 1j * points[:, 1]) - 0.1 * np.pi / 7 * radius.ravel()
    )
    steps = turned.reshape(-1, 50) / (2 * np.pi / 28)  # in units of the width of an arm
    off = steps - np.arange(28)[:, None]
    assert np.abs(off - 28 * np.round(off / 28)).max() <= 0.375 + 1e-4


def test_half_of_each_label_is_for_training() -> None:
    data = spirals(20, np.random.default_rng(0))
    train, test = divided(data, np.random.default_rng(1))
    assert np.bincount(train[1]).tolist() == [40] * LABELS
    assert np.bincount(test[1]).tolist() == [20] * LABELS
    assert not {tuple(row) for row in train[0]} & {tuple(row) for row in test[0]}


def test_losses_of_distillation() -> None:
    student, teacher = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(0))
    expected = torch.nn.functional.kl_div(
        student.log_softmax(1), teacher.softmax(1), reduction="batchmean"
    )
    assert distillation_loss("kl", student, teacher).item() == pytest.approx(
        expected.item()
    )
    gap = (student - teacher).numpy()
    assert distillation_loss("l1", student, teacher).item() == pytest.approx(
        np.abs(gap).mean()
    )
    assert distillation_loss("l2", student, teacher).item() == pytest.approx(
        (gap**2).sum(axis=1).mean()
    )


def test_a_student_learns_the_logits_of_its_teacher() -> None:
    data = divided(spirals(24, np.random.default_rng(0)), np.random.default_rng(1))
    options = Training(width=32, batch=64, warmup=0)
    (points, labels), (test, _) = data
    how = {"options": options, "device": "cpu"}
    teacher = trained("labels", labels, points, test, epochs=30, seed=0, **how)
    before, after = (
        trained("l2", teacher["train_logits"], points, test, epochs=n, seed=1, **how)
        for n in (1, 60)
    )
    first, last = (scores(teacher, one, data[1][1]) for one in (before, after))
    assert last["d_logit"] < 0.7 * first["d_logit"]
    itself = scores(teacher, teacher, data[1][1])
    assert (itself["d_logit"], itself["agreement"]) == (0.0, 1.0)
    assert itself["m_cca_f"] == pytest.approx(1.0)


def test_students_are_averaged_for_each_teacher() -> None:
    scored = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    columns = {
        "teacher": [0, 0, 0, 1, 1, 1] * 2,
        "loss": ["kl", "l1", "l2"] * 4,
        **{name: scored for name in SCORES},
    }
    assert teacher_means(Frame(columns), 2)["kl", "l1"].tolist() == [3.0, 6.0]


def test_teachers_with_a_higher_score_are_counted() -> None:
    by_kl = np.array([0.9, 0.5, 0.8])
    means = {("m_cca_f", "kl"): by_kl, ("m_cca_f", "l1"): by_kl + 0.1}
    means["m_cca_f", "l2"] = np.array([0.95, 0.99, 0.7])
    first, second = counts(means)
    assert "by L1 than by KL for 3 of 3 teachers" in first
    assert "by L2 than by KL for 2 of 3 teachers" in second
    assert "-0.100 to +0.490" in second


def test_the_examples_of_the_paper() -> None:
    found = examples()
    assert found["swapped_kl"] == pytest.approx(0.004549, abs=5e-7)
    assert found["swapped_d_logit"] ** 2 == pytest.approx(672.61, abs=0.01)
    assert found["rotated_kl"] == pytest.approx(36.11, abs=0.005)
    assert found["rotated_d_logit"] ** 2 == pytest.approx(8084.24, abs=0.01)
