"""The code and the names in docs/latent.md are correct."""

import re
from pathlib import Path

import pytest

from similitude import align, topology, training
from similitude.align.relative import TRANSFORMS

PAGE = (Path(__file__).parents[2] / "docs" / "latent.md").read_text()


def test_code_block_prints_true(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"(?:^    .*\n)+", PAGE, flags=re.M)
    exec(re.sub(r"^    ", "", block, flags=re.M), {})
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
