"""Students distilled by KL divergence, or by L1 and L2 distances of logits."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.identifiability import (
    SoftmaxModel,
    kl,
    llv_distance,
    logit_distance,
    m_cca,
)

from ....study import (
    Config,
    Figures,
    Frame,
    StudyResult,
    described,
    limit_values,
    paired_interval,
    table_of,
)
from ....training._digits_networks import score_or_nan
from ... import constructions
from ._figures import draw_students
from ._spirals import LOSSES, Training, divided, spirals, trained

Means = Mapping[tuple[str, str], np.ndarray]
SCORES = ("m_cca_f", "m_cca_g", "d_logit", "d_llv", "kl", "agreement", "accuracy")
LOGIT_LOSSES = ("l1", "l2")
NAMES = {"kl": "KL", "l1": "L1", "l2": "L2"}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Points per arm; teachers, students per teacher and loss; their training."""

    per_arm: int
    teachers: int
    students: int
    teacher_epochs: int
    student_epochs: int
    training: Training


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(setting.teachers * (1 + len(LOSSES) * setting.students))
    train, test = divided(spirals(setting.per_arm, rng), rng)
    how = (setting.training, config.device)
    rows, accuracies = [], []
    for number, own in enumerate(rng.spawn(setting.teachers)):
        seeds = own.integers(2**31, size=1 + setting.students).tolist()
        given = (train[0], test[0], setting.teacher_epochs, seeds[0], *how)
        teacher = config.parts.keep(
            f"teacher-{number}", trained, "labels", train[1], *given
        )
        accuracies.append(np.mean(_guesses(teacher) == test[1]))
        for student_number, seed in enumerate(seeds[1:]):
            for kind in LOSSES:  # students of one seed begin with equal weights
                logits = teacher["train_logits"]
                given = (train[0], test[0], setting.student_epochs, seed, *how)
                name = f"student-{number}-{student_number}-{kind}"
                student = config.parts.keep(name, trained, kind, logits, *given)
                place = {"teacher": number, "student": student_number, "loss": kind}
                rows.append(place | scores(teacher, student, test[1]))
    means = teacher_means(Frame(table_of(rows)), setting.teachers)
    differences = list(difference_rows(means))
    values = {
        "teacher_accuracy": float(np.mean(accuracies)),
        **examples(),
    }
    values |= {
        f"{name}_{kind}": float(mean.mean()) for (name, kind), mean in means.items()
    }
    values |= limit_values(
        differences, lambda row: f"{row['score']}_{row['loss']}_minus_kl"
    )
    return StudyResult(
        values=values,
        tables={"students": table_of(rows), "differences": table_of(differences)},
    )


def _guesses(model: Mapping[str, np.ndarray]) -> np.ndarray:
    guesses: np.ndarray = (model["f"] @ model["g"].T).argmax(axis=1)
    return guesses


def scores(
    teacher: Mapping[str, np.ndarray],
    student: Mapping[str, np.ndarray],
    labels: np.ndarray,
) -> dict[str, float]:
    """Closeness of a student to its teacher on test points; NaN if it is undefined."""
    p, q = (SoftmaxModel(one["f"], one["g"]) for one in (teacher, student))
    guesses = _guesses(student)
    found = {
        "m_cca_f": score_or_nan(m_cca, teacher["f"], student["f"]),
        "m_cca_g": score_or_nan(m_cca, teacher["g"], student["g"]),
        "d_logit": logit_distance(p, q),
        "d_llv": score_or_nan(llv_distance, p, q, rng=0),
        "kl": kl(p, q),
        "agreement": np.mean(guesses == _guesses(teacher)),
        "accuracy": np.mean(guesses == labels),
    }
    return {name: round(float(value), 6) for name, value in found.items()}


def teacher_means(table: Frame, teachers: int) -> Means:
    """(score, loss) -> one mean over students for each teacher."""
    return {
        (name, kind): np.array(
            [np.mean(table.where(teacher=t, loss=kind)[name]) for t in range(teachers)]
        )
        for name in SCORES
        for kind in LOSSES
    }


def difference_rows(means: Means) -> Iterator[dict[str, Any]]:
    """Logit distance minus KL divergence as a loss, paired by teacher."""
    for name, kind in itertools.product(SCORES, LOGIT_LOSSES):
        found = paired_interval(means[name, kind], means[name, "kl"])
        yield {"score": name, "loss": kind, **found.row(digits=6)}


def examples() -> dict[str, float]:
    """The two constructed pairs of the paper, with the authors' seed."""
    swapped = constructions.swapped_unembeddings(0)
    rotated = constructions.opposite_rotations(0)
    p, q = swapped.first, swapped.second
    first, second = rotated.first, rotated.second
    rows = np.arange(len(swapped.labels))
    log_p, log_q = (one.log_probs()[rows, swapped.labels] for one in (p, q))
    guesses = [one.log_probs().argmax(axis=1) for one in (first, second)]
    return {
        "swapped_m_cca_g": m_cca(p.g, q.g),
        "swapped_kl": kl(p, q),
        "swapped_true_label_terms": float(np.mean(np.exp(log_p) * (log_p - log_q))),
        "swapped_true_label_terms_back": float(
            np.mean(np.exp(log_q) * (log_q - log_p))
        ),
        "swapped_d_logit": logit_distance(p, q),
        "rotated_m_cca_f": m_cca(first.f, second.f),
        "rotated_m_cca_g": m_cca(first.g, second.g),
        "rotated_kl": kl(first, second),
        "rotated_d_logit": logit_distance(first, second),
        "rotated_agreement": float(np.mean(guesses[0] == guesses[1])),
    }


def counts(means: Means) -> list[str]:
    """For how many teachers m_CCA is higher: one student can widen an interval."""
    found = []
    for kind in LOGIT_LOSSES:
        gap = means["m_cca_f", kind] - means["m_cca_f", "kl"]
        found.append(
            f"m_CCA of embeddings is higher by {NAMES[kind]} than by KL for "
            f"{int((gap > 0).sum())} of {len(gap)} teachers, with differences from "
            f"{gap.min():+.3f} to {gap.max():+.3f}."
        )
    return found


def draw(result: StudyResult) -> Figures:
    return {"students": draw_students(result.frame("students"), NAMES)}


def setting_of(training: Mapping[str, int], **options: int) -> Setting:
    return Setting(training=Training(**training), **options)


STUDY = described("closeness/distillation", run, draw, setting_of, trains=True)
