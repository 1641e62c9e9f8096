"""The numbers of docs/from_other_packages.md are computed, by both sides."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from compat.other_packages_numbers import NUMBERS, Numbers, offset
from similitude.compat import ChangedNumber

PAGE = (Path(__file__).parents[2] / "docs" / "from_other_packages.md").read_text()
TABLE = re.findall(r"^\| (.+?) \| (\S+) \| (-?\d\.\d{3}) \| .+ \|$", PAGE, re.M)
pytestmark = pytest.mark.filterwarnings(
    "ignore::similitude.compat.ChangedNumber"  # its own tests check the warning
)


def test_the_table_has_exactly_the_computed_rows() -> None:
    assert [call for call, _, _ in TABLE] == list(NUMBERS)


@pytest.mark.parametrize(("call", "compute"), NUMBERS.items())
def test_the_page_shows_the_computed_numbers(
    call: str, compute: Callable[[], Numbers]
) -> None:
    (shown,) = (row[1:] for row in TABLE if row[0] == call)
    found = compute()
    np.testing.assert_allclose([float(text) for text in shown], found, atol=6e-4)
    assert not abs(found[0] - found[1]) < 0.004  # NaN differs, too


def test_an_offset_was_lost_in_single_precision() -> None:
    old, right = offset()
    assert f"float32, mean 10,000 | rounding error | {right:.3f} |" in PAGE
    assert abs(old - right) > 0.2


def test_the_category_of_the_page_exists() -> None:
    assert "ChangedNumber" in PAGE
    assert issubclass(ChangedNumber, UserWarning)
    assert sim.compat.ChangedNumber is ChangedNumber
