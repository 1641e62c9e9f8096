"""The header of a table, and warnings about rows in different orders."""

import numpy as np
import pandas as pd
import polars
import pytest

import similitude as sim
from similitude import InvalidInput, Results

N = 60
Z = np.random.default_rng(0).normal(size=(N, 4))


def rows(seed: int, d: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return Z @ rng.normal(size=(4, d)) + 0.3 * rng.normal(size=(N, d))


def test_the_table_starts_with_shapes_and_dtypes() -> None:
    reps = {"a": rows(0), "b": rows(1, 12).astype("f4")}
    found = sim.compare(reps, "cka", permutations=0)
    assert found.header().splitlines() == [
        "2 representations; n = 60 rows",
        "  a   60 x 8  float64",
        "  b  60 x 12  float32",
    ]
    assert found.table().startswith(found.header())


def test_the_header_counts_twins_and_is_bounded(tmp_path) -> None:
    reps = {f"r{i}": rows(i, 3 + i % 4) for i in range(40)}
    found = sim.compare(
        reps, "cka", permutations=0, baselines={"seed": rows(99)}, out=tmp_path
    )
    lines = found.header().splitlines()
    assert lines[0] == "40 representations, and 1 twin; n = 60 rows"
    assert lines[-1] == "  and 34 more: 3 to 6 columns, float64"
    assert len(lines) == 8
    assert Results.load(tmp_path).header() == found.header()


def test_layers_of_a_model_share_a_line_of_the_header() -> None:
    layers = {f"layer{i}": rows(i, 4 + i) for i in range(3)}
    found = sim.compare({"m": layers, "n": layers}, "cka", permutations=0)
    assert found.header().splitlines()[1] == (
        "  m: layer0 60 x 4, layer1 60 x 5, layer2 60 x 6; float64"
    )


def test_more_columns_than_rows_in_every_file_gets_a_hint() -> None:
    wide = {"a": rows(0, 70), "b": rows(1, 80)}
    assert "hint: every representation has more columns than rows" in str(
        sim.compare(wide, "cka", permutations=0)
    )
    one = wide | {"b": rows(1)}
    assert "hint" not in str(sim.compare(one, "cka", permutations=0))


def test_shuffled_rows_are_not_distinguishable_from_random_pairing() -> None:
    order = np.random.default_rng(1).permutation(N)
    reps = {"a": rows(0), "b": rows(1), "shuffled": rows(2)[order]}
    text = " ".join(str(sim.compare(reps, ["cka", "rsa", "procrustes"])).split())
    assert (
        "warning: shuffled (in all pairs): not distinguishable from random pairing; "
        "are the rows in the same order?"
    ) in text
    assert text.count("warning") == 1
    pair = {"a": rows(0), "b": rows(1)[order]}
    assert "warning: a - b: not distinguishable" in str(sim.compare(pair, "cka"))


def test_related_rows_give_no_warning_even_with_few_permutations() -> None:
    reps = {"a": rows(0), "b": rows(1)}
    for permutations in (0, 9, 199):
        text = str(sim.compare(reps, ["rsa", "cka"], permutations=permutations))
        assert "warning" not in text


def test_the_warning_misses_few_shuffles_and_has_no_false_alarms() -> None:
    missed = 0
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(N)
        reps = {"a": rows(0), "b": rows(1)[order]}
        text = str(sim.compare(reps, ["cka", "procrustes", "mutual_knn"], rng=seed))
        missed += "not distinguishable" not in text
    assert missed <= 3  # at the level 0.05, corrected for three measures


@pytest.mark.parametrize("shape", [(8, N), (20, N)])
def test_a_transposed_array_is_named(shape: tuple[int, int]) -> None:
    reps = {"a": rows(0, 8), "b": rows(1, shape[0]).T}
    with pytest.raises(InvalidInput, match="is b transposed") as error:
        sim.compare(reps, "cka")
    assert "--rows" not in str(error.value)
    assert f"a is 60 x 8 and b is {shape[0]} x 60" in str(error.value)


def test_the_transposed_one_of_several_is_named() -> None:
    reps = {"a": rows(0, 8).T, "b": rows(1, 8), "c": rows(2, 8)}
    with pytest.raises(InvalidInput, match="is a transposed"):
        sim.compare(reps, "cka")


def test_other_row_counts_still_suggest_ids_or_rows() -> None:
    with pytest.raises(InvalidInput, match="rows='0:50'"):
        sim.compare({"a": rows(0), "b": rows(1)[:50]}, "cka")


def frame(values: np.ndarray, index: list) -> pd.DataFrame:
    return pd.DataFrame(values, index=index)


def test_the_index_of_a_pandas_frame_is_the_sample_ids() -> None:
    order = np.random.default_rng(1).permutation(N)
    names = [f"image{i}" for i in range(N)]
    a, b = frame(rows(0), names), frame(rows(1), names)
    plain = sim.compare({"a": rows(0), "b": rows(1)}, "cka", permutations=0)
    found = sim.compare({"a": a, "b": b.iloc[order]}, "cka", permutations=0)
    np.testing.assert_allclose(found.rows[0].score, plain.rows[0].score, rtol=1e-12)
    with pytest.raises(InvalidInput, match="different sample ids: image0"):
        sim.compare({"a": a, "b": b.iloc[5:]}, "cka")
    common = sim.compare({"a": a, "b": b.iloc[5:]}, "cka", join_ids="common")
    assert common.rows[0].n == N - 5


@pytest.mark.parametrize("library", [pd, polars])
def test_a_column_id_of_a_frame_is_the_sample_ids(library) -> None:
    def table(values: np.ndarray, ids: np.ndarray) -> object:
        columns = {f"unit{i}": column for i, column in enumerate(values.T)}
        return library.DataFrame({"id": ids.tolist(), **columns})

    order = np.random.default_rng(1).permutation(N)
    a, b = table(rows(0), np.arange(N)), table(rows(1)[order], order)
    plain = sim.compare({"a": rows(0), "b": rows(1)}, "cka", permutations=0)
    found = sim.compare({"a": a, "b": b}, "cka", permutations=0)
    np.testing.assert_allclose(found.rows[0].score, plain.rows[0].score, rtol=1e-12)
    assert (found.rows[0].d_a, found.rows[0].d_b) == (8, 8)


def test_measures_refuse_frames_whose_rows_are_in_different_orders() -> None:
    names = [f"image{i}" for i in range(N)]
    a, b = frame(rows(0), names), frame(rows(1), names)
    assert float(sim.cka(a, b)) == float(sim.cka(rows(0), rows(1)))
    with pytest.raises(InvalidInput, match="different sample ids"):
        sim.cka(a, b.iloc[::-1])
    with_ids = b.reset_index(names="id")
    assert float(sim.cka(a, with_ids)) == float(sim.cka(a, b))


def test_frames_without_numbers_or_with_two_levels_are_refused() -> None:
    a = pd.DataFrame(rows(0))
    with pytest.raises(InvalidInput, match="column 'name' is not a column of numbers"):
        sim.compare({"a": a.assign(name="x"), "b": a}, "cka")
    levels = pd.MultiIndex.from_product([range(6), range(10)])
    with pytest.raises(InvalidInput, match="index of 2 levels"):
        sim.compare({"a": a.set_index(levels), "b": a}, "cka")
    with pytest.raises(InvalidInput, match="two columns of ids"):
        sim.compare({"a": a.assign(id=0, ids=1), "b": a}, "cka")
