"""What no interval can promise about a class of which the sample has no row.

A sample of n rows has no row of a class with the share p in (1 - p)^n of the cases. Row
by row, it is then a sample of the ordinary population, without the class. So for any
rule that prints an interval or withholds it,

    coverage <= (u c + 1 - u) / (u (1 - w) + 1 - u),    u = (1 - p)^n,

where w is the share of samples of the ordinary population whose interval is withheld,
and c is the share whose interval is printed and contains the true value *with* the
class. Equality needs all other intervals to be printed and to cover.

First, the bound with today's intervals of ordinary rows, if only misses are withheld, 3
points more than today. Then the smallest c that reaches the limit of 95 % minus 2.5
standard errors of 2,000 draws. The class may be far in any direction: with a shift of
both sides the true value goes to 1, with a shift of one side to 0. Each value between
is that of some class, so each has to be in the share c of the ordinary intervals, and
their mean width is at least c (Pratt: the mean width is the integral, over all values,
of the share of intervals that contain them). "at shift 30" is the bound for a class
that is farther away.
"""

import json

import numpy as np

from common.harness import command
from common.interval_cases import pair
from common.populations import cka_of, explained_by
from interval_coverage import interval
from rare_rows import AGAIN, CKA, REGRESSION, FarClass, limit
from similitude.engine.question._join import join

SHARE, N, MORE = 0.03, 60, 0.03


def bound(c: float, withheld: float) -> float:
    """The largest coverage of a class that ordinary samples do not show."""
    unseen = (1 - SHARE) ** N
    return (unseen * c + 1 - unseen) / (1 - unseen * withheld)


def needed(withheld: float) -> float:
    """The smallest c with a bound at the limit."""
    unseen = (1 - SHARE) ** N
    return (limit(AGAIN) * (1 - unseen * withheld) - (1 - unseen)) / unseen


def of_measure(name: str, measure, truth_of, runs: int) -> dict[str, float]:
    ordinary, shifted, far = (FarClass(SHARE, shift) for shift in (0.0, 10.0, 30.0))
    ends = []
    for k in range(runs):
        x, y, _ = ordinary.draw(np.random.default_rng([2, k]), N)
        fields = interval(measure, join(pair(x, y), "exact"), k)
        if "low" in fields:
            ends.append((fields["low"], fields["high"]))
    low, high = np.transpose(ends)
    withheld = 1 - len(ends) / runs

    def contain(truth: float) -> float:
        """The share of all samples with a printed interval that contains `truth`."""
        return float(np.sum((low <= truth) & (truth <= high))) / runs

    truth, least = truth_of(shifted), needed(withheld + MORE)
    return {
        "measure": name,
        "ordinary_truth": truth_of(ordinary),
        "ordinary_covers": contain(truth_of(ordinary)) / (1 - withheld),
        "withheld": withheld,
        "mean_width": float(np.mean(high - low)),
        "class_truth": truth,
        "contain_class": contain(truth),
        "median_shortfall": float(np.median((truth - high)[high < truth])),
        "above_class": float(np.mean(low > truth)),
        "largest_coverage": bound(contain(truth), withheld + MORE),
        "limit": limit(AGAIN),
        "least_width": least,
        "largest_at_shift_30": bound(contain(truth_of(far)), withheld),
    }


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="ordinary samples")
    options = parser.parse_args()
    cases = ("cka", CKA, cka_of), ("R^2", REGRESSION, explained_by)
    found = [of_measure(*case, options.runs) for case in cases]
    if options.json:
        print(json.dumps({"unseen": (1 - SHARE) ** N, "measures": found}, indent=2))
        return
    print(f"{'samples without a row of the class':<44}{(1 - SHARE) ** N:>9.1%}")
    for key in found[0]:
        values = [each[key] for each in found]
        words = key.replace("_", " ")
        texts = (v if isinstance(v, str) else f"{v:.3f}" for v in values)
        print(f"{words:<44}" + "".join(f"{text:>9}" for text in texts))


if __name__ == "__main__":
    main()
