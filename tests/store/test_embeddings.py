"""Embeddings as other programs write them: lists in tables, Arrow, HDF5, AnnData."""

import json
from pathlib import Path

import h5py
import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import similitude as sim
from similitude import InvalidInput
from similitude.store import read_files

OTHERS = Path(__file__).parent / "written_by_others"
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5)).astype(np.float32)
IDS = [f"t{i}" for i in range(40)]
ORDER = RNG.permutation(40)
COLUMNS = {"id": IDS, "text": [f"text {i}" for i in range(40)], "label": range(40)}


def write_arrow(path: Path, table: pa.Table) -> None:
    kind = pa.ipc.new_stream if "stream" in path.name else pa.ipc.new_file
    with kind(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)


def lists(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    return pa.array(values.tolist(), kind)


def arrow_table(order: np.ndarray, kind: pa.DataType) -> pa.Table:
    rows = {key: [value[i] for i in order] for key, value in COLUMNS.items()}
    return pa.table({**rows, "embedding": lists(X[order], kind)})


def polars_frame(order: np.ndarray, *, fixed: bool) -> polars.DataFrame:
    kind = polars.Array(polars.Float32, 5) if fixed else polars.List(polars.Float32)
    rows = {key: [value[i] for i in order] for key, value in COLUMNS.items()}
    column = polars.Series(X[order].tolist(), dtype=kind)
    return polars.DataFrame({**rows, "embedding": column})


def pandas_frame(order: np.ndarray) -> pandas.DataFrame:
    rows = {key: [value[i] for i in order] for key, value in COLUMNS.items()}
    return pandas.DataFrame({**rows, "embedding": list(X[order])})


WRITERS = {
    "pandas.parquet": lambda p, o: pandas_frame(o).to_parquet(p),
    "pandas.feather": lambda p, o: pandas_frame(o).to_feather(p),
    "polars_list.parquet": lambda p, o: polars_frame(o, fixed=False).write_parquet(p),
    "polars_array.parquet": lambda p, o: polars_frame(o, fixed=True).write_parquet(p),
    "polars.arrow": lambda p, o: polars_frame(o, fixed=True).write_ipc(p),
    "polars_stream.arrow": lambda p, o: polars_frame(o, fixed=False).write_ipc_stream(
        p
    ),
    "arrow_lists.parquet": lambda p, o: pq.write_table(
        arrow_table(o, pa.list_(pa.float32())), p
    ),
    "arrow_large.parquet": lambda p, o: pq.write_table(
        arrow_table(o, pa.large_list(pa.float32())), p, row_group_size=7
    ),
    "arrow_fixed.parquet": lambda p, o: pq.write_table(
        arrow_table(o, pa.list_(pa.float32(), 5)), p, compression="zstd"
    ),
    "file.arrow": lambda p, o: write_arrow(p, arrow_table(o, pa.list_(pa.float32()))),
    "stream.arrow": lambda p, o: write_arrow(
        p, arrow_table(o, pa.list_(pa.float32(), 5))
    ),
    "stream.arrows": lambda p, o: write_arrow(
        p, arrow_table(o, pa.large_list(pa.float64()))
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_lists_of_numbers_are_read_back(tmp_path, name) -> None:
    """The values are equal; ids join a shuffled file; other columns are fields."""
    WRITERS[name](tmp_path / name, ORDER)
    (rep,) = sim.load(tmp_path / name)
    np.testing.assert_array_equal(rep.load(), X[ORDER])
    assert rep.name == Path(name).stem
    assert rep.layer == "embedding"
    assert rep.ids.tolist() == [IDS[i] for i in ORDER]
    assert rep.fields["text"].tolist() == [f"text {i}" for i in ORDER]
    assert rep.fields["label"].tolist() == ORDER.tolist()
    other = sim.Representation("other", X, ids=IDS)
    found = sim.compare([rep, other], "procrustes", permutations=0)
    assert found.rows[0].score < 1e-7
    assert rep.take(np.array([3, 0])).fields["label"].tolist() == ORDER[[3, 0]].tolist()


@pytest.mark.parametrize("frame", [
    pandas_frame(ORDER),
    pandas_frame(ORDER).assign(embedding=[list(map(float, row)) for row in X[ORDER]]),
    polars_frame(ORDER, fixed=True),
    polars_frame(ORDER, fixed=False),
])  # fmt: skip
def test_frames_with_a_column_of_lists(frame) -> None:
    rep = sim.Representation("frame", frame)
    np.testing.assert_array_equal(np.float32(rep.load()), X[ORDER])
    assert rep.ids.tolist() == [IDS[i] for i in ORDER]
    assert rep.fields["label"].tolist() == ORDER.tolist()
    assert rep.fields["text"][0] == f"text {ORDER[0]}"
    found = sim.compare(
        {"a": frame, "b": sim.Representation("b", X, ids=IDS)}, "procrustes"
    )
    assert found.rows[0].score < 1e-7


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "bool_"]
)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_numbers_of_every_type(tmp_path, dtype, suffix) -> None:
    values = (10 * X).astype(np.int8) if "int" in dtype else X
    kind = getattr(pa, dtype)()
    table = pa.table(
        {"e": lists(values.astype(kind.to_pandas_dtype()), pa.list_(kind))}
    )
    path = tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        write_arrow(path, table)
    (rep,) = read_files(path)
    np.testing.assert_array_equal(rep.load(), values.astype(kind.to_pandas_dtype()))


def several(path: Path) -> Path:
    table = pa.table({"id": IDS, "title": lists(X, pa.list_(pa.float32())),
                      "body": lists(2 * X[:, :3], pa.list_(pa.float32()))})  # fmt: skip
    pq.write_table(table, path)
    return path


def test_a_column_is_chosen_after_a_colon(tmp_path) -> None:
    path = several(tmp_path / "emb.parquet")
    assert [rep.name for rep in sim.load(path)] == ["emb/title", "emb/body"]
    (body,) = sim.load(f"{path}:body")
    np.testing.assert_array_equal(body.load(), 2 * X[:, :3])
    assert body.name == "emb/body"
    both = sim.load([f"{path}:body", f"{path}:title"])
    assert [rep.name for rep in both] == ["emb/body", "emb/title"]
    np.savez(tmp_path / "acts.npz", one=X, two=X[:, :2], ids=IDS)
    (two,) = sim.load(f"{tmp_path / 'acts.npz'}:two")
    assert (two.name, two.d, two.ids[3]) == ("acts/two", 2, "t3")
    named = tmp_path / "a:b.parquet"
    several(named)
    assert [rep.d for rep in sim.load(f"{named}:body")] == [3]
    for wrong, words in (
        (
            f"{path}:id",
            "'id' is not among its columns of lists of numbers: title, body",
        ),
        (f"{path}:nothing", "'nothing' is not among"),
        (f"{tmp_path / 'acts.npz'}:three", "'three' is not among its arrays: one, two"),
        (f"{tmp_path / 'missing.parquet'}:a", "does not exist"),
    ):
        with pytest.raises(InvalidInput) as error:
            sim.load(wrong)
        assert words in str(error.value)


REFUSED = {
    "ragged": ([[1.0, 2.0], [1.0]], pa.list_(pa.float64()),
               "row 0 has 2 numbers and row 1 has 1; all lists need the same length"),
    "missing list": ([[1.0], None], pa.list_(pa.float64()), "row 1: it is missing"),
    "missing number": ([[1.0], [None]], pa.list_(pa.float64()),
                       "row 1: a number is missing"),
    "missing in fixed": ([[1.0], [None]], pa.list_(pa.float64(), 1),
                         "row 1: a number is missing"),
    "empty": ([[], []], pa.list_(pa.float64()), "does not have numbers"),
    "no rows": ([], pa.list_(pa.float64()), "does not have numbers"),
    "texts": ([["a"], ["b"]], pa.list_(pa.string()), "instead of numbers"),
    "nested": ([[[1.0]], [[2.0]]], pa.list_(pa.list_(pa.float64())),
               "instead of numbers"),
    "bytes": ([b"\x80\x04K\x01."] * 2, pa.binary(), "instead of numbers"),
}  # fmt: skip


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("case", REFUSED)
def test_lists_that_are_not_a_matrix_are_refused(tmp_path, case, suffix) -> None:
    values, kind, words = REFUSED[case]
    table = pa.table({"e": pa.array(values, kind)})
    path = tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        write_arrow(path, table)
    with pytest.raises(InvalidInput) as error:
        read_files(path)
    assert words in str(error.value)


@pytest.mark.parametrize("case", ["ragged", "missing list", "texts", "nested"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_lists_that_are_not_a_matrix_are_refused(case, library) -> None:
    values = REFUSED[case][0]
    frame = {"pandas": pandas.DataFrame, "polars": polars.DataFrame}[library](
        {"e": values}
    )
    with pytest.raises(InvalidInput, match=r"list of numbers|same length"):
        sim.Representation("frame", frame)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_a_shuffled_pandas_index_is_not_ignored(tmp_path, suffix) -> None:
    """Its rows would be paired by position; `id` says how to join them."""
    frame = (
        pandas_frame(np.arange(40)).drop(columns="id").sample(frac=1, random_state=0)
    )
    if suffix == "feather":
        write_arrow(tmp_path / "a.feather", pa.Table.from_pandas(frame))
    else:
        frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match="may be a row index; call it id"):
        read_files(tmp_path / f"a.{suffix}")


def test_long_fields_are_left_out_with_a_note(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("similitude.store._formats._tables.MAX_TEXT", 1000)
    path = tmp_path / "a.parquet"
    frame = polars_frame(np.arange(40), fixed=True)
    frame = frame.with_columns(polars.lit("x" * 100).alias("long"))
    frame.with_columns(polars.struct("label").alias("struct")).write_parquet(path)
    (rep,) = read_files(path)
    assert set(rep.fields) == {"text", "label"}
    assert rep.meta["reader_note"] == ("has columns that were left out: long, struct")


def test_folders_that_datasets_saved() -> None:
    """One folder with two files, and a folder of splits."""
    rng = np.random.default_rng(0)
    expected = rng.normal(size=(12, 4)).astype(np.float32)
    (rep,) = sim.load(OTHERS / "saved")
    np.testing.assert_array_equal(rep.load(), expected)
    assert rep.ids[0] == "t0"
    assert rep.fields["text"][11] == "text number 11"
    assert rep.fields["label"].tolist() == [i % 3 for i in range(12)]
    splits = {rep.name: rep.n for rep in sim.load(OTHERS / "splits")}
    assert splits == {"splits/test": 4, "splits/train": 8} or splits == {
        "test": 4,
        "train": 8,
    }
    with pytest.raises(InvalidInput, match="instead of numbers"):
        sim.load(OTHERS / "maps")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ('{"_data_files": [{"filename": "../../x.arrow"}]}', "does not list the files"),
        ('{"_data_files": []}', "does not list the files"),
        ("{", "damaged"),
        ("[" * 100_000, "nested deeper"),
        ('{"_data_files": [{"filename": "gone.arrow"}]}', "cannot be read"),
        ('{"_indices_data_files": [{"filename": "i"}], "_data_files": []}',
         "flatten_indices"),
    ],
)  # fmt: skip
def test_damaged_folders_of_datasets_are_refused(tmp_path, state, words) -> None:
    (tmp_path / "state.json").write_text(state)
    (tmp_path / "dataset_info.json").write_text("{}")
    with pytest.raises(InvalidInput) as error:
        sim.load(tmp_path)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_hdf5_data_sets(tmp_path) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["ids"] = np.array(IDS, dtype=h5py.string_dtype())
        file.create_dataset("conv/one", data=X, chunks=(7, 5), compression="gzip")
        file["conv/two"] = X.astype(">f8")
        file["scalar"] = 3.0
        file["notes"] = "text"
    reps = {rep.name: rep for rep in sim.load(path)}
    assert set(reps) == {"a/one", "a/two"}
    np.testing.assert_array_equal(reps["a/one"].load(), X)
    np.testing.assert_array_equal(reps["a/two"].load(), X)
    assert reps["a/one"].ids.tolist() == IDS
    (two,) = sim.load(f"{path}:conv/two")
    assert two.name == "a/two"
    with h5py.File(path, "a") as file:
        file["pooled/one"] = X[:, :2]
        file["pooled/ids"] = np.arange(40)
    with pytest.raises(InvalidInput, match="several data sets of ids"):
        sim.load(path)
    (one,) = sim.load(f"{path}:pooled/one")
    assert one.ids.tolist() == list(range(40))


def test_hdf5_that_is_not_a_matrix_is_refused(tmp_path) -> None:
    outside = tmp_path / "secret.bin"
    outside.write_bytes(b"s" * 320)
    with h5py.File(tmp_path / "target.h5", "w") as file:
        file["x"] = X
    ragged = h5py.vlen_dtype(np.float64)
    layout = h5py.VirtualLayout((40, 5), np.float32)
    layout[...] = h5py.VirtualSource(tmp_path / "target.h5", "x", (40, 5))
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["good"] = X
        file.create_dataset("ragged", (3,), ragged)
        file["pickled"] = np.array([b"\x80\x04K\x01."] * 3, dtype="V5")
        file["compound"] = np.zeros((3, 2), dtype=[("a", "f4"), ("b", "i4")])
        file["complex"] = np.zeros((3, 2), dtype=complex)
        file["cube"] = np.zeros((3, 2, 2))
        file["names"] = np.array([["a", "b"]], dtype=h5py.string_dtype())
        file.create_dataset("elsewhere", (40, 2), np.float32,
                            external=[(str(outside), 0, 320)])  # fmt: skip
        file.create_virtual_dataset("virtual", layout)
        file["link"] = h5py.ExternalLink("target.h5", "x")
        file["soft"] = h5py.SoftLink("/good")
        file.create_dataset("huge", (2**40, 4), np.float32, chunks=(1024, 4))
        file["empty"] = np.zeros((0, 4))
    for name, words in {
        "ragged": "lists of different lengths",
        "pickled": "holds objects",
        "compound": "holds objects",
        "complex": "values of type complex128",
        "cube": "has shape (3, 2, 2)",
        "names": "holds texts",
        "elsewhere": "values in other files",
        "virtual": "values in other files",
        "link": "'link' is not among",
        "soft": "'soft' is not among",
        "huge": "would grow from",
        "empty": "has shape (0, 4)",
    }.items():
        with pytest.raises(InvalidInput) as error:
            sim.load(f"{path}:{name}")
        assert words in str(error.value), name
    (good,) = sim.load(f"{path}:good")
    np.testing.assert_array_equal(good.load(), X)


def test_anndata_file() -> None:
    """ids from obs_names, fields from obs; only embeddings are read by default."""
    path = OTHERS / "cells.h5ad"
    reps = {rep.name: rep for rep in sim.load(path)}
    assert set(reps) == {"cells/X_pca", "cells/X_scVI"}
    (pca,) = sim.load(f"{path}:obsm/X_pca")
    expected = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
    np.testing.assert_array_equal(pca.load(), expected)
    assert pca.ids[:2].tolist() == ["AAAC-0", "AAAC-1"]
    assert pca.fields["cell_type"][:4].tolist() == ["B", "T", "NK", "B"]
    assert pca.fields["n_genes"].tolist() == list(range(12))
    assert pca.fields["donor"][1] == "d1"
    (layer,) = sim.load(f"{path}:layers/dense")
    assert (layer.n, layer.d) == (12, 5)
    for name in ("X", "obsm/X_sparse"):
        with pytest.raises(InvalidInput, match="holds a sparse matrix"):
            sim.load(f"{path}:{name}")
    other = sim.Representation("other", expected[::-1], ids=pca.ids[::-1])
    found = sim.compare([pca, other], "procrustes", permutations=0)
    assert found.rows[0].score < 1e-7


def test_command_line(tmp_path, capsys, monkeypatch) -> None:
    from cli.command import run

    monkeypatch.chdir(tmp_path)

    a, b = several(tmp_path / "a.parquet"), tmp_path / "b.h5"
    with h5py.File(b, "w") as file:
        file["deep/x"], file["deep/ids"] = X[ORDER], [IDS[i] for i in ORDER]
    said = run(capsys, "compare", f"{a}:title", f"{b}:deep/x", "-m", "procrustes",
               "--permutations", "0", "--json")  # fmt: skip
    assert said.code == 0, said.err
    assert json.loads(said.out)["rows"][0]["score"] < 1e-7
