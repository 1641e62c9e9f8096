"""Measures whose execution paths give different scores."""

import itertools

import numpy as np

from contract.correct_measures import RIGHT, Correct, Subsampled


class WrongAllPairs(Correct):
    """Computes only the upper triangle of all pairs."""

    def compare_all(self, ps):
        return np.triu([[float(RIGHT.compare(p, q)) for q in ps] for p in ps])


class KeepsTheMeans(Correct):
    """Leaves rows out of data that is centered by the means of all rows."""

    error = 1.0

    def rest(self, rows):
        return rows

    def leave_out(self, ps, groups, kept):
        def without(p, group):
            left = self.rest(np.delete(np.asarray(p), group, axis=0))
            return left / np.linalg.norm(left)

        sides = [[without(p, group) for p in ps] for group in groups]
        nuclear = [
            [[np.linalg.norm(p.T @ q, "nuc") for q in side] for p in side]
            for side in sides
        ]
        return self.error * np.array(nuclear)


class LeavesOutRoughly(KeepsTheMeans):
    """Centers the remaining rows, but is right to nine digits only."""

    error = 1.0 + 1e-9

    def rest(self, rows):
        return rows - rows.mean(axis=0)


class LeavesOutNothing(LeavesOutRoughly):
    """Returns NaN even if most rows remain."""

    error = np.nan


class WrongPermute(Correct):
    def permute(self, q, order):
        return q[np.argsort(order)]


class WrongNull(Correct):
    """Uses the inverse of each order."""

    def null(self, p, q, orders):
        inverse = [np.argsort(order) for order in orders]
        return super().null(p, q, inverse)


class NullOfMean(Correct):
    """Mean and variance are right, but the skewness is wrong."""

    def null_moments(self, p, q):
        orders = np.asarray(list(itertools.permutations(range(p.shape[0]))))
        scores = np.asarray(self.null(p, q, orders))
        rest = scores - scores.mean()
        return scores.mean(), scores.var(), np.mean(rest**3)


class GlobalState(Correct):
    """Has global state: a second call gives another score."""

    calls = 0

    def compare(self, p, q):
        GlobalState.calls += 1
        return RIGHT.compare(p, q) + 1e-12 * GlobalState.calls


class SeedIgnored(Subsampled):
    """Requires a seed, but does not use it."""

    def rows(self, x, seed):
        return super().rows(x, seed and 0)


class RowsByWidth(Subsampled):
    """The two sides draw different rows if their widths differ."""

    def rows(self, x, seed):
        return super().rows(x, seed and (seed.entropy, x.d))


class UnclaimedDraws(Subsampled):
    """Stochastic, but claims not to be."""

    def claims(self):
        return RIGHT.claims()

    def rows(self, x, seed):
        return super().rows(x, seed or 0)


class NeedsNoSeed(Subsampled):
    """Uses its own seed if no seed is given."""

    def rows(self, x, seed):
        return super().rows(x, seed or 0)


class PermutesInPlace(Correct):
    def permute(self, q, order):
        q[...] = RIGHT.permute(q, order)
        return q


class NeedsTwoRepresentations(Correct):
    """Accepts two or more representations, but not one."""

    def compare_all(self, ps):
        ps[1]
        return super().compare_all(ps)


# Each measure with the check that must fail, and the start of its message.
WRONG_EXECUTION = [
    (WrongAllPairs, "check_all_pairs"),
    (KeepsTheMeans, "check_leave_out: draw 0, without group 0"),
    (LeavesOutRoughly, "check_leave_out: draw 0, without group 0"),
    (LeavesOutNothing, "check_leave_out: draw 0, without group 0"),
    (WrongPermute, "check_permute"),
    (WrongNull, "check_null: draw 0, null"),
    (NullOfMean, "check_null_moments: draw 0, skewness"),
    (GlobalState, "check_two_steps"),
    (SeedIgnored, "check_seed: it requires rng, but no seed changes"),
    (RowsByWidth, "check_seed"),
    (UnclaimedDraws, "check_seed: rng=1 changes a score that needs no rng"),
    (NeedsNoSeed, "check_seed"),
    (PermutesInPlace, "check_permute"),
    (NeedsTwoRepresentations, "check_all_pairs"),
]
