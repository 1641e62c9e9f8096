"""Coverage of intervals where few rows carry the score, in populations drawn blindly.

Twelve populations come from one generator: x = r (zW + e + c p), y = r (zV + f + c q),
with a rare class c, its shift, a heavy tail r of row lengths, rectified columns, widths
and numbers of rows. The seed is the hash of the commit of the method, so that the
method cannot have been fitted to them. Each population consists of 200,000 rows, whose
true value is known; samples are drawn from them.

"covers" is the coverage of printed intervals, "above" the share of intervals above the
true value, "width" their median width, "withheld" the share without an interval, and
"unseen" the share of samples without any row of the rare class. Such samples cannot
show the class; "seen" is the coverage of the other samples. A case below 95 % minus 2.5
standard errors is run again with 2,000 new draws, and that run decides ("again"), with
the coverage of samples with 0, 1, 2, ... rows of the class.
--known adds the cases of a review, --benign populations without rare rows, --shares the
intervals of `disagreement`.

--only NAME ... runs cases whose name contains a NAME. --folder PATH keeps finished
cases, and the same command resumes.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command
from common.interval_cases import label_block_sampler, pair
from common.populations import Columns, Finite, cka_of, explained_by
from interval_coverage import interval
from similitude import stats
from similitude.engine.question._join import join
from similitude.errors import Undefined
from similitude.stats._proportion_interval import share_interval

SIZE, RUNS, AGAIN = 200_000, 300, 2_000
CKA, REGRESSION = sim.measures.CKA(), sim.measures.LinearRegression()
Ends = tuple[float, float] | None
# An interval, and the number of rows of the rare class in its sample.
Sample = Callable[[np.random.Generator, int], tuple[Ends, int]]
MOST = 4  # rows of the rare class that are told apart


@dataclass(frozen=True)
class Rare:
    """One population of the generator; `zeros` is the share of zeros per column."""

    share: float
    shift: float
    zeros: float
    tail: float
    d: int
    n: int
    seed: int

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "Rare":
        zeros = rng.uniform(0.3, 0.98) if rng.uniform() < 0.4 else 0.0
        return cls(
            share=float(np.exp(rng.uniform(np.log(0.01), np.log(0.3)))),
            shift=float(rng.uniform(0, 12)),
            zeros=float(zeros),
            tail=float(rng.uniform(0, 0.9)),
            d=int(rng.integers(3, 31)),
            n=int(np.exp(rng.uniform(np.log(60), np.log(800)))),
            seed=int(rng.integers(2**31)),
        )

    def __str__(self) -> str:
        return (
            f"class {self.share:.1%}, shift {self.shift:.1f}, zeros {self.zeros:.0%}, "
            f"tail {self.tail:.2f}, d {self.d}, n {self.n}"
        )

    @property
    def unseen(self) -> float:
        return (1 - self.share) ** self.n

    @cached_property
    def sides(self) -> tuple[np.ndarray, ...]:
        """x, y, and z, a noisier view of y for differences; then the rare class."""
        rng, q = np.random.default_rng(self.seed), 4
        latent = rng.normal(size=(SIZE, q))
        rare = rng.uniform(size=(SIZE, 1)) < self.share
        scale = np.exp(self.tail * rng.normal(size=(SIZE, 1)))

        def side() -> np.ndarray:
            loadings, far = rng.normal(size=(q, self.d)), rng.normal(size=self.d)
            rows = latent @ loadings + rng.normal(size=(SIZE, self.d))
            rows = scale * (rows + self.shift * rare * far)
            if self.zeros:
                rows = np.maximum(rows - np.quantile(rows, self.zeros, axis=0), 0)
            return rows

        x, y = side(), side()
        noise = rng.normal(size=y.shape) * np.std(y, axis=0)
        return x, y, y + noise, rare

    def covariances(self) -> Any:
        return Finite(*self.sides[:2]).covariances()

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
        x, y, _, rare = self.sides
        rows = rng.integers(SIZE, size=n)
        return x[rows], y[rows], rare[rows]


@dataclass(frozen=True)
class Case:
    """A name, the true value, and a function that draws a sample and its interval."""

    name: str
    truth: float
    sample: Sample
    unseen: float = 0.0

    def run(self, first: int, runs: int) -> dict[str, Any]:
        drawn = [self.sample(np.random.default_rng([first, k]), k) for k in range(runs)]
        shown = np.array([e for e, _ in drawn if e is not None]).reshape(-1, 2)
        counts = np.array([k for e, k in drawn if e is not None], dtype=int)
        seen, counts = counts > 0, np.minimum(counts, MOST)
        inside = (shown[:, 0] <= self.truth) & (self.truth <= shown[:, 1])
        any_shown = len(shown) > 0
        return {
            "case": self.name,
            "truth": self.truth,
            "runs": runs,
            "shown": len(shown),
            "covers": float(np.mean(inside)) if any_shown else None,
            "above": float(np.mean(shown[:, 0] > self.truth)) if any_shown else None,
            "seen": float(np.mean(inside[seen])) if np.any(seen) else None,
            "width": float(np.median(np.diff(shown))) if any_shown else None,
            "unseen": self.unseen,
            "by_rows": {
                str(k): [int(np.sum(inside[counts == k])), int(np.sum(counts == k))]
                for k in range(MOST + 1)
            },
        }


def printed(measure: sim.measures.Measure, draw: Callable[..., Any], n: int) -> Sample:
    def sample(rng: np.random.Generator, seed: int) -> tuple[Ends, int]:
        reps, seen = draw(rng, n)
        fields = interval(measure, join(reps, "exact"), seed)
        return (fields["low"], fields["high"]) if "low" in fields else None, seen

    return sample


def both(name: str, population: Any, n: int, unseen: float = 0.0) -> Iterator[Case]:
    def draw(rng: np.random.Generator, n: int) -> tuple[list, int]:
        x, y, *rare = population.draw(rng, n)
        return pair(x, y), int(np.sum(rare)) if rare else MOST

    for label, measure, truth in (
        ("cka", CKA, cka_of(population)),
        ("R^2", REGRESSION, explained_by(population)),
    ):
        yield Case(f"{label}, {name}", truth, printed(measure, draw, n), unseen)


def differing(name: str, rare: Rare) -> Case:
    x, y, z, far = rare.sides

    def sample(rng: np.random.Generator, seed: int) -> tuple[Ends, int]:
        rows = rng.integers(SIZE, size=rare.n)
        first, second = (x[rows], y[rows]), (x[rows], z[rows])
        seen = int(np.sum(far[rows]))
        try:
            found = stats.difference(CKA, first, second, rng=seed).interval
        except Undefined:
            return None, seen
        return (found.low, found.high), seen

    truth = cka_of(Finite(x, y)) - cka_of(Finite(x, z))
    return Case(f"difference, {name}", truth, sample, rare.unseen)


def blind(commit: str) -> Iterator[Case]:
    rng = np.random.default_rng(int(commit, 16))
    for number in range(12):
        rare = Rare.drawn(rng)
        name = f"{number + 1}: {rare}"
        yield from both(name, rare, rare.n, rare.unseen)
        yield differing(name, rare)


@dataclass(frozen=True)
class FarClass:
    """The population of the review: x = zW + e + c dx, y = zV + f + c dy."""

    share: float = 0.03
    shift: float = 10.0

    def _parts(self) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(32)
        w, v = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
        return w, v, self.shift * rng.normal(size=8), self.shift * rng.normal(size=8)

    def covariances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        w, v, dx, dy = self._parts()
        spread = self.share * (1 - self.share)
        return (
            w.T @ w + np.eye(8) + spread * np.outer(dx, dx),
            v.T @ v + np.eye(8) + spread * np.outer(dy, dy),
            w.T @ v + spread * np.outer(dx, dy),
        )

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
        w, v, dx, dy = self._parts()
        z, e, f = rng.normal(size=(n, 4)), *rng.normal(size=(2, n, 8))
        rare = rng.uniform(size=(n, 1)) < self.share
        return z @ w + e + rare * dx, z @ v + f + rare * dy, rare


def rectified(zeros: float, d: int) -> Finite:
    rng = np.random.default_rng(5)
    w, v, z = *rng.normal(size=(2, 6, d)), rng.normal(size=(SIZE, 6))
    sides = [z @ (side / np.linalg.norm(side, axis=0)) for side in (w, v)]
    return Finite(*(np.maximum(s - np.quantile(s, zeros), 0) for s in sides))


def known() -> Iterator[Case]:
    """The cases of the review: they were known before the method."""
    from common.populations import LogNormal

    for shift, n in ((4.0, 60), (10.0, 60), (10.0, 150), (30.0, 100)):
        name = f"3 % class, shift {shift:g}, n {n}"
        yield from both(name, FarClass(0.03, shift), n, 0.97**n)
    yield from both("98 % zeros, d 10, n 150", rectified(0.98, 10), 150)
    yield from both("90 % zeros, d 10, n 60", rectified(0.9, 10), 60)
    for n in (150, 600):
        yield from both(f"log-normal 0.8, d 20, n {n}", LogNormal(0.8, 20, 6, 3), n)


def benign() -> Iterator[Case]:
    """Normal rows, classes of equal size, and t tails."""
    for c, d, n in ((0.0, 10, 40), (0.5, 5, 30), (0.7, 8, 60), (0.7, 30, 150)):
        yield from both(f"normal, c {c:g}, d {d}, n {n}", Columns(d, d, c), n)
    for kind in ({"spectrum": "power"}, {"classes": 10}, {"law": "t5"}):
        for n in (60, 200):
            word = str(next(iter(kind.values())))
            word = "10 classes" if word == "10" else word
            yield from both(f"{word}, d 12, n {n}", Columns(12, 12, 0.7, **kind), n)


def shares() -> Iterator[dict[str, Any]]:
    """Exact coverage of `disagreement` for expected counts 0 to 10; then blocks."""
    from scipy import stats as distributions

    for n in (50, 200, 1000):
        sizes = np.full(n, 1)
        group_sizes = stats.GroupSizes(sizes, sizes)
        ends = []
        for count in range(n + 1 if n <= 50 else 41):
            scores = stats.JackknifeScores(count / n, sizes, sizes[:1], group_sizes)
            found = share_interval(scores)
            ends.append((found.low, found.high))
        low, high = np.transpose(ends)
        for expected in (0.1, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10):
            near = np.linspace(expected * 0.9, expected * 1.1, 41) / n
            covers = [
                distributions.binom.pmf(np.arange(len(low)), n, p)[
                    (low <= p) & (p <= high)
                ].sum()
                for p in near
            ]
            yield {
                "case": f"share, n {n}, count {expected:g} +- 10 %",
                "truth": expected / n,
                "runs": 0,
                "shown": 0,
                "covers": float(np.mean(covers)),
                "above": None,
                "seen": None,
                "width": float(np.min(covers)),
                "unseen": float((1 - expected / n) ** n),
                "by_rows": {},
            }


def share_blocks() -> Iterator[Case]:
    measure = sim.MEASURES["disagreement"]
    for expected in (1, 2, 5, 10):
        for alike in (0.1, 0.5):
            draw = label_block_sampler(50, "unequal", expected / 500, alike)
            name = f"share, 50 unequal blocks, count {expected}, alike {alike:g}"

            def sample(rng: np.random.Generator, _: int, draw: Any = draw) -> Any:
                return draw(rng), MOST

            yield Case(name, expected / 500, printed(measure, sample, 0))


def decided(
    case: Case, done: dict[str, dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], bool]]:
    """The result of 300 runs, and of 2,000 others if it is too low; whether it is new.

    `done` has the finished results by their names.
    """
    name, again = case.name, f"again: {case.name}"
    first = done.get(name) or case.run(0, RUNS)
    yield first, name not in done
    if first["covers"] is not None and first["covers"] < limit(first["shown"]):
        second = done.get(again) or case.run(1, AGAIN) | {"case": again}
        yield second, again not in done


def limit(shown: int) -> float:
    return 0.95 - 2.5 * float(np.sqrt(0.95 * 0.05 / shown))


def line(found: dict[str, Any]) -> str:
    numbers = [
        "-" if found[k] is None else f"{100 * found[k]:.1f}"
        for k in ("covers", "above", "seen")
    ]
    width = "-" if found["width"] is None else f"{found['width']:.3f}"
    withheld = 1 - found["shown"] / found["runs"] if found["runs"] else 0.0
    low = found["shown"] and found["covers"] < limit(found["shown"])
    by_rows = found["by_rows"] if found["case"].startswith("again") else {}
    rows = "".join(
        f"\n    {'>= ' * (k == str(MOST))}{k} rows of the class: {inside} of {shown}"
        for k, (inside, shown) in by_rows.items()
    )
    return (
        f"{found['case']:<82}{found['truth']:>8.3f}{numbers[0]:>7}{numbers[1]:>7}"
        f"{numbers[2]:>7}{width:>7}{withheld:>7.0%}{found['unseen']:>7.0%}"
        f"{'  low' if low else ''}{rows}"
    )


def results(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    kept = options.folder / "rare_rows.jsonl" if options.folder else None
    lines = kept.read_text().splitlines() if kept and kept.exists() else []
    done = {found["case"]: found for found in map(json.loads, lines)}
    groups = [blind(options.commit)] if options.commit else []
    groups += [g() for g in (known, benign) if getattr(options, g.__name__)]
    groups += [share_blocks()] if options.shares else []
    for case in (case for group in groups for case in group):
        if not any(part in case.name for part in options.only):
            continue
        for found, new in decided(case, done):
            if kept and new:
                options.folder.mkdir(parents=True, exist_ok=True)
                with kept.open("a") as file:
                    file.write(json.dumps(found) + "\n")
            yield found
    if options.shares:
        yield from shares()


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--commit", help="hash of the commit of the method")
    parser.add_argument("--known", action="store_true", help="cases of the review")
    parser.add_argument("--benign", action="store_true", help="ordinary rows")
    parser.add_argument("--shares", action="store_true", help="disagreement")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of case names")
    parser.add_argument("--folder", type=Path, help="keep finished cases, and resume")
    options = parser.parse_args()
    found = []
    if not options.json:
        print(
            f"{'case':<82}{'truth':>8}{'covers':>7}{'above':>7}{'seen':>7}"
            f"{'width':>7}{'withheld':>8}{'unseen':>7}"
        )
    for result in results(options):
        found.append(result)
        if not options.json:
            print(line(result), flush=True)
    if options.json:
        print(json.dumps({"cases": found}, indent=2))


if __name__ == "__main__":
    main()
