"""Compare every measure with independent computations, and write the page.

    PYTHONPATH=tests python -m benchmarks.trust.conformance --out FOLDER [--quick]

Each variant of each measure is computed by the library and by two or more routes that
do not use the library, for each case and seed. One JSON line per variant, case and seed
is added to FOLDER/conformance.jsonl; lines that are there are not repeated. --page FILE
then writes the page from all lines. The exit status is 1 if a deviation is above its
tolerance and not explained.
"""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from contract.variants import VARIANTS
from similitude import Measure

from ..common.harness import command, cost
from ..common.json_lines import add_line, read_lines
from .cases import CASES, QUICK
from .compared import compared
from .explained import unexplained
from .facts import facts
from .page import write

SEEDS = 3


def work(
    *, quick: bool, seeds: int, only: str = ""
) -> Iterator[tuple[Measure, str, int]]:
    """Every variant, case and seed, one seed after another."""
    for seed in range(1 if quick else seeds):
        for measure in VARIANTS:
            for case in CASES[measure.domain]:
                if measure.label.startswith(only) and not (quick and case not in QUICK):
                    yield measure, case, seed


def main() -> int:
    parser = command(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where lines are kept")
    parser.add_argument("--quick", action="store_true", help="one seed, five cases")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="draws of each case")
    parser.add_argument("--only", default="", help="variants that begin with this")
    parser.add_argument("--page", type=Path, help="write the page to this file")
    given = parser.parse_args()
    path = given.out / "conformance.jsonl"
    done = {(o["measure"], o["case"], o["seed"]): o for o in read_lines(path)}
    with threadpool_limits(1), np.errstate(all="ignore"):
        for measure, case, seed in work(
            quick=given.quick, seeds=given.seeds, only=given.only
        ):
            if (measure.label, case, seed) in done:
                continue
            spent, line = cost(partial(compared, measure, case, seed))
            line["seconds"] = round(spent, 4)
            add_line(path, line)
            done[measure.label, case, seed] = line
    lines = list(done.values())
    found = facts()
    if given.page:
        write(lines, found, given.page)
    wrong = unexplained(lines)
    wrong += [fact.text for part in found.values() for fact in part if not fact.holds]
    if given.json:
        print(json.dumps(wrong))
    else:
        print("\n".join(wrong) or "all deviations are tolerated or explained")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
