"""ONNX models: every tensor of the graph can be extracted, without optimization."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import similitude as sim
from similitude import InvalidInput
from similitude.networks.extraction import OnnxModel, summarize_layers


def graph(path: Path, batch: str | int = "N", *, seed: int = 0) -> Path:
    """x -> MatMul -> Add -> Relu -> MatMul, with a pair that an optimizer merges."""
    rng = np.random.default_rng(seed)
    weights = {
        "w1": rng.normal(size=(4, 5)),
        "b1": rng.normal(size=5),
        "w2": rng.normal(size=(5, 2)),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["product"], name="first"),
        helper.make_node("Add", ["product", "b1"], ["sum"], name="bias"),
        helper.make_node("Identity", ["sum"], ["copy"], name="copying"),
        helper.make_node("Relu", ["copy"], ["hidden"], name="act"),
        helper.make_node("MatMul", ["hidden", "w2"], ["y"], name="last"),
    ]
    made = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 2])],
        [numpy_helper.from_array(v.astype("f4"), k) for k, v in weights.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(made, opset_imports=opset, ir_version=8), path)
    return path


def data(n: int = 7) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(n, 4)).astype("f4")


def expected(path: Path, x: np.ndarray) -> dict[str, np.ndarray]:
    proto = onnx.load(path).graph
    w = {item.name: numpy_helper.to_array(item) for item in proto.initializer}
    product = x @ w["w1"]
    hidden = np.maximum(product + w["b1"], 0)
    return {"product": product, "sum": product + w["b1"], "copy": product + w["b1"],
            "hidden": hidden, "y": hidden @ w["w2"]}  # fmt: skip


def test_onnx_tensors_that_are_not_outputs(extract, tmp_path) -> None:
    """Intermediate tensors become outputs; nodes can be named too."""
    path = graph(tmp_path / "net.onnx")
    rows = extract(
        OnnxModel(path), data(), layers=["first", "hidden", "y"], batch_size=3
    )
    assert sorted(rows) == ["hidden", "product", "y"]
    for name, values in rows.items():
        np.testing.assert_allclose(values, expected(path, data())[name], atol=1e-5)
    (manifest,) = (
        m
        for m in map(sim.store.open_store(tmp_path / "store").manifest,
                     sim.store.open_store(tmp_path / "store").ids())
        if m["layer"] == "y"
    )  # fmt: skip
    assert manifest["name"] == "net/y"
    assert manifest["extraction"]["versions"]["torch"].startswith("onnxruntime ")


def test_onnx_optimizer_does_not_remove_nodes(extract, tmp_path) -> None:
    """`product` and `copy` would be merged into other nodes."""
    path = graph(tmp_path / "net.onnx")
    rows = extract(OnnxModel(path), data(), layers=["*"])
    assert sorted(rows) == sorted(expected(path, data()))
    for name, values in rows.items():
        np.testing.assert_allclose(values, expected(path, data())[name], atol=1e-5)


@pytest.mark.parametrize("batch", [1, 2])
def test_fixed_batch_length(extract, tmp_path, batch) -> None:
    path = graph(tmp_path / "net.onnx", batch)
    rows = extract(OnnxModel(path), data(), layers=["hidden"], batch_size=3)
    found = expected(path, data())["hidden"]
    np.testing.assert_allclose(rows["hidden"], found, atol=1e-5)


def test_onnx_elements_are_found_and_changed_weights_are_new(extract, tmp_path) -> None:
    store = sim.store.open_store(tmp_path / "store", create=True)
    for seed, count in ((0, 1), (0, 1), (1, 2)):
        extract(
            OnnxModel(graph(tmp_path / "net.onnx", seed=seed)), data(), layers=["y"]
        )
        assert len(store.ids()) == count


def test_onnx_names_that_are_not_text_are_refused(tmp_path) -> None:
    path = graph(tmp_path / "net.onnx")
    whole = path.read_bytes()
    assert b"hidden" in whole
    path.write_bytes(whole.replace(b"hidden", b"hi\xffden"))
    with pytest.raises(InvalidInput, match="a name is not UTF-8 text"):
        OnnxModel(path)


def test_onnx_errors_are_one_sentence(extract, tmp_path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match=r"bad\.onnx is not a valid ONNX file"):
        OnnxModel(tmp_path / "bad.onnx")
    model = OnnxModel(graph(tmp_path / "net.onnx"))
    with pytest.raises(InvalidInput, match="Nearest names: hidden"):
        extract(model, data(), layers=["hiden"])
    with pytest.raises(InvalidInput, match="ONNX models run on the CPU"):
        extract(model, data(), layers=["hidden"], device="cuda")


def test_onnx_layers_have_kinds_and_shapes(tmp_path) -> None:
    model = OnnxModel(graph(tmp_path / "net.onnx"))
    found = {layer.name: layer for layer in summarize_layers(model, data())}
    assert (found["product"].kind, found["product"].shape) == ("MatMul", (5,))
    assert found["product"].parameters == 20
    assert [name for name, layer in found.items() if layer.auto] == ["product", "y"]
