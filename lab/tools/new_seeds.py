"""Measure the networks of the replication on new seeds, and write its tables.

    python lab/tools/new_seeds.py CHECKPOINTS

The plan is lab/results/closeness/cifar10-reps/new_seeds/README.md. Rays, orders and
correlations are computed by the code of `closeness/cifar10-reps` and
`closeness/loss-vs-mcca`.
"""

import sys
from pathlib import Path

import numpy as np

from similitude.networks.data import load_dataset
from similitude.store import write_table
from similitude_lab.closeness import load_experiment
from similitude_lab.closeness.studies import _cifar10_reps, _loss_vs_mcca
from similitude_lab.closeness.studies._image_models import Trained
from similitude_lab.closeness.studies._models import DATE
from similitude_lab.study import StudyResult

FOLDER = Path(__file__).parents[1] / "results/closeness/cifar10-reps/new_seeds"
CONFIGURATIONS = ("configs/cifar10_0_cls10.json", "models.toml", "training.toml")
DIM = 2


def measured(checkpoints: Path) -> dict[str, StudyResult]:
    """The results of both studies on the networks in a folder, by name of the study."""
    data, *own = CONFIGURATIONS
    plan = load_experiment([data, *(str(FOLDER / name) for name in own)])
    models, columns = _cifar10_reps.evaluated(Trained(plan, checkpoints, DATE))
    names = load_dataset(plan.dataset.dataset_name).class_names
    images = _cifar10_reps.summarize(models, columns, names)
    pairs = images.tables["pairs"]
    part = {
        **{name: columns[name] for name in ("seed", "loss", "accuracy")},
        **{name: np.array(pairs[name]) for name in ("seed_a", "seed_b", "m_cca")},
    }
    return {
        "closeness/cifar10-reps": images,
        "closeness/loss-vs-mcca": _loss_vs_mcca.summarize({DIM: part}),
    }


def main() -> int:
    results = measured(Path(sys.argv[1]))
    for name, result in results.items():
        print(name)
        for quantity, value in result.values.items():
            print(f"  {quantity} = {value:.4g}")
    tables = results["closeness/cifar10-reps"].tables
    losses = results["closeness/loss-vs-mcca"].tables["pairs"]
    write_table(FOLDER / "models.csv", tables["models"])
    write_table(FOLDER / "unembeddings.csv", tables["unembeddings"])
    write_table(
        FOLDER / "pairs.csv", {**losses, "same_order": tables["pairs"]["same_order"]}
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
