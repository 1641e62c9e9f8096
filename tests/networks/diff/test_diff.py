"""`diff` names the first layer that differs, and the stimuli that moved."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.diff.networks import (
    FAULTS,
    LAYERS,
    BFloat16,
    missing_norm,
    network,
    stimuli,
)
from similitude import InvalidInput


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


def found(before, after, data=None, **options):
    data = stimuli() if data is None else data
    return sim.diff(before, after, data, layers=LAYERS, **options)


PLANTED = [(fault, layer) for fault, layers in FAULTS.items() for layer in layers]


@pytest.mark.parametrize(
    ("fault", "layer"), PLANTED, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_first_layer_with_a_planted_fault_is_named(fault, layer) -> None:
    net = network(seed=layer)
    assert found(net, fault(net, layer)).first == str(layer)


@pytest.mark.parametrize("fault", [missing_norm])
def test_first_extracted_layer_after_the_fault_is_named(fault) -> None:
    net = network()
    result = sim.diff(net, fault(net, 1), stimuli(), layers=["0", "3", "6"])
    assert result.first == "3"


def test_an_unchanged_network_has_no_layer_that_differs() -> None:
    net = network()
    result = found(net, copy.deepcopy(net))
    assert result.first is None
    assert result.moved is None
    assert "no layer of 7 differs" in result.sentence()


def test_other_batch_sizes_are_not_a_change() -> None:
    """The store was made with other batches, so rounding differs."""
    net, data = network(), stimuli()
    for size in (1, 3, 17, 100):
        rows = [net[: i + 1] for i in range(len(net))]
        with torch.inference_mode():
            stored = {
                str(i): np.concatenate([part(x).numpy() for x in data.split(size)])
                for i, part in enumerate(rows)
            }
        assert found(stored, net).first is None


def test_bfloat16_differs_in_all_layers_and_keeps_geometry() -> None:
    net = network()
    result = found(net, BFloat16(net), outputs="6")
    assert [c.differs for c in result.changes] == [True] * 7 + [None]
    scores = [c.rows["cka"].score for c in result.changes[:-1]]
    assert min(scores) > 0.999
    assert result.changes[0].rows["sqnr"].score > 40


@pytest.mark.filterwarnings("ignore")
def test_dynamic_int8_flips_the_predictions_that_differ() -> None:
    net, data = network(), stimuli()
    int8 = torch.ao.quantization.quantize_dynamic(
        copy.deepcopy(net), {nn.Linear}, dtype=torch.qint8
    )
    result = found(net, int8, data, outputs="6", batch_size=300)
    with torch.inference_mode():
        flipped = net(data).argmax(1) != int8(data).argmax(1)
    assert result.flips == tuple(str(i) for i in np.flatnonzero(flipped.numpy()))
    assert result.first == "0"


def test_stimuli_that_moved_most_are_named_by_id() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 6))
    y = x.copy()
    y[[7, 31]] += [[0.5], [0.2]]
    ids = [f"image-{i}" for i in range(50)]
    before = sim.Representation("b", x, ids=ids)
    order = rng.permutation(50)
    after = sim.Representation("a", y[order], ids=[ids[i] for i in order])
    result = sim.diff(before, after)
    assert [name for name, _ in result.moved.stimuli[:2]] == ["image-7", "image-31"]


def test_coordinates_equal_their_definitions() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 5))
    y = x + 0.1 * rng.normal(size=(40, 5))
    (change,) = sim.diff({"h": x}, {"h": y}).changes
    scores = {label: row.score for label, row in change.rows.items()}
    error = np.linalg.norm(x - y) / np.linalg.norm(x)
    cosines = (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    assert scores["relative_error"] == pytest.approx(error, rel=1e-12)
    assert scores["sqnr"] == pytest.approx(-20 * np.log10(error), rel=1e-12)
    assert scores["row_cosine"] == pytest.approx(cosines.mean(), rel=1e-12)
    assert scores["max_deviation"] == pytest.approx(abs(x - y).max(), rel=1e-12)


def test_layers_are_matched_by_the_map_then_by_name_then_by_the_best_match() -> None:
    rng = np.random.default_rng(0)
    a, b, c, d = (rng.normal(size=(60, 4)) for _ in range(4))
    result = sim.diff(
        {"first": a, "same": b, "third": c, "fourth": d},
        {"x": d, "same": b, "y": c @ rng.normal(size=(4, 4)), "z": a},
        map={"first": "z"},
    )
    assert [(c.pair.label, c.pair.how) for c in result.changes] == [
        ("first > z", "map"),
        ("same", "name"),
        ("third > y", "match"),
        ("fourth > x", "match"),
    ]
    assert "third > y by the best calibrated match" in " ".join(repr(result).split())


def test_other_widths_have_geometry_but_no_coordinates() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    result = sim.diff({"h": x}, {"h": x @ rng.normal(size=(4, 6))})
    assert result.changes[0].rows["relative_error"].status == "undefined"
    assert result.changes[0].rows["cka"].score > 0.3
    assert result.first is None
    assert "no layer has the same coordinates" in result.sentence()


def test_floor_of_stored_values_is_their_rounding() -> None:
    x = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float16)
    result = sim.diff({"h": x}, {"h": x})
    assert result.changes[0].floor == np.finfo(np.float16).eps
    assert "rounding" in result.floor_source


def test_a_sample_of_the_rows_is_announced() -> None:
    net = network()
    result = found(net, net, stimuli(300), sample=100)
    assert result.n == 100
    assert "A random sample of 100 of 300 rows" in repr(result)


def test_one_model_of_a_store_is_chosen_by_name(tmp_path) -> None:
    net, data = network(), stimuli()
    for name, model in {"old": net, "new": missing_norm(net, 4)}.items():
        sim.extract(model, data, layers=LAYERS, out=tmp_path / "s", name=name)
    result = sim.diff(f"{tmp_path}/s:old", f"{tmp_path}/s:new")
    assert result.first == "4"
    with pytest.raises(InvalidInput, match="has the models new, old; choose one"):
        sim.diff(tmp_path / "s", net, data)
    with pytest.raises(InvalidInput, match=r"no model 'od'\. Did you mean 'old'"):
        sim.diff(f"{tmp_path}/s:od", net, data)


def test_ten_layers_in_files_are_in_natural_order(tmp_path) -> None:
    (tmp_path / "net").mkdir()
    for i in range(11):
        rows = np.random.default_rng(i).normal(size=(20, 3))
        np.save(tmp_path / "net" / f"{i}.npy", rows)
    labels = [c.pair.label for c in sim.diff(tmp_path, tmp_path).changes]
    assert labels == [str(i) for i in range(11)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"map": {"1": "nine"}}, "no layer 'nine' after"),
        ({"map": {"nine": "1"}}, "no layer 'nine' before"),
        ({"outputs": "nine"}, "'nine' is not a compared layer"),
        ({"allow": "cka"}, "write NAME=NUMBER"),
        ({"allow": "cka=much"}, "write NAME=NUMBER"),
        ({"allow": "ckaa=0.9"}, "there is no measure 'ckaa'"),
        ({"allow": "disagreement=0.1"}, "name the layer of logits"),
    ],
)
def test_mistakes_are_one_sentence(arguments, message) -> None:
    x = {"1": np.eye(5), "2": np.eye(5)}
    with pytest.raises(InvalidInput, match=message):
        sim.diff(x, x, **arguments)


def test_a_baseline_cannot_have_the_name_of_a_side() -> None:
    x = {"1": np.eye(5)}
    with pytest.raises(InvalidInput, match="'after' is a side"):
        sim.diff(x, x, baselines={"after": x})


def test_the_plot_has_the_error_above_and_geometry_below() -> None:
    net = network()
    result = found(net, missing_norm(net, 4), outputs="6", baselines={"seed": net})
    above, below = result.plot()
    line = above.get_lines()[0].get_ydata()
    assert len(line) == 7
    assert line[4] == pytest.approx(result.changes[4].rows["relative_error"].score)
    assert [t.get_text() for t in below.get_xticklabels()] == LAYERS
    assert below.get_legend().get_texts()[0].get_text() == "seed"


def test_patterns_of_only_one_side_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not for the model 'before'"):
        sim.diff(network(), network(), stimuli(), layers={"after": LAYERS})


def test_asymmetric_measures_go_from_before_to_after() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    y = np.hstack([x, rng.normal(size=(60, 3))])
    result = sim.diff(
        {"a": x, "b": x}, {"h": y}, map={"a": "h"}, allow="linear_regression=0.001"
    )
    score = result.changes[0].rows["linear_regression"].score
    assert score == pytest.approx(float(sim.linear_regression(x, y)))
    assert score != pytest.approx(float(sim.linear_regression(y, x)))


def test_a_model_needs_data() -> None:
    with pytest.raises(InvalidInput, match="diff needs data"):
        sim.diff(network(), network())


def test_json_markdown_and_latex_have_all_layers() -> None:
    net = network()
    result = found(net, missing_norm(net, 4), outputs="6", allow="cka=0.99")
    document = result.to_dict()
    assert [layer["before"] for layer in document["layers"]] == [*LAYERS, "6 (outputs)"]
    assert document["first"] == "4"
    assert document["layers"][0]["scores"]["sqnr"]["score"] > 300
    assert result.to_markdown().count("\n| ") >= 8
    assert result.to_latex().count(r"\\") == 8


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_exported_onnx_file_is_matched_by_similarity_and_does_not_differ(
    tmp_path,
) -> None:
    pytest.importorskip("onnxruntime")
    net, data, file = network().eval(), stimuli(100), tmp_path / "net.onnx"
    axes = {"input": {0: "n"}, "logits": {0: "n"}}
    names = {"input_names": ["input"], "output_names": ["logits"]}
    torch.onnx.export(net, (data[:2],), file, **names, dynamic_axes=axes, dynamo=False)
    layers = {"before": LAYERS, "after": ["/[0-9]/*", "logits"]}
    result = sim.diff(net, str(file), data.numpy(), layers=layers)
    assert {c.pair.how for c in result.changes} == {"match"}
    assert result.changes[-1].pair.label == "6 > logits"
    assert result.first is None
    faulty = sim.diff(missing_norm(net, 4), str(file), data.numpy(), layers=layers)
    assert faulty.first.startswith("4 > ")


def test_pairs_that_compare_keeps() -> None:
    x = dict.fromkeys("abc", np.random.default_rng(0).normal(size=(20, 3)))
    rows = sim.compare(x, "cka", keep=lambda a, b: b.name == "c").rows
    assert [(row.a, row.b) for row in rows] == [("a", "c"), ("b", "c")]
