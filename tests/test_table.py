"""Tables of text: alignment, blocks of columns, long names and wrapped texts."""

import pytest

from similitude._base._printable import some, wrapped_lines
from similitude._base._table import Column, table

NAMES = Column("", ["a", "long"], left=True)


def test_columns_are_aligned_and_the_head_is_left_out_without_headings() -> None:
    score = Column("score", ["1.0", "-"])
    assert table([NAMES, score]) == ["      score", "a       1.0", "long      -"]
    assert table([NAMES, Column("", ["1.0", "-"])]) == ["a     1.0", "long    -"]


@pytest.mark.parametrize("between", [(), ("",)])
def test_columns_that_do_not_fit_follow_below_with_the_names(between) -> None:
    one, two = Column("one", ["1", "2"]), Column("two", ["3", "4"])
    first = ["      one", "a       1", "long    2"]
    second = ["      two", "a       3", "long    4"]
    assert table([NAMES, one, two], 12, between=between) == [*first, *between, *second]


def test_a_joined_column_stays_next_to_the_column_before_it() -> None:
    one, two = Column("one", ["1", "2"]), Column("two", ["3", "4"])
    interval = Column("ci", ["x", "y"], joined=True)
    heads = [line for line in table([NAMES, one, two, interval], 15) if "o" in line]
    assert heads[0] == "      one"
    assert "      two  ci" in heads


def test_a_long_name_has_its_own_line_and_none_ends_a_row() -> None:
    names = Column("pair", ["a", "much longer"], left=True, longest=5)
    text = Column("why", ["", "no score at all"], least=5)
    lines = table([names, Column("p", ["1", None])], 16, text=text)
    assert lines == [
        "pair  p  why",
        "a     1",
        "much longer",
        "      no score",
        "      at all",
    ]


def test_a_text_stands_below_its_row_if_there_is_little_room() -> None:
    text = Column("why", ["one two", ""], least=20)
    assert table([NAMES, Column("n", ["1", "2"])], 12, text=text) == [
        "      n",
        "a     1",
        "      one",
        "      two",
        "long  2",
    ]


def test_wrapped_lines_keep_the_indent_of_a_text() -> None:
    assert wrapped_lines(["one two", "  one two"], 7) == [
        "one two",
        "  one",
        "    two",
    ]


def test_some_counts_the_names_that_it_leaves_out() -> None:
    assert some(["a"], 1) == "a"
    assert some(range(2002), 1) == "0 and 2,001 more"
