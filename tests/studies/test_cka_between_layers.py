"""The numbers of the page on CKA between layers come from the committed study."""

import re
from pathlib import Path

from similitude import studies

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cka_between_layers.md").read_text()


def quoted() -> dict[str, str]:
    """Names of quantities and their values as the page prints them."""
    return dict(re.findall(r"^\| `(\w+)` \| (-?[\d.]+) \|", PAGE, flags=re.M))


def test_the_page_has_the_numbers_of_the_study() -> None:
    record = next(
        record
        for record in studies.read_records(ROOT / "docs" / "reproductions")
        if record.study == "rtd/cka-layers"
    )
    found = quoted()
    assert len(found) > 12
    for name, text in found.items():
        digits = len(text.partition(".")[2])
        assert f"{record.values[name]:.{digits}f}" == text, name
