"""Random cells are valid, and files of NAS-Bench-NLP are read."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude_lab.rtd.nas_map._cells import (
    OPERATIONS,
    Cell,
    Node,
    Setting,
    random_cell,
)
from similitude_lab.rtd.nas_map._nas_map import compare_all, violations
from similitude_lab.rtd.nas_map._word_embeddings import (
    numbered_words,
    read_benchmark,
)
from similitude_lab.study import run_study

torch = pytest.importorskip("torch")


def test_every_node_of_a_random_cell_has_an_effect() -> None:
    rng = np.random.default_rng(0)
    cells = [random_cell(rng) for _ in range(50)]
    assert {n.operation for cell in cells for n in cell.nodes} == set(OPERATIONS)
    for cell in cells:
        assert cell.nodes[0] == Node("linear", (0, 1))
        for at, node in enumerate(cell.nodes[1:], start=1):
            assert node.inputs[0] == at + 1  # the node before
            assert max(node.inputs) <= at + 1
            assert len(node.inputs) == OPERATIONS[node.operation]
    assert str(Cell((Node("linear", (0, 1)), Node("tanh", (2,))))) == (
        "linear(0 1) tanh(2)"
    )


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_cell_with_each_operation_can_be_trained(operation: str) -> None:
    from similitude_lab.rtd.nas_map._language_model import train

    inputs = (2, 1, 0)[: OPERATIONS[operation]]
    cell = Cell((Node("linear", (0, 1)), Node(operation, inputs)))
    text = np.tile(np.arange(5), 40)
    options = {"vocabulary": 5, "width": 8, "batch": 4, "length": 6}
    settings = [Setting(cells=1, steps=steps, **options) for steps in (1, 60)]
    short, long = (train(cell, text, setting, seed=0) for setting in settings)
    assert short["embeddings"].shape == (5, 8)
    assert float(long["log_perplexity"]) < float(short["log_perplexity"])
    again = train(cell, text, settings[0], seed=0)
    np.testing.assert_array_equal(again["embeddings"], short["embeddings"])


def benchmark(folder: Path, count: int) -> None:
    for k in range(count):
        weights = {
            "encoder.weight": torch.full((7, 3), float(k)),
            "decoder.bias": torch.zeros(7),
        }
        torch.save(weights, folder / f"dump_weights_model_{k}_2020_9.pt")
        log = {"test_losses": [9.0, 5.0 + k], "status": "OK"}
        (folder / f"log_stats_model_{k}_2020_9.json").write_text(json.dumps(log))


def test_a_folder_of_nas_bench_nlp_replaces_training(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    benchmark(folder, 4)
    for k, path in enumerate(sorted(folder.glob("*.pt"))):
        generator = torch.Generator().manual_seed(k)
        weight = torch.randn(30, 3, generator=generator)
        torch.save({"encoder.weight": weight}, path)
    record = run_study("rtd/nas-map", scale="smoke", out=tmp_path / "out", data=folder)
    assert "4 random models of NAS-Bench-NLP" in record.notes[0]
    np.testing.assert_allclose(record.values["perplexity_high"], np.exp(8.0))
    assert record.command.endswith("--data models")


def test_files_of_nas_bench_nlp_are_read(tmp_path: Path) -> None:
    benchmark(tmp_path, 9)
    chosen = set()
    for seed in range(20):
        found = read_benchmark(tmp_path, 3, np.random.default_rng(seed))
        assert list(found) == sorted(found)
        assert len(found) == 3
        for name, model in found.items():
            k = int(name.split("_")[1])
            np.testing.assert_array_equal(model["embeddings"], k)
            assert float(model["log_perplexity"]) == 5.0 + k
        chosen |= set(found)
    assert len(chosen) == 9  # random ones, not the first by name


def test_incomplete_files_of_nas_bench_nlp_are_named(tmp_path: Path) -> None:
    benchmark(tmp_path, 2)
    with pytest.raises(sim.InvalidInput, match="has 2 files"):
        read_benchmark(tmp_path, 90, np.random.default_rng(0))
    (tmp_path / "log_stats_model_1_2020_9.json").write_text("{}")
    with pytest.raises(sim.InvalidInput, match="test_losses"):
        read_benchmark(tmp_path, 90, np.random.default_rng(0))
    (tmp_path / "log_stats_model_0_2020_9.json").unlink()
    with pytest.raises(sim.InvalidInput, match="log_stats_model_0"):
        read_benchmark(tmp_path, 90, np.random.default_rng(0))


def test_pairs_have_the_sum_of_both_directions() -> None:
    rng = np.random.default_rng(0)
    models = {name: {"embeddings": rng.normal(size=(40, 3))} for name in "ab"}
    found = compare_all(models, batches=1, words=40)
    expected = 2 * sim.rtd(*(model["embeddings"] for model in models.values()))
    np.testing.assert_allclose(found["rtd"], expected)


def test_violations_of_the_triangle_inequality_are_counted() -> None:
    points = np.array([0.0, 1.0, 3.0, 10.0])
    line = np.abs(points[:, None] - points)
    assert violations(line) == 0.0
    line[0, 3] = line[3, 0] = 30.0
    assert violations(line) == 0.5


def test_the_most_frequent_words_have_numbers() -> None:
    text, words = numbered_words("docstrings", 50)
    assert len(words) == 50
    assert text.max() == 49
    counts = np.bincount(text)
    assert (np.diff(counts[1:]) <= 0).all()
