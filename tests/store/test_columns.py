"""Files with one label per row, matched by ids if both sides have them, or by order."""

from pathlib import Path

import numpy as np
import pytest

from similitude import InvalidInput, Representation
from similitude.store import COLUMN_FILES, read_column
from similitude.store._paths import _columns

PLAIN = Representation("net", np.zeros((3, 2)))
NAMED = Representation("net", np.zeros((3, 2)), ids=["c", "a", "b"])


def test_labels_are_read_from_a_column_or_an_array(tmp_path: Path) -> None:
    for name, text in (
        ("plain.csv", "7\n8\n9\n"),
        ("head.csv", "Label\n7\n8\n9\n"),
        ("several.csv", "score,labels\n0.1,7\n0.2,8\n0.3,9\n"),
        ("spaces.csv", "targets , more\n7 ,x\n 8,y\n9,z\n\n"),
        ("mark.csv", "\ufefflabels\n7\n8\n9\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = read_column(tmp_path / name, PLAIN)
        np.testing.assert_array_equal(found, [7, 8, 9], strict=True, err_msg=name)
    np.save(tmp_path / "x.npy", [7, 8, 9])
    np.savez(tmp_path / "x.npz", labels=[7, 8, 9], other=[0, 0, 0])
    for name in ("x.npy", "x.npz"):
        np.testing.assert_array_equal(read_column(tmp_path / name, PLAIN), [7, 8, 9])


def test_labels_with_ids_follow_the_ids_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,labels\na,red\nb,green\nc,blue\nd,unused\n")
    assert read_column(path, NAMED).tolist() == ["blue", "red", "green"]
    np.savez(tmp_path / "x.npz", labels=[5, 6, 7], ids=["a", "b", "c"])
    assert read_column(tmp_path / "x.npz", NAMED).tolist() == [7, 5, 6]


def test_without_ids_on_one_side_the_order_counts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,labels\na,1\nb,2\nc,3\n")
    assert read_column(path, PLAIN).tolist() == [1, 2, 3]
    path.write_text("1\n2\n3\n")
    assert read_column(path, NAMED).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,labels\na,1\nb,2\n", "has no entry for the sample c"),
        ("1\n2\n", "has 2 entries and net has 3 rows"),
        ("red,blue\n1,2\n3,4\n5,6\n", "has no column or array called 'labels'"),
        ("labels,Labels\n1,2\n", "two of its columns have the same name"),
        ("labels,x\n1\n", "it is empty, or its lines have different lengths"),
        ("", "it is empty"),
    ],
)
def test_unsuitable_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        read_column(path, NAMED)


def test_unsuitable_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match=r"missing\.csv does not exist"):
        read_column(tmp_path / "missing.csv", PLAIN)
    (tmp_path / "x.docx").write_text("1\n2\n3\n")
    with pytest.raises(InvalidInput, match=r"'\.docx' cannot be read as labels\. Use"):
        read_column(tmp_path / "x.docx", PLAIN)
    np.save(tmp_path / "x.npy", np.zeros((3, 2)))
    with pytest.raises(InvalidInput, match=r"one entry per row; got shape \(3, 2\)"):
        read_column(tmp_path / "x.npy", PLAIN)
    (tmp_path / "x.npy").write_bytes(b"damaged")
    with pytest.raises(InvalidInput, match=r"x\.npy cannot be read"):
        read_column(tmp_path / "x.npy", PLAIN)
    (tmp_path / "x.csv").write_text("1\n2\n3\n")
    monkeypatch.setattr(_columns, "_MAX_BYTES", 5)
    with pytest.raises(InvalidInput, match="larger than the limit of 5 bytes"):
        read_column(tmp_path / "x.csv", PLAIN)


def test_a_column_of_numbers_is_recognized_by_its_name(tmp_path: Path) -> None:
    """`table_column` is asked for other names than labels, such as blocks."""
    path = tmp_path / "x.csv"
    path.write_text("id,block,other\na,1,9\nb,1,9\n")
    ids, values = _columns.table_column(path, ["block"]) or (None, None)
    np.testing.assert_array_equal(ids, ["a", "b"])
    np.testing.assert_array_equal(values, [1, 1])
    path.write_text("4\n5\n")
    ids, values = _columns.table_column(path, ["block"]) or (0, None)
    assert ids is None
    np.testing.assert_array_equal(values, [4, 5])
    assert _columns.table_column(tmp_path / "x.npy", ["block"]) is None
    path.write_text("a,b\n4,5\n")
    assert _columns.table_column(path, ["block"]) is None
    assert path.suffix in COLUMN_FILES
