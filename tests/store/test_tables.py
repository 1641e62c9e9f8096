"""Valid and invalid .csv and .parquet tables."""

from pathlib import Path

import numpy as np
import polars
import pytest

from similitude import InvalidInput
from similitude.engine import check_values
from similitude.store import read_files


def csv(folder: Path, text: str):
    (folder / "a.csv").write_bytes(text.encode())
    (found,) = read_files(folder / "a.csv")
    return found


def parquet(folder: Path, **columns):
    polars.DataFrame(columns).write_parquet(folder / "a.parquet")
    (found,) = read_files(folder / "a.parquet")
    return found


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "1,2\r\n3,4\r\n\r\n\r\n",
        "\ufeffa,b\n1,2\n3,4",
        '"1","2"\n" 3 ","4"\n',
        '"a, with\na break",b\n1,2\n3,4\n',
        "1e0,2.0\n3,+4.\n",
    ],
)
def test_csv_variants_are_read(tmp_path: Path, text: str) -> None:
    np.testing.assert_array_equal(csv(tmp_path, text).load(), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("\n\n", "it is empty"),
        ("1,2\n3\n", "line 2 has 1 fields, but the first line has 2"),
        ('a,b\n"1\n",2\n3\n', "line 4 has 1 fields"),
        ("a,b\n1,x\n", "column 'b', row 0: 'x' is not a number"),
        ("a,b\n1,2\n3,\n", "column 'b', row 1: is empty"),
        ("a\n1\n\n2\n", "line 3 is empty, but more lines follow"),
        ("a,b\n", "it has no rows after its header, a,b"),
        ("1;2\n3;4\n", "column '1;2', row 0: '3;4' is not a number"),
        ("a,b\n1,2_000\n", "'2_000' is not a number"),
        ("id\n1\n2\n", "it does not have a column of numbers"),
        ("id,ids,a\n1,1,2\n", "two columns of ids"),
        ("id,a\n1,2\n,3\n", "row 1 has an empty id"),
        ('a,b\n1,"2\n', "unexpected end of data"),
        ("a,b\n1,2\x00\n", "cannot be read"),
        # As written by pandas: numbers as column names, and an index without a name.
        ("0,1,2\n5,6,7\n", "may be names or values"),
        (",a,b\n0,5,6\n1,7,8\n", "column 0 does not have a name"),
    ],
)
def test_invalid_csv_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        csv(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'a.csv'} cannot be read: ")
    assert message in str(error.value)


def test_csv_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"h\xf6he,b\n1,2\n")
    with pytest.raises(InvalidInput, match=r"a\.csv cannot be read: 'utf-8'"):
        read_files(tmp_path / "a.csv")


def test_ids_are_integers_only_if_all_are_canonical_integers(tmp_path: Path) -> None:
    numbers = csv(tmp_path, "id,block,a\n0,x,1\n-12,x,2\n900,y,3\n")
    np.testing.assert_array_equal(numbers.ids, [0, -12, 900])
    assert numbers.ids.dtype.kind == "i"
    np.testing.assert_array_equal(numbers.blocks, ["x", "x", "y"])
    for text in ("007", "-0", "+1", "1.0", "1e3", " 1", "12345678901234567890"):
        found = csv(tmp_path, f"id,a\n{text},1\n8,2\n")
        np.testing.assert_array_equal(found.ids, [text, "8"])


def test_numeric_column_types_of_parquet_are_read(tmp_path: Path) -> None:
    found = parquet(tmp_path, a=[1.5, 2.0], b=[1, 2], c=[True, False], id=["x", "y"])
    np.testing.assert_array_equal(found.load(), [[1.5, 1, 1], [2, 2, 0]])
    np.testing.assert_array_equal(found.ids, ["x", "y"])
    single = parquet(tmp_path, a=polars.Series([1.5, 2.5], dtype=polars.Float32))
    assert single.load().dtype == np.float32
    exact = polars.Series([1, 2]).cast(polars.Decimal(10, 2))
    np.testing.assert_array_equal(parquet(tmp_path, a=exact).load(), [[1], [2]])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [[[1.0]], [[3.0]]]}, "column 'a' holds large_list<"),
        ({"a": ["1", "2"]}, "column 'a' holds texts instead of numbers"),
        ({"a": [1.0, 2.0], "id": ["x", None]}, "row 1 has an empty id"),
        ({"id": [1, 2]}, "it does not have a column of numbers"),
        ({"a": [1.0, 2.0], "__index_level_0__": [4, 2]}, "may be a row index"),
        ({"a": []}, "column 'a' holds null"),
    ],
)
def test_invalid_parquet_is_refused(tmp_path: Path, columns, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parquet(tmp_path, **columns)
    assert message in str(error.value)


def test_error_names_the_row_and_column_of_a_missing_value(tmp_path: Path) -> None:
    found = parquet(tmp_path, a=[1, 2, 3], b=[1, None, 3])
    with pytest.raises(InvalidInput, match=r"a\.parquet: row 1, column 1 is NaN \(1"):
        check_values([found])
