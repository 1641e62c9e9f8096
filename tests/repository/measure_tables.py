"""Generate the page docs/measures.md: tables of all measures."""

import sys
from collections.abc import Iterable

from similitude.cli._measures._claims_text import by_family, interval, invariances
from similitude.measures import MEASURES, Measure

_HEAD = """\
# Measures

`make tables` generates this page from the claims of the measures; do not edit it.
Claims are tested; invariances that are not claimed are tested to fail. The tables show
default options. `similitude measures NAME` describes one measure and its options.

- cost: `cheap` takes one or two matrix products, `moderate` takes an additional step,
  `heavy` is slow for many pairs (`compare` draws no permutations by default).
- on device: "yes" means that rows stay on the device of the input, for example a GPU;
  only small arrays, such as singular values, are copied to the host. All other measures
  accept arrays on a device too, and copy them to the host.
- larger than memory: "yes" means that `compare` reads the rows in parts if they do not
  fit into the memory budget.
- gradients: "yes" means that gradients flow through the score (`torch`), so that
  it can be a loss; all other measures have no gradient.
- per stimulus: the scores of single stimuli (`sim.per_stimulus`). mean: the score is
  their mean. influence: each is the score minus the score without the stimulus.
  residual: each is a distance between the two rows of a stimulus.
- chance: the score of unrelated representations, if it is not obvious.
- paired: "no" means that the two sides may have different stimuli, and different
  numbers of rows.
"""

_COLUMNS = [
    *("measure", "kind", "range", "invariant to", "symmetric", "paired"),
    *(
        "cost",
        "on device",
        "larger than memory",
        "gradients",
        "per stimulus",
        "chance",
        "references",
    ),
]


def page() -> str:
    """All measures in `MEASURES`, one table per family."""
    families = by_family(MEASURES.values())
    tables = [f"## {title}\n\n{table(group)}" for title, group in families.items()]
    return "\n".join([_HEAD, *tables])


def table(chosen: Iterable[Measure]) -> str:
    lines = [_line(_COLUMNS), _line(["---"] * len(_COLUMNS))]
    return "\n".join([*lines, *(_line(_cells(measure)) for measure in chosen)]) + "\n"


def _cells(measure: Measure) -> list[str]:
    claims = measure.claims()
    return [
        f"`{measure.name}`",
        claims.kind,
        interval(*claims.range),
        "-" if measure.domain == "outputs" else invariances(measure),
        "yes" if claims.symmetric else "no",
        "yes" if claims.paired else "no",
        measure.cost,
        "yes" if claims.on_device else "no",
        "yes" if measure.offers("compare_sums") else "no",
        "yes" if claims.differentiable else "no",
        claims.per_stimulus or "-",
        claims.chance or "-",
        ", ".join(measure.refs),
    ]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.stdout.write(page())
