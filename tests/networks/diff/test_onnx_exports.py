"""Faithful ONNX exports pass the gate without options; planted faults fail it."""

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from onnx import numpy_helper
from torch import nn

import similitude as sim

GATE = {"relative_error": 1e-4, "cka": 0.99}


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


class Residual(nn.Module):
    def __init__(self, c: int = 6) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(c, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1)
        self.n, self.m = nn.BatchNorm2d(c), nn.BatchNorm2d(c)

    def forward(self, x):
        return torch.relu(x + self.m(self.b(torch.relu(self.n(self.a(x))))))


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(6, 5)
        self.stage2, self.stage1 = Residual(), Residual()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU()
        )

    def forward(self, x):
        return self.head(self.stage2(self.stage1(self.stem(x))).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(6, 8)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation=a)
            for a in ("relu", "gelu", "gelu")
        )
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def plain() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(),
        nn.Conv2d(6, 6, 3), nn.BatchNorm2d(6), nn.Tanh(),
        nn.Flatten(), nn.Linear(6 * 16, 12), nn.BatchNorm1d(12), nn.ReLU(),
        nn.Linear(12, 5),
    )  # fmt: skip


NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "residual": (ResNet, (3, 8, 8)),
    "transformer": (Transformer, (5, 6)),
    "fused": (plain, (3, 8, 8)),
}


def made(kind: str, seed: int = 0) -> tuple[nn.Module, torch.Tensor]:
    """A network with the statistics of data, and the data."""
    torch.manual_seed(seed)
    build, shape = NETWORKS[kind]
    net, x = build(), torch.randn(300, *shape)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d | nn.LayerNorm):
            nn.init.normal_(module.weight, 1, 0.3)
            nn.init.normal_(module.bias, 0, 0.3)
    net.train()(1.5 * x + 0.5)
    return net.eval(), x


def exported(net: nn.Module, x: torch.Tensor, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            copy.deepcopy(net), (x[:2],), path, dynamo=False, input_names=["x"],
            dynamic_axes={"x": {0: "n"}},
        )  # fmt: skip
    return path


def found(net: nn.Module, file: Path, x: torch.Tensor, **options: Any) -> Any:
    return sim.diff(net, str(file), x.numpy(), reducer="flatten", **options)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", NETWORKS)
def test_a_faithful_export_passes(kind, seed, tmp_path) -> None:
    """Blocks, and all modules, which the export merges or computes in other order."""
    net, x = made(kind, seed)
    file = exported(net, x, tmp_path / "net.onnx")
    result = found(net, file, x, allow=GATE)
    assert result.outcome == "pass", result
    assert result.first is None
    turned = sim.diff(str(file), net, x.numpy(), reducer="flatten", allow=GATE)
    assert turned.outcome == "pass", turned


def test_layers_that_the_export_merges_are_named(tmp_path) -> None:
    net, x = made("fused")
    result = found(net, exported(net, x, tmp_path / "n.onnx"), x, allow=GATE)
    assert "0 is merged with 1" in " ".join(result.notes)
    compared = [c.pair.before.layer for c in result.changes]
    assert compared == ["1", "2", "4", "5", "7", "8", "9", "10"]


def test_layers_before_and_after_an_activation_are_told_apart(tmp_path) -> None:
    net, x = made("residual")
    file = exported(net, x, tmp_path / "net.onnx")
    layers = ["stem.1", "stem.2", "stage1.m", "stage1", "head"]
    result = found(net, file, x, layers=layers, allow=GATE)
    assert result.outcome == "pass", result
    (note,) = (n for n in result.notes if n.startswith("Matched by the values"))
    assert "stem.1 before Relu, stem.2 after Relu" in note
    assert "stage1 after Relu" in note


def weight(graph: Any, number: int, change: Callable[[Any], Any]) -> None:
    """Change the weights with this number among the larger ones."""
    items = [item for item in graph.initializer if len(item.dims) > 1]
    values = numpy_helper.to_array(items[number]).copy()
    items[number].CopyFrom(numpy_helper.from_array(change(values), items[number].name))


def bias(graph: Any, number: int) -> None:
    """Set a bias to zero."""
    items = [item for item in graph.initializer if len(item.dims) == 1]
    values = numpy_helper.to_array(items[number])
    items[number].CopyFrom(numpy_helper.from_array(0 * values, items[number].name))


def without(graph: Any, kind: str, number: int = 0) -> None:
    """Remove a node: its input takes the place of its output."""
    node = [each for each in graph.node if each.op_type == kind][number]
    for other in graph.node:
        for place, name in enumerate(other.input):
            if name == node.output[0]:
                other.input[place] = node.input[0]
    graph.node.remove(node)


def swapped(values: Any) -> Any:
    values[[0, 1]] = values[[1, 0]]
    return values


def other_kind(graph: Any, kind: str, new: str, number: int = 0) -> None:
    [each for each in graph.node if each.op_type == kind][number].op_type = new


def earlier_output(graph: Any) -> None:
    """The graph returns a scaled copy, though the right tensor is in it."""
    name = graph.output[0].name
    for node in graph.node:
        for place, output in enumerate(node.output):
            if output == name:
                node.output[place] = "right"
    two = numpy_helper.from_array(
        numpy_helper.to_array(graph.initializer[0]).ravel()[:1]
    )
    two.name = "factor"
    graph.initializer.append(two)
    graph.node.append(onnx.helper.make_node("Mul", ["right", "factor"], [name]))


FAULTS: dict[str, tuple[str, Callable[[Any], None]]] = {
    "lost bias of the first layer": ("residual", lambda g: bias(g, 1)),
    "lost bias of the last layer": ("residual", lambda g: bias(g, 0)),
    "swapped channels": ("residual", lambda g: weight(g, 2, swapped)),
    "scaled weights": ("residual", lambda g: weight(g, 1, lambda v: 1.01 * v)),
    "missing activation of a block": ("residual", lambda g: without(g, "Relu", 2)),
    "another activation": ("residual", lambda g: other_kind(g, "Relu", "Tanh", 1)),
    "another output": ("residual", earlier_output),
    "transposed weights": ("transformer", lambda g: weight(g, 1, lambda v: -v)),
    "rounded weights": (
        "fused",
        lambda g: weight(g, 1, lambda v: (32 * v).round() / 32),
    ),
    "missing activation": ("fused", lambda g: without(g, "Tanh")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault, tmp_path) -> None:
    kind, plant = FAULTS[fault]
    net, x = made(kind)
    file = exported(net, x, tmp_path / "net.onnx")
    model = onnx.load(file)
    plant(model.graph)
    onnx.save(model, tmp_path / "faulty.onnx")
    result = found(net, tmp_path / "faulty.onnx", x, allow=GATE)
    assert result.outcome == "fail", result
