"""The examples run, and show what they say they show."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_trap_31_the_untrained_baseline_changes_the_conclusion() -> None:
    script = EXAMPLES / "trained_and_untrained.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True
    )
    before, after = done.stdout.split("After training")
    number = r"\s+(-?\d\.\d{3})"
    cka = re.search(rf"^cka{number}.*<1e-6$", before, re.M)
    assert cka is not None  # the smallest p that is printed
    assert 0.35 < float(cka[1]) < 0.65
    trained = re.search(rf"^cka{number}.*<1e-6{number}{number}$", after, re.M)
    assert trained is not None
    score, floor, ceiling = map(float, trained.groups())
    assert floor == float(cka[1])
    assert floor < score < ceiling
    # Of untrained networks nothing is left when the images are taken out.
    without = [
        re.search(rf"^deconfounded_cka{number}", part, re.M) for part in (before, after)
    ]
    assert abs(float(without[0][1])) < 0.1
    assert float(without[1][1]) > 0.5
    assert "Without baselines one would write" in after
    assert max(map(len, done.stdout.splitlines())) <= 80
