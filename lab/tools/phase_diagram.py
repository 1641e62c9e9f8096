"""Phase diagram on planted data: which transform is robust to which change?

    python lab/tools/phase_diagram.py [--out FOLDER] [--quick]

Writes phase_diagram.png and phase_diagram.csv, and prints a summary. The full grid
takes about a minute on one core; --quick computes a coarse grid in a few seconds.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from similitude_lab.relative import phase_diagram, plot_phase

QUICK = {"dimensions": (4, 16, 64), "anchors": (4, 16, 64, 128), "seeds": (0,)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("phase"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    start = time.perf_counter()
    with threadpool_limits(1):  # more threads do not speed up small products
        data = phase_diagram(**(QUICK if options.quick else {}))
    seconds = time.perf_counter() - start
    options.out.mkdir(parents=True, exist_ok=True)
    drawn = plot_phase(data)
    drawn.axes[0, 0].figure.savefig(options.out / "phase_diagram.png", dpi=160)
    with (options.out / "phase_diagram.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))
    print(f"{len(data['d']):,} stitchings in {seconds:.0f} s")
    print("share of accuracy above chance that is kept, with the most anchors")
    print("(*: no loss of accuracy; -: undefined)\n")
    most = drawn.data["k"] == drawn.data["k"].max()
    changes = list(dict.fromkeys(drawn.data["change"].tolist()))
    dims = np.unique(drawn.data["d"])
    for change in changes:
        print(f"{change:32}" + "".join(f"  d={d:<4}" for d in dims))
        for transform in dict.fromkeys(drawn.data["transform"].tolist()):
            rows = most & (drawn.data["change"] == change)
            rows &= drawn.data["transform"] == transform
            cells = zip(
                drawn.data["kept"][rows], drawn.data["exact"][rows], strict=True
            )
            print(f"  {transform:30}" + "".join(_cell(*cell) for cell in cells))
    print(f"\n{options.out}/phase_diagram.png")


def _cell(kept: float, exact: bool) -> str:  # noqa: FBT001
    text = "     -" if np.isnan(kept) else f"{kept:6.2f}"
    return f"{text}{'*' if exact else ' '} "


if __name__ == "__main__":
    main()
