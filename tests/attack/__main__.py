"""`make attack`: try all attacks, and print how many cases survived.

Names of attacks choose some of them. Exit code 1: a case did not survive.
"""

import argparse
import os
import sys

from attack.sandbox import attack
from attack.seeds import VARIABLE

ATTACKS = (
    "store_flips",
    "results_flips",
    "mutated_files",
    "hostile_files",
    "onnx_files",
    "checkpoint_flips",
    "extraction_flips",
    "shadowed_modules",
    "report_sinks",
    "surroundings",
    "hard_arrays",
    "kills",
    "writers",
    "full_disk",
)
SHOWN = 20  # failures per attack


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", default=ATTACKS)
    parser.add_argument("--subset", action="store_true", help="the cases of make test")
    parser.add_argument("--seed", type=int, default=0, help="other damage and moments")
    parser.add_argument("--only", nargs="*", default=(), help="cases of one attack")
    given = parser.parse_args()
    os.environ[VARIABLE] = str(given.seed)
    failed = False
    sys.stdout.write(f"{'attack':<20}{'tried':>8}{'survived':>10}{'silent':>8}")
    sys.stdout.write(f"{'seconds':>9}{'processor':>11}\n")
    for name in given.attacks:
        tally = attack(
            name,
            full=not given.subset,
            children=min(2, os.cpu_count() or 1),
            only=given.only,
        )
        words = name.replace("_", " ")
        numbers = f"{tally.tried:>8,}{tally.survived:>10,}{tally.silent:>8,}"
        numbers += f"{tally.seconds:>9.0f}{tally.processor:>11.0f}"
        sys.stdout.write(f"{words:<20}{numbers}\n")
        failures = list(tally.failures.items())
        for case, problem in failures[:SHOWN]:
            sys.stdout.write(f"  {case}: {problem[:2000]}\n")
        if len(failures) > SHOWN:
            sys.stdout.write(f"  and {len(failures) - SHOWN} more\n")
        sys.stdout.flush()
        failed = failed or bool(failures)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
