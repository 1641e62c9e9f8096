"""Layers are in the order in which they run: in models, stores, tables and ONNX."""

import shutil
import warnings
from pathlib import Path

import onnx
import pytest
import torch
from onnx import numpy_helper

import similitude as sim
from networks.unordered import network, planted, stimuli
from similitude._base._natural import natural_layer
from similitude.networks.extraction import OnnxModel, summarize_layers
from similitude.store import open_store


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


def stored(model, out: Path, **options) -> Path:
    sim.extract(model, stimuli(), layers="*", out=out, name="net", **options)
    return out


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def completed(net) -> list[str]:
    """The calls of all modules in the order in which they end, by their first names."""
    names, ended, handles = {}, [], []
    for name, module in net.named_modules(remove_duplicate=False):
        names.setdefault(module, name)
    for module, name in names.items():
        hook = module.register_forward_hook(lambda *_, n=name: ended.append(n))
        handles.append(hook)
    with torch.no_grad():
        net(stimuli(2))
    for handle in handles:
        handle.remove()
    counts, listed = {}, []
    for name in ended:
        counts[name] = counts.get(name, 0) + 1
        listed.append((name, counts[name]))
    return [f"{n}:{call}" if counts[n] > 1 else n for n, call in listed]


def exported(net, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net,
            (stimuli(2),),
            path,
            dynamo=False,
            do_constant_folding=False,
            input_names=["x"],
            dynamic_axes={"x": {0: "n"}},
        )
    return path


def first_user_of_another_weight(before: Path, after: Path) -> str:
    """The first tensor that is computed from a weight that differs."""
    a, b = (onnx.load(path).graph for path in (before, after))
    weights = [
        {item.name: numpy_helper.to_array(item).tobytes() for item in graph.initializer}
        for graph in (a, b)
    ]
    other = {name for name, value in weights[0].items() if weights[1][name] != value}
    return next(node.output[0] for node in a.node if other & set(node.input))


@pytest.mark.parametrize("seed", range(50))
def test_the_planted_layer_is_named_first(seed, tmp_path) -> None:
    before = network(seed)
    after, layer = planted(before, seed)
    assert sim.diff(before, after, stimuli(), layers="*").first == layer
    stores = [
        stored(model, tmp_path / name) for name, model in (("a", before), ("b", after))
    ]
    assert sim.diff(*stores).first == layer
    assert sim.diff(stores[0], after, stimuli(), layers="*").first == layer


@pytest.mark.parametrize("seed", range(20))
def test_the_planted_layer_is_named_first_in_onnx(seed, tmp_path) -> None:
    before = network(seed)
    after, _ = planted(before, seed)
    files = [
        exported(model, tmp_path / f"{name}.onnx")
        for name, model in (("a", before), ("b", after))
    ]
    right = first_user_of_another_weight(*files).lstrip("/")
    models = [OnnxModel(file) for file in files]
    assert sim.diff(*models, stimuli(), layers="*").first == right
    stores = [stored(m, tmp_path / str(i)) for i, m in enumerate(models)]
    assert sim.diff(*stores).first == right


@pytest.mark.parametrize("seed", range(6))
def test_all_functions_list_layers_in_running_order(seed, tmp_path) -> None:
    net = network(seed)
    order = completed(net)
    assert [layer.name for layer in summarize_layers(net, stimuli())] == order
    store = stored(net, tmp_path / "store")
    assert [rep.layer for rep in open_store(store).select()] == order
    assert [rep.layer for rep in sim.load(store)] == order
    results = sim.compare(store, "cka", permutations=0, progress=None)
    assert [record.layer for record in results.representations] == order
    found = sim.compare_models(
        {"a": net, "b": net}, stimuli(), layers="*", progress=None
    )
    assert [record.layer for record in found.representations] == [*order, *order]
    with sim.Monitor(net, stimuli(), "*", out=tmp_path / "m", name="net") as monitor:
        for step in (0, 9, 10, 100):
            monitor.step(step)
    watched = [(rep.layer, rep.step) for rep in sim.load(tmp_path / "m")]
    assert watched == [(layer, s) for layer in order for s in (0, 9, 10, 100)]
    shown = [name or "output" for name in order]
    assert list(dict.fromkeys(row.a_layer for row in results.rows)) == order[:-1]
    changed, _ = planted(net, seed)
    change = sim.diff(store, changed, stimuli(), layers="*", repeats=False)
    assert [c.pair.label for c in change.changes] == shown
    columns = [line.split("|") for line in change.to_markdown().splitlines()]
    listed = [cells[1].strip(" `") for cells in columns if len(cells) > 2][2:]
    assert listed == shown
    lines = change.to_latex().splitlines()
    assert [line.split(" &")[0] for line in lines if "&" in line][1:] == shown


@pytest.mark.parametrize("seed", range(4))
def test_an_old_store_has_natural_order_until_the_next_extract(seed, tmp_path) -> None:
    net = network(seed)
    store = open_store(stored(net, tmp_path / "store"))
    elements, order = store.ids(), completed(net)
    files = contents(store.elements)
    shutil.rmtree(store.path / "order")
    natural = [rep.layer for rep in store.select()]
    assert natural == sorted(order, key=natural_layer)
    stored(net, store.path)
    assert [rep.layer for rep in store.select()] == order
    assert store.ids() == elements
    assert files == contents(store.elements)
    assert store.verify() == []


def test_layers_of_several_calls_have_one_order(tmp_path) -> None:
    net = network(3)
    order = completed(net)
    modules = list(dict.fromkeys(name.partition(":")[0] for name in order))
    for name in reversed(modules):
        sim.extract(net, stimuli(), layers=[name], out=tmp_path, name="net")
    assert [rep.layer for rep in sim.load(tmp_path)] == order


def test_a_removed_element_has_no_place(tmp_path) -> None:
    store = open_store(stored(network(0), tmp_path))
    gone = store.ids()[0]
    store.remove(gone)
    assert set(store.places.read()) == set(store.ids())


def test_natural_order_has_containers_after_their_parts_and_the_model_last() -> None:
    names = ["", "encoder", "encoder.10", "encoder.2", "block10", "block2", "b:10",
             "b:9", "block2.conv"]  # fmt: skip
    assert sorted(names, key=natural_layer) == [
        "b:9", "b:10", "block2.conv", "block2", "block10", "encoder.2", "encoder.10",
        "encoder", "",
    ]  # fmt: skip


def test_files_and_arrays_without_an_order_have_natural_order(tmp_path) -> None:
    import numpy as np

    x = np.random.default_rng(0).normal(size=(5, 3))
    for name in ("block1", "block10", "block2"):
        (tmp_path / "files").mkdir(exist_ok=True)
        np.save(tmp_path / "files" / f"{name}.npy", x)
    layers = [rep.name for rep in sim.load(tmp_path / "files")]
    assert layers == ["block1", "block2", "block10"]
    np.savez(tmp_path / "given.npz", stem=x, block10=x, head=x)
    given = [rep.layer for rep in sim.load(tmp_path / "given.npz")]
    assert given == ["stem", "block10", "head"]
