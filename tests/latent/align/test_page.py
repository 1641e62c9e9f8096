"""The code and the names in docs/latent.md are correct."""

import re
import textwrap
from pathlib import Path

import pytest

from similitude import topology
from similitude.latent import align
from similitude.latent import stitching as training
from similitude.latent.align.relative import TRANSFORMS

PAGE = (Path(__file__).parents[3] / "docs" / "latent.md").read_text()


BLOCKS = [
    textwrap.dedent(block)
    for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", PAGE, flags=re.M)
]


def test_code_block_prints_true(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (block for block in BLOCKS if block.startswith("import numpy"))
    exec(block, {})
    assert capsys.readouterr().out == "True\n"


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
