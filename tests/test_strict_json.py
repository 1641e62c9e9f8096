"""Strict reading of JSON: limits of size and depth, and no other errors."""

import contextlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from similitude._base import _strict_json
from similitude._base._strict_json import MAX_DEPTH, check_limits, parse, read_limited

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, inner), default=0)


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_every_shallow_document_is_read_back(value: object) -> None:
    try:
        text = json.dumps(value, allow_nan=False).encode()
    except ValueError:  # infinities
        return
    if depth(value) <= MAX_DEPTH:
        assert parse(text, 2**20) == value
    else:
        with pytest.raises(ValueError, match="is nested deeper"):
            parse(text, 2**20)


@given(st.binary() | st.text(alphabet='[]{}"\\,:1e.-').map(str.encode))
@settings(max_examples=300, deadline=None)
def test_any_other_text_is_a_value_error(text: bytes) -> None:
    with contextlib.suppress(ValueError):  # any other error fails the test
        parse(text, 2**20)


@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 1, 10**6])
@pytest.mark.parametrize("bracket", ["[]", "{}"])
def test_depth_is_limited_before_the_text_is_parsed(levels: int, bracket: str) -> None:
    start = {"[]": "[", "{}": '{"a[{\\"":'}[bracket] * levels
    text = (start + "1" + bracket[1] * levels).encode()
    if levels <= MAX_DEPTH:
        assert depth(parse(text, 2**24)) == levels
        return
    with pytest.raises(ValueError, match="is nested deeper than the limit of 32"):
        check_limits(text, 2**24)


def test_brackets_in_strings_do_not_count() -> None:
    text = json.dumps({"a": "[" * 1000, "b\\": "{" * 1000}).encode()
    assert parse(text, 2**20)["a"] == "[" * 1000


def test_size_is_limited_before_the_file_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(2**42)  # sparse: it does not use the disk
    assert len(read_limited(huge, 100)) == 101
    with pytest.raises(ValueError, match="is larger than the limit of 100 bytes"):
        parse(read_limited(huge, 100), 100)


def test_only_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "pipe"):
        with pytest.raises(ValueError, match="is missing or not a file"):
            read_limited(path, 100)
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert read_limited(tmp_path / "file", 100) == b"x" * 100


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_outside_json_are_refused(constant: str) -> None:
    with pytest.raises(ValueError, match=f"{constant} is not JSON"):
        _strict_json.parse(constant.encode(), 100)
