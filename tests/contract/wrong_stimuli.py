"""Measures whose scores of single stimuli are wrong."""

from dataclasses import replace

import numpy as np

from contract.correct_measures import RIGHT, Correct
from similitude.measures import CKA


class ClaimsNoStimuli(Correct):
    """Has scores of stimuli, but does not claim them."""

    def claims(self):
        return replace(RIGHT.claims(), per_stimulus=None)


class SumsToTheScore(Correct):
    """The sum over stimuli is the score, but the mean is claimed."""

    def per_stimulus(self, p, q):
        return RIGHT.per_stimulus(p, q) / p.shape[0]


class SortedStimuli(Correct):
    """The scores are sorted, so they do not belong to the rows."""

    def per_stimulus(self, p, q):
        return np.sort(RIGHT.per_stimulus(p, q))


class OneScoreForAll(Correct):
    """A single number instead of one per stimulus."""

    def per_stimulus(self, p, q):
        return np.asarray(np.mean(RIGHT.per_stimulus(p, q)))


class FavorsTheFirst(Correct):
    """Scores depend on the lengths of the rows of x, though the mean is right."""

    def per_stimulus(self, p, q):
        lengths = np.linalg.norm(np.asarray(p), axis=1)
        return RIGHT.per_stimulus(p, q) + lengths - np.mean(lengths)


class FavorsTheFirstColumn(Correct):
    """Scores depend on the coordinates of both sides, though the mean is right."""

    def per_stimulus(self, p, q):
        column = np.asarray(p)[:, 0] * np.asarray(q)[:, 0]
        return RIGHT.per_stimulus(p, q) + column - np.mean(column)


class InfluenceOfGroups(CKA):
    """First-order influences instead of leaving a stimulus out."""

    def per_stimulus(self, p, q):
        exact = super().per_stimulus(p, q)
        return exact - np.mean(exact)


# Each measure with the check that must fail, and the start of its message.
WRONG_STIMULI = [
    (ClaimsNoStimuli, "check_per_stimulus: per_stimulus is offered, but claimed as"),
    (SumsToTheScore, "check_per_stimulus: draw 0, numpy, mean over stimuli"),
    (SortedStimuli, "check_per_stimulus: draw 0, reordered stimuli"),
    (OneScoreForAll, "check_per_stimulus: draw 0, numpy: shape ()"),
    (FavorsTheFirst, "check_per_stimulus: draw 0, exchanging x and y"),
    (FavorsTheFirstColumn, "check_per_stimulus: draw 0, rotation of"),
    (InfluenceOfGroups, "check_per_stimulus: draw 0, without stimulus 0"),
]
