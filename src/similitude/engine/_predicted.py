"""Lines before a run: the time of each measure, and pairs above the budget.

Times are orders of magnitude, from counted multiplications: nothing is computed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from .._base import _config
from ..errors import either
from ..measures import Measure
from ._memory import Memory
from ._plan import REMAINDERS, WORK_PER_SECOND, Job, Plan, in_bytes
from ._tiles import members_of

OVERHEAD = 2e7  # multiplications in the time to write and to complete a row
# Products of an interval whose remainders share their work, in scores.
SHARED = 5
LONG = 60.0  # seconds; a shorter prediction is not printed


def predictions(planned: Plan, labels: Mapping[Measure, str]) -> tuple[str, ...]:
    """Measures of which a pair can exceed the budget, and times of over a minute."""
    lines, workers = _too_large(planned, labels), _config.current().workers
    found = {
        labels[measure]: work(measure, jobs, planned) / WORK_PER_SECOND / workers
        for measure, jobs in planned.in_memory().items()
    }
    if sum(found.values()) < LONG:
        return lines
    each = sorted(found.items(), key=lambda item: -item[1])
    text = ", ".join(f"{name} {in_words(s)}" for name, s in each if s >= LONG / 10)
    return (*lines, f"predicted time, within a factor of ten: {text}.")


def _too_large(planned: Plan, labels: Mapping[Measure, str]) -> tuple[str, ...]:
    """A line with the measures of which a loaded pair can need more than the budget."""
    budget, needed = _config.current().memory_budget, {}
    for measure, members in planned.loaded.items():
        shapes = [(planned.reps[i].n, planned.reps[i].d) for i in members]
        needed[labels[measure]] = max((Memory(*s).pair for s in shapes), default=0)
    large = [label for label, size in needed.items() if size > budget]
    if not large:
        return ()
    rows = either(python="rows=", shell="--rows")
    return (
        f"{', '.join(large)}: a pair can need up to {in_bytes(max(needed.values()))}, "
        f"more than the budget of {in_bytes(budget)} (SIMILITUDE_MEMORY_BUDGET), since "
        f"all rows are loaded. {rows} compares fewer of them.",
    )


def work(measure: Measure, jobs: Sequence[Job], planned: Plan) -> float:
    """Multiplications of all jobs: each representation once, and each pair."""
    reps = planned.reps
    sides = (reps[i] for i in members_of(jobs))
    prepared = sum(2.0 * rep.n * min(rep.n, rep.d) ** 2 for rep in sides)
    shapes = Counter(
        (reps[j.a].n, reps[j.a].d, reps[j.b].d, j.statistics) for j in jobs
    )
    total, interval = prepared, measure.claims().interval is not None
    for (n, d_a, d_b, wanted), count in shapes.items():
        score = measure.score_work(n, d_a, d_b)
        each = score + wanted.permutations * measure.null_work(n, d_a, d_b)
        if wanted.null == "moments":
            each = score
        if interval and measure.offers("leave_out"):
            each += SHARED * score
        elif interval:
            each += REMAINDERS * (score + 2.0 * n * min(n, max(d_a, d_b)) ** 2)
        total += count * (each + OVERHEAD)
    if any(wanted.null == "moments" for *_, wanted in shapes):
        total += sum(
            measure.moments_work(reps[i].n, reps[i].d) for i in members_of(jobs)
        )
    return total


def in_words(seconds: float) -> str:
    """One digit and a unit, such as "about 2 hours"."""
    units = [(1, "second"), (60, "minute"), (3600, "hour"), (86400, "day")]
    size, unit = max((u for u in units if seconds >= u[0]), default=units[0])
    count = max(1, int(float(f"{seconds / size:.0e}")))
    return f"about {count:,} {unit}{'s' * (count > 1)}"
