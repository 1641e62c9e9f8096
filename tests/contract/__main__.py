"""`make contract NAME=cka`: the contract of a measure; with ALL=1, of its variants."""

import sys

from contract.variants import VARIANTS
from similitude import find_measure
from similitude.testing import check_measure


def main(name: str, *, every: bool) -> int:
    """Print one line per variant; 1 if one of them fails."""
    asked = find_measure(name)
    others = [v for v in VARIANTS if v.name == asked.name and v != asked]
    failed = 0
    for measure in [asked, *others] if every else [asked]:
        try:
            check_measure(measure)
        except AssertionError as error:
            failed += 1
            sys.stdout.write(f"{measure.label}: FAILED\n{error}\n")
        else:
            sys.stdout.write(f"{measure.label}: ok\n")
        sys.stdout.flush()
    if others and not every:
        sys.stdout.write(f"ALL=1 checks {len(others)} other variants too.\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], every=len(sys.argv) > 2))
