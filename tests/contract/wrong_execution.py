"""Measures whose ways to the score lead to different scores."""

import itertools

import numpy as np

from contract.honest_measures import RIGHT, Honest, Subsampled


class WrongAllPairs(Honest):
    """All pairs of the upper triangle, the other one forgotten."""

    def compare_all(self, ps):
        return np.triu([[float(RIGHT.compare(p, q)) for q in ps] for p in ps])


class KeepsTheMeans(Honest):
    """Leaves rows out of what is prepared, which is about the means of all rows."""

    error = 1.0

    def rest(self, rows):
        return rows

    def leave_out(self, ps, sizes):
        def without(p, end, size):
            left = self.rest(np.delete(np.asarray(p), np.s_[end - size : end], axis=0))
            return left / np.linalg.norm(left)

        groups = zip(np.cumsum(sizes), sizes, strict=True)
        sides = [[without(p, *group) for p in ps] for group in groups]
        nuclear = [
            [[np.linalg.norm(p.T @ q, "nuc") for q in side] for p in side]
            for side in sides
        ]
        return self.error * np.array(nuclear)


class LeavesOutRoughly(KeepsTheMeans):
    """About the means of the rest, and right to nine digits."""

    error = 1.0 + 1e-9

    def rest(self, rows):
        return rows - rows.mean(axis=0)


class LeavesOutNothing(LeavesOutRoughly):
    """Declines also where most rows remain."""

    error = np.nan


class WrongPermute(Honest):
    def permute(self, q, order):
        return q[np.argsort(order)]


class WrongNull(Honest):
    """Reads an order as its inverse."""

    def null(self, p, q, orders):
        inverse = [np.argsort(order) for order in orders]
        return super().null(p, q, inverse)


class NullOfMean(Honest):
    """The mean and the variance are right, and the third is another moment."""

    def null_moments(self, p, q):
        orders = np.asarray(list(itertools.permutations(range(p.shape[0]))))
        scores = np.asarray(self.null(p, q, orders))
        rest = scores - scores.mean()
        return scores.mean(), scores.var(), np.mean(rest**3)


class RemembersCalls(Honest):
    """Global state: the second answer is not the first."""

    calls = 0

    def compare(self, p, q):
        RemembersCalls.calls += 1
        return RIGHT.compare(p, q) + 1e-12 * RemembersCalls.calls


class SeedIgnored(Subsampled):
    """Asks for a seed, and does not use it."""

    def rows(self, x, seed):
        return super().rows(x, seed and 0)


class RowsByWidth(Subsampled):
    """The two sides draw different rows as soon as their widths differ."""

    def rows(self, x, seed):
        return super().rows(x, seed and (seed.entropy, x.d))


class DrawsInSecret(Subsampled):
    """Draws, and claims that it does not."""

    def claims(self):
        return RIGHT.claims()

    def rows(self, x, seed):
        return super().rows(x, seed or 0)


class NeedsNoSeed(Subsampled):
    """Draws from a seed of its own if it is given none."""

    def rows(self, x, seed):
        return super().rows(x, seed or 0)


class PermutesInPlace(Honest):
    def permute(self, q, order):
        q[...] = RIGHT.permute(q, order)
        return q


class TooFew(Honest):
    """Takes two at least."""

    def compare_all(self, ps):
        ps[1]
        return super().compare_all(ps)


# Each with the check that must find it, and how its complaint begins.
WRONG_EXECUTION = [
    (WrongAllPairs, "check_all_pairs"),
    (KeepsTheMeans, "check_leave_out: draw 0, without group 0"),
    (LeavesOutRoughly, "check_leave_out: draw 0, without group 0"),
    (LeavesOutNothing, "check_leave_out: draw 0, without group 0"),
    (WrongPermute, "check_permute"),
    (WrongNull, "check_null: draw 0, null"),
    (NullOfMean, "check_null_moments: draw 0, skewness"),
    (RemembersCalls, "check_two_steps"),
    (SeedIgnored, "check_seed: it requires rng, but no seed changes"),
    (RowsByWidth, "check_seed"),
    (DrawsInSecret, "check_seed: rng=1 changes a score that needs no rng"),
    (NeedsNoSeed, "check_seed"),
    (PermutesInPlace, "check_permute"),
    (TooFew, "check_all_pairs"),
]
