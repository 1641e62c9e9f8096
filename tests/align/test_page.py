"""The code and the names in docs/latent.md are correct."""

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from similitude import align, topology, training
from similitude.align.relative import TRANSFORMS
from similitude.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "latent.md").read_text()


BLOCKS = [
    textwrap.dedent(block)
    for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", PAGE, flags=re.M)
]


def test_code_block_prints_true(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (block for block in BLOCKS if block.startswith("import numpy"))
    exec(block, {})
    assert capsys.readouterr().out == "True\n"


def test_transcript_of_stitch_is_the_output_of_the_command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The page shows the table of these files in a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 5
    stimuli = rng.normal(size=(300, 16)) + 4 * np.eye(16)[labels]
    stimuli[7] = stimuli[2]
    for name, units in (("mlp", 16), ("cnn", 16), ("vit", 24)):
        np.save(f"{name}.npy", np.maximum(stimuli @ rng.normal(size=(16, units)), 0))
    np.save("labels.npy", labels)
    (block,) = (block for block in BLOCKS if block.startswith("$ similitude latent"))
    command, expected = block.split("\n", 1)
    with pytest.raises(SystemExit) as stop:
        main(command.removeprefix("$ similitude ").split())
    assert stop.value.code == 0
    assert capsys.readouterr().out.splitlines() == expected.splitlines()


def test_documented_names_exist() -> None:
    for package in (align, topology, training):
        short = package.__name__.rpartition(".")[2]
        for name in re.findall(rf"`{short}\.(\w+)", PAGE):
            assert hasattr(package, name.removesuffix("_")) or name == "fit_", name


def test_only_product_normalizes_its_output_by_default() -> None:
    assert {n: t().normalize for n, t in TRANSFORMS.items() if n != "product"} == {
        n: "none" for n in TRANSFORMS if n != "product"
    }
    assert TRANSFORMS["product"]().normalize == "l2"
