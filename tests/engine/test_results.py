"""`Results` in Python: accepted inputs, methods and equality."""

import dataclasses
import json

import numpy as np
import pytest
import torch

import similitude as sim
from similitude import InvalidInput, Representation, Results
from similitude.engine import _rows


def reps(n: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return {
        name: z @ rng.normal(size=(3, d)) + rng.normal(size=(n, d))
        for name, d in (("a", 4), ("b", 5), ("c", 6))
    }


def scores(reps: object) -> list[float | None]:
    return [row.score for row in sim.compare(reps, "cka", permutations=0).rows]


def test_lists_tensors_and_arrays_give_the_same_scores() -> None:
    """They may also be mixed in one table."""
    x = reps()
    expected = scores(x)
    kinds = {"a": x["a"].tolist(), "b": torch.tensor(x["b"]), "c": x["c"]}
    assert scores(kinds) == expected
    assert scores(list(kinds.values())) == expected
    assert scores(tuple(Representation(n, v) for n, v in kinds.items())) == expected
    with_grad = {name: torch.tensor(v, requires_grad=True) for name, v in x.items()}
    assert scores(with_grad) == expected
    views = {name: np.asfortranarray(v)[::1] for name, v in x.items()}
    np.testing.assert_allclose(scores(views), expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_tensors_of_low_precision_are_compared(dtype: torch.dtype) -> None:
    x = {name: torch.tensor(v).to(dtype) for name, v in reps().items()}
    wide = {name: v.double().numpy() for name, v in x.items()}
    np.testing.assert_allclose(scores(x), scores(wide), rtol=1e-5)


def test_layers_of_models_are_named_model_slash_layer() -> None:
    x = reps()
    models = {"m": {"one": x["a"], "two": x["b"]}, "k": {1: x["c"]}, "single": x["a"]}
    found = sim.compare(models, "cka", permutations=0)
    assert found.names == ("m/one", "m/two", "k/1", "single")
    first, *_, last = found.rows
    assert (first.a_model, first.a_layer, first.b_layer) == ("m", "one", "two")
    assert (last.a_model, last.a_layer, last.b_model) == ("k", "1", "single")
    assert first.advice == ("same-model",)
    with pytest.raises(InvalidInput, match="two representations are called 'm/one'"):
        sim.compare({"m": {"one": x["a"]}, "m/one": x["b"]}, "cka")


def test_repr_is_the_table() -> None:
    found = sim.compare(reps(), ["cka", "procrustes"], permutations=5)
    assert repr(found) == str(found) == found.table()
    assert all(len(line) <= 80 for line in repr(found).splitlines())
    assert max(map(len, found.table(width=120).splitlines())) <= 120


def test_results_have_rows_pairs_matrix_json_and_polars(tmp_path) -> None:
    found = sim.compare(reps(), ["cka", "mean_cca"], permutations=5, out=tmp_path)
    assert found.path == tmp_path
    assert len(found) == len(found.rows) == 6
    assert found.pairs() == (("a", "b"), ("a", "c"), ("b", "c"))
    assert found.errors() == ()
    matrix = found.matrix("cka")
    assert matrix.shape == (3, 3)
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), 1.0)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["score"] for row in document["rows"]] == [r.score for r in found.rows]
    wanted = {
        *("job", "a_model", "a_layer", "b_model", "b_layer", "measure", "options"),
        *("kind", "status", "reason", "score", "n", "d_a", "d_b", "null_mean"),
        *("null_sd", "null_q95", "p", "q", "calibrated", "low", "high"),
        *("interval_method", "permutations", "advice", "details", "seconds", "seed"),
        "version",
    }
    assert wanted <= set(document["rows"][0])
    frame = found.to_polars()
    nested = {"baselines", "baseline_of"}  # one column per baseline instead
    renamed = {"label": "measure", "measure": "measure_name", "null_mean": "null"}
    fields = set(document["rows"][0]) - nested
    expected = {renamed.get(name, name) for name in fields}
    assert set(frame.columns) == expected | {"a_reducer", "b_reducer"}
    assert json.loads(frame["options"][0])["kernel"] == "linear"
    assert "kornblith2019similarity" in found.cite()


def test_equality_compares_rows_without_seconds(tmp_path) -> None:
    one = sim.compare(reps(), "cka", permutations=5)
    two = sim.compare(reps(), "cka", permutations=5, out=tmp_path)
    assert [r.seconds for r in one.rows] != [r.seconds for r in two.rows]
    assert one == two == Results.load(tmp_path)
    assert hash(one) == hash(two)
    assert one != sim.compare(reps(), "cka", permutations=6)
    assert one != "a table"


def test_rows_share_options_and_repeated_text(tmp_path) -> None:
    """A dict of options for each row would take more memory than its other fields."""
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(40, 3)) for name in "abcd"}
    computed = sim.compare(reps, ["cka", "rsa"], out=tmp_path)
    for found in (computed, Results.load(tmp_path)):
        assert found == computed
        for field in ("options", "interval_method", "reading"):
            values = [getattr(row, field) for row in found.rows]
            assert len(set(map(id, values))) <= len(set(map(repr, values)))


def test_shared_options_do_not_grow_without_a_limit() -> None:
    (row,) = sim.compare({"a": np.eye(9), "b": np.eye(9)}, ["cka"]).rows
    for k in range(2 * _rows.MOST_OPTIONS):
        read = dataclasses.replace(row, options={"k": k})
        _rows._check(read)
        assert read.options == {"k": k}
    assert len(_rows._OPTIONS) <= _rows.MOST_OPTIONS


def test_each_baseline_is_a_column_and_a_matrix() -> None:
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(30, 4)) for name in "abc"}
    twins = {name: rng.normal(size=(30, 4)) for name in "abc"}
    baselines = {"untrained": twins, "of": {"a": twins["b"]}}
    found = sim.compare(reps, "cka", baselines=baselines, permutations=0)
    assert found.baselines == ("untrained", "of")
    frame = found.to_polars()
    assert frame.columns[:4] == ["a", "b", "measure", "score"]
    expected = [row.baselines["untrained"] for row in found.rows]
    assert frame["baseline_untrained"].to_list() == expected
    one_sided = [row.baselines.get("of") for row in found.rows]
    assert frame["baseline_of"].to_list() == one_sided
    assert one_sided[-1] is None
    assert "baselines" not in frame.columns
    table = found.matrix("cka", value="untrained")
    np.testing.assert_array_equal(table[np.triu_indices(3, 1)], expected)
    np.testing.assert_array_equal(table, table.T)
    assert np.isnan(found.matrix("cka", "of")[1, 2])
    with pytest.raises(InvalidInput, match="seconds, untrained, of"):
        found.matrix("cka", value="seed")
