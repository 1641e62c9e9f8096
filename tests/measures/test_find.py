"""`find_measure`: names, aliases, classes, functions, and what it refuses."""

import functools
import re
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude.measures import CKA, RBF, DeconfoundedCKA, MutualKNN


@pytest.mark.parametrize(
    ("given", "label"),
    [
        (CKA(kernel=RBF()), "cka(kernel=rbf)"),
        (CKA, "cka"),
        (sim.cka, "cka"),
        (functools.partial(sim.mutual_knn, k=3), "mutual_knn(k=3)"),
        ("Mutual-kNN(k=3)", "mutual_knn(k=3)"),
        (" CKA ", "cka"),
    ],
)
def test_one_measure_has_many_forms(given: Any, label: str) -> None:
    assert sim.find_measure(given).label == label


def test_every_alias_is_the_measure_that_lists_it() -> None:
    for measure in sim.MEASURES.values():
        for alias in measure.aliases:
            assert type(sim.find_measure(alias.name)) is type(measure)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3, "3 is not a measure"),
        (np.linalg.norm, "is not a measure"),
        (functools.partial(sim.cka, 1), "is not a measure"),
        ("knn_mutual", "Did you mean 'mutual_knn'?"),
        ("procrustess", "Did you mean 'procrustes'?"),
        ("xyzzy", "there is no measure 'xyzzy'. similitude.MEASURES"),
        (DeconfoundedCKA.name, "needs the networks' inputs"),
        ("mutual_knn(neighbors=3)", "mutual_knn has no option 'neighbors'"),
        ("mutual_knn(k=0)", "mutual_knn: k"),
    ],
)
def test_a_wrong_measure_is_refused_with_a_remedy(given: Any, said: str) -> None:
    with pytest.raises(sim.InvalidInput, match=re.escape(said)):
        sim.find_measure(given)


def test_a_class_of_a_user_is_found_with_its_defaults() -> None:
    class Mine(MutualKNN):
        name = "mine"

    assert sim.find_measure(Mine) == Mine()
