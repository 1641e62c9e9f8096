"""Commands import what they run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from similitude_lab.closeness import shipped_configs

MOST = 200  # modules of ours; the whole packages are more than 700

CODE = """
import sys
from similitude.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
ours = {m for m in sys.modules if m.split(".")[0] in ("similitude", "similitude_lab")}
print(len(ours), sorted(m for m in ours if m == "similitude.measures"))
"""


def test_train_variations_imports_few_modules(tmp_path: Path) -> None:
    changes = {
        "radial_classification_20000_0_cls4.json": {"num_points": 300},
        "radial_classification_0_128_ADAM_0_0001.json": {},
        "model_variations_config_4_classes.json": {
            **{"random_seeds": [3], "num_features": [8]},
            **{"fix_length_gs": [0], "fix_length_fs": [0]},
        },
    }
    for name, change in changes.items():
        content = json.loads(shipped_configs()[name].read_text())
        (tmp_path / name).write_text(json.dumps(content | change))
    data, train, models = changes
    options = (
        *("--dataset-config", data, "--model-var-config", models),
        *("--train-config", train, "--train-epochs", "2", "--date-str", "2025-04-22"),
    )
    count, measures = modules_of(["train-variations", *options], tmp_path)
    assert [*(tmp_path / "checkpoints").glob("*.safetensors")]
    assert int(count) < MOST
    assert measures == "[]"


@pytest.mark.parametrize(
    "words",
    ["study list", "data list", "closeness --help", "store list --help", "layers -h"],
)
def test_commands_that_score_nothing_import_no_measures(
    words: str, tmp_path: Path
) -> None:
    assert modules_of(words.split(), tmp_path)[1] == "[]"


def modules_of(arguments: list[str], folder: Path) -> list[str]:
    """The number of our modules that a command imports, and the measures among them."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split(maxsplit=1)
