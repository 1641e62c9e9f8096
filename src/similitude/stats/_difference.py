"""The difference of two scores over the same stimuli, with its interval."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import inputs
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput
from ..measures import Claims, Measure, Reweighted, Weighed, find_measure
from ..representation import take_rows
from ._correlation_interval import excess_variance
from ._few_rows import EVEN, FEW_ROWS, FewRows, moved, with_few_rows
from ._heavy_tails import reach
from ._jackknife import Interval, groups, interval


@dataclass(frozen=True, repr=False)
class Difference:
    """Score of the first pair minus score of the second pair; print it for a sentence.

    Attributes
    ----------
    value
        first - second.
    interval
        The 95 % confidence interval of the difference.
    p
        The two-sided p-value of a difference of 0.
    first, second
        The scores of both pairs.
    kind
        The kind of the measure: in a "similarity", a high score means similar.
    """

    value: float
    interval: Interval
    p: float
    first: float
    second: float
    kind: Literal["similarity", "distance", "divergence"]

    def __str__(self) -> str:
        answer, reason = "no difference is shown", self.interval.widened
        if self.p < 0.05:
            more = (self.value > 0) == (self.kind == "similarity")
            answer = f"the first pair is {'more' if more else 'less'} similar"
        return (
            f"{self.first:.4f} - {self.second:.4f} = {self.value:+.4f}, 95 % CI "
            f"{self.interval.low:+.4f} to {self.interval.high:+.4f}, p = {self.p:.2g}: "
            f"{answer}." + (f" {reason[0].upper()}{reason[1:]}" if reason else "")
        )

    __repr__ = __str__


def difference(
    measure: Measure | str,
    first: tuple[Any, Any],
    second: tuple[Any, Any],
    *,
    rng: Rng = 0,
    blocks: Any = None,
) -> Difference:
    """Test whether one pair is more similar than another: s(a, b) - s(c, d).

    The two scores share the stimuli, and often a representation, so their errors are
    correlated. Two overlapping intervals do not show that the scores are equal. The
    jackknife here leaves out the same rows of all representations, which accounts for
    the correlation.

    If both pairs are equally similar, p < 0.05 occurred in 1 to 7 % of simulated data
    sets for cka, rsa, procrustes, mean_cca and linear_regression. It occurred less
    often for mutual_knn, whose interval is too wide. A bias that depends on the score
    or on the width, such as that of Procrustes with many columns, remains in a nonzero
    difference. Compare representations of equal widths, or use an unbiased measure.

    Every score is within the range that the measure claims, and so are the mean of
    scores and their limit for many rows. The interval therefore ends at the largest
    difference of two numbers in this range: at -1 or 1 if the range is 0 to 1.

    Parameters
    ----------
    measure
        A measure that pairs rows, or its name.
    first, second
        Two pairs (a, b) and (c, d), with one row per stimulus and the same stimuli in
        all. They may share a representation: (a, b) and (a, c).
    rng
        The seed for assigning rows to jackknife groups.
    blocks
        n labels; the rows of one block are left out together. The default are the
        blocks of a `Representation`, if there are any.

    Examples
    --------
    Two seeds of two layers. Do the seeds differ more in the second layer?

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 4))
    >>> near = [x + 0.1 * rng.normal(size=x.shape) for seed in range(2)]
    >>> far = [x + 2.0 * rng.normal(size=x.shape) for seed in range(2)]
    >>> found = difference("cka", far, near)
    >>> bool(found.value < -0.5), found.p < 0.001
    (True, True)
    """
    import scipy

    measure, seed = find_measure(measure), as_seed(rng)
    a, b = _admit(measure, "first", first)
    c, d = _admit(measure, "second", second)
    if a.n != c.n:
        raise InvalidInput(
            f"the first pair has {a.n} rows and the second has {c.n}. Both need the "
            f"same stimuli in the same order; select the common stimuli."
        )
    inputs.admit(measure.domain, first[0], second[0])  # the sample ids of both pairs
    given_pairs = (*first, *second)
    if blocks is None:
        known = (getattr(raw, "blocks", None) for raw in given_pairs)
        blocks = next((labels for labels in known if labels is not None), None)
    # The same object in both pairs is prepared once, unless one of them converts it to
    # the library of its partner. Points contain the arrays.
    admitted = [getattr(x, "values", x) for x in (a, b, c, d)]
    keys = [(id(raw), type(x)) for raw, x in zip(given_pairs, admitted, strict=True)]
    given = dict(zip(keys, admitted, strict=True))
    pairs = [keys[:2], keys[2:]]

    def scores(rows: np.ndarray) -> tuple[float, float]:
        ready = {
            key: measure.prepare(take_rows(x, rows), seed) for key, x in given.items()
        }
        s, t = (float(measure.compare(ready[i], ready[j])) for i, j in pairs)
        return s, t

    every = np.arange(a.n)
    parts = groups(a.n, seed, blocks)
    couples = [np.concatenate(parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
    (s, t), sizes = scores(every), np.array([len(part) for part in parts])
    one, two = (
        np.array([np.subtract(*scores(np.setdiff1d(every, part))) for part in left_out])
        for left_out in (parts, couples)
    )
    value, claims = s - t, measure.claims()
    widest = claims.range[1] - claims.range[0]
    found = interval(value, one, sizes=sizes.tolist())
    if found.error == 0:
        return Difference(value, found, 1.0 if s == t else 0.0, s, t, claims.kind)
    far = reach(
        np.mean(one) - one,
        bias=(len(one) - 1) * float(np.mean(one) - value) / found.error,
        quadratic=excess_variance(value, one, two, sizes) / found.error**2,
    )
    few = _few_rows(claims, admitted, None if blocks is None else np.asarray(blocks))
    if few.share < FEW_ROWS:
        far = with_few_rows(far, few, a.n, found.error, of_difference=True)
    found = replace(
        found,
        low=max(value - far.below * found.error, -widest),
        high=min(value + far.above * found.error, widest),
        widened=far.reason,
    )
    # The p-value at which the interval would end at 0.
    times = (far.below if value > 0 else far.above) / far.student
    tail = scipy.special.stdtr(len(parts) - 1, -abs(value) / found.error / times)
    return Difference(value, found, 2 * float(tail), s, t, claims.kind)


@dataclass(frozen=True, eq=False)
class _Differing:
    """The difference of two scores as a function of the weights of rows."""

    first: Reweighted
    second: Reweighted

    @property
    def rows(self) -> np.ndarray:
        return self.first.rows

    @property
    def merged(self) -> object:
        return self.first.merged

    def __call__(self, weights: np.ndarray, rest: float = 0.0) -> Weighed:
        a, b = self.first(weights, rest), self.second(weights, rest)
        return Weighed(a.score - b.score, a.change - b.change, (a.load + b.load) / 2)

    def keeping(self, kept: np.ndarray) -> "_Differing":
        return _Differing(self.first.keeping(kept), self.second.keeping(kept))

    def centers(self, load: np.ndarray) -> tuple[float, float]:
        ends = [side.centers(load) for side in (self.first, self.second)]
        return ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]


def _few_rows(claims: Claims, given: list[Any], blocks: np.ndarray | None) -> FewRows:
    """How far the difference may move because few rows carry the scores."""
    if claims.interval is None:
        return EVEN
    shares = [claims.interval.effective_share(x) for x in given]
    if min(shares) >= FEW_ROWS:
        return EVEN
    first, second = (
        claims.interval.reweighted(*pair) for pair in (given[:2], given[2:])
    )
    # An angle is not a score that can be reweighted.
    if first is None or second is None or claims.kind != "similarity":
        return FewRows(min(shares))
    return moved(_Differing(first, second), min(shares), blocks)


def _admit(measure: Measure, name: str, pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidInput(
            f"{name} must be two representations (a, b) of the same stimuli, as in "
            f"stats.difference(measure, (a, b), (c, d))."
        )
    return inputs.admit(measure.domain, *pair)
