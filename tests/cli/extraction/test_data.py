"""Data of `similitude extract`: data sets, images, texts, arrays and loaders."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import similitude as sim
from cli.command import run
from shared.language_models import write_bert
from shared.published_files import write_debian_lists
from similitude.networks.data import fetch_dataset
from similitude.store import open_store


def extracted(capsys, model: str, data: str, *options: str) -> dict:
    out = f"reps-{len(list(Path.cwd().glob('reps-*')))}"
    said = run(capsys, "extract", model, "--data", data, "-o", out, *options)
    assert said.code == 0, said.err
    return {rep.layer: rep for rep in open_store(out).select()}


def test_data_set_by_name_and_split(models, capsys) -> None:
    (models / "digits.py").write_text(
        "from torch import nn\n"
        "def net():\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(64, 3))\n"
    )
    found = extracted(capsys, "digits.py:net", "digits:all", "--rows", "10:40",
                      "--layers", "0,1")  # fmt: skip
    assert found["1"].ids[[0, -1]].tolist() == ["all-00010", "all-00039"]
    assert found["0"].load().shape == (30, 64)
    assert 0 <= found["0"].load().min() < found["0"].load().max() <= 1
    said = run(capsys, "extract", "digits.py:net", "--data", "cifar", "-o", "r")
    said.assert_one_line("--data cifar: it is not a file, a folder or PATH.py:function")


def test_folder_of_images(models, capsys) -> None:
    found = extracted(capsys, "models.py:conv", "images", "--layers", "0",
                      "--reducer", "flatten")  # fmt: skip
    assert found["0"].ids.tolist() == ["a.png", "b.png", "cats/c.png"]
    found = extracted(capsys, "models.py:conv", "images", "--layers", "0",
                      "--reducer", "mean", "--resize=8", "--rows=1:3")  # fmt: skip
    assert found["0"].ids.tolist() == ["b.png", "cats/c.png"]
    big = models / "mixed"
    big.mkdir()
    for size in (4, 5):
        Image.new("L", (size, size)).save(big / f"{size}.png")
    said = run(capsys, "extract", "models.py:conv", "--data", "mixed", "-o", "r")
    assert said.code == 2
    assert "mixed/5.png has 5 x 5 pixels and mixed/4.png has 4 x 4" in said.err
    (big / "4.png").write_bytes(b"nothing")
    said = run(capsys, "extract", "models.py:conv", "--data", "mixed", "-o", "r")
    assert "mixed/4.png is not a readable image" in said.err


def test_text_file_of_lines(models, capsys) -> None:
    found = extracted(capsys, "models.py:bag", "lines.txt", "--layers", "")
    assert found[""].ids.tolist() == ["line-1", "line-2", "line-3"]
    assert found[""].load().shape == (3, 5)
    (models / "gap.txt").write_text("a\n\nb\n")
    said = run(capsys, "extract", "models.py:bag", "--data", "gap.txt", "-o", "r")
    assert "gap.txt: line 2 is empty" in said.err


def test_language_of_a_data_set_in_several_languages(models, capsys) -> None:
    (models / "lengths.py").write_text(
        "import torch\n"
        "class Lengths(torch.nn.Module):\n"
        "    def forward(self, texts):\n"
        "        return torch.tensor([[float(len(t)), 1.0] for t in texts])\n"
    )
    words = ("lengths.py:Lengths", "debian_descriptions", "--layers", "")
    with sim.config(cache_dir=models / "cache"):
        fetch_dataset("debian_descriptions", source=write_debian_lists(models / "deb"))
        english = extracted(capsys, *words)[""]
        french = extracted(capsys, *words, "--language", "fr,en")[""]
        german = extracted(capsys, *words, "--language", "de,en")[""]
        said = run(capsys, "extract", "lengths.py:Lengths", "--data", words[1],
                   "--layers", "", "-o", "r")  # fmt: skip
    assert "the first column is used" in said.err
    assert english.ids.tolist() == french.ids.tolist() == ["11", "22"]
    assert english.load()[1, 0] == len("a game")
    assert french.load()[1, 0] == len("un jeu")
    assert german.ids.tolist() == ["22"]
    said = run(capsys, "extract", "models.py:bag", "--data", "lines.txt",
               "--language", "fr", "-o", "r")  # fmt: skip
    said.assert_one_line("--language is for data sets in several languages")


def test_texts_with_a_tokenizer_have_a_mask(models, capsys) -> None:
    code = ("--preprocessing", "models.py:codes", "--layers", "0", "--batch-size", "2")
    found = extracted(capsys, "models.py:embed", "lines.txt", *code,
                      "--reducer", "mean_tokens")  # fmt: skip
    assert found["0"].load().shape == (3, 5)
    found = extracted(capsys, "models.py:embed", "lines.txt", *code,
                      "--reducer", "positions")  # fmt: skip
    assert found["0"].n == len("a red fox") + len("the sea") + len("hello")


def test_array_files_and_ids(models, capsys) -> None:
    found = extracted(capsys, "models.py:net", "named.npz", "--layers", "head")
    assert found["head"].ids[:2].tolist() == ["s0", "s1"]
    found = extracted(capsys, "models.py:net", "x.npy", "--layers", "head",
                      "--preprocessing", "models.py:doubled")  # fmt: skip
    assert found["head"].ids.tolist() == list(range(20))


def test_loaders_of_a_function(models, capsys) -> None:
    found = extracted(capsys, "models.py:net", "models.py:loader", "--layers", "head")
    assert found["head"].n == 5
    said = run(capsys, "extract", "models.py:net", "--data", "models.py:shuffled",
               "-o", "r")  # fmt: skip
    assert said.code == 2
    assert "the loader shuffles its samples (RandomSampler)" in said.err


def test_onnx_file(models, capsys) -> None:
    from networks.extraction.test_onnx import graph

    graph(models / "net.onnx")
    np.save("x4.npy", np.ones((5, 4), dtype=np.float32))
    found = extracted(capsys, "net.onnx", "x4.npy", "--layers", "hidden,y")
    assert {k: v.load().shape for k, v in found.items()} == {
        "hidden": (5, 5),
        "y": (5, 2),
    }
    said = run(
        capsys, "extract", "net.onnx", "--untrained", "--data", "x4.npy", "-o", "r"
    )
    said.assert_one_line("--untrained: an ONNX file has fixed weights")


def test_hugging_face_folder_needs_transformers(models, capsys, monkeypatch) -> None:
    (models / "bert").mkdir()
    (models / "bert" / "config.json").write_text("{}")
    words = ("extract", "hf:bert", "--data", "lines.txt", "-o", "r")
    monkeypatch.setitem(sys.modules, "transformers", None)  # as if not installed
    said = run(capsys, *words)
    assert "hf:bert needs the extra huggingface: pip install" in said.err
    assert "transformers" in said.err


@pytest.mark.parametrize("as_json", [True, False])
def test_layers_lists_names_shapes_and_sizes(models, capsys, as_json) -> None:
    options = ["--json"] if as_json else []
    said = run(capsys, "layers", "models.py:net", "--data", "x.npy", *options)
    assert said.code == 0, said.err
    if as_json:
        rows = {row["name"]: row for row in said.rows()}
        assert rows["blocks.1"]["auto"]
        assert rows["head"] == {"name": "head", "kind": "Linear", "parameters": 21,
                                "shape": [3], "auto": False}  # fmt: skip
        return
    assert (
        "* blocks.1    6                           6           42  Sequential"
        in said.out
    )
    said = run(capsys, "layers", "models.py:conv", "--shape", "3,8,8")
    assert "4 x 6 x 6" in said.out
    said = run(capsys, "layers", "models.py:net")
    assert (
        "* blocks.0    -                           -           42  Sequential"
        in said.out
    )


def test_store_show_prints_manifests_for_people(models, capsys) -> None:
    run(capsys, "extract", "models.py:net", "--data", "x.npy", "-o", "reps",
        "--layers", "head", "--batch-size", "8")  # fmt: skip
    said = run(capsys, "store", "show", "reps")
    assert said.code == 0
    for line in (
        "  name           net/head",
        "  layer          'head'",
        "  rows           20 x 3 <f4, 1 file",
        "  class          models.Net in float32",
        "  reducer        none",
        "  batches        3 of at most 8 rows, 20 rows together",
    ):
        assert f"{line}\n" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    (element,) = open_store("reps").ids()
    assert run(capsys, "store", "show", "reps", element).out == said.out
    run(capsys, "store", "show", "reps", "none").assert_one_line("there is no element")


def test_store_show_is_one_line_per_model_and_one_screen(models, capsys) -> None:
    run(capsys, "extract", "models.py:net", "--data", "x.npy", "-o", "reps",
        "--layers", "blocks.?,head", "--name", "net-0", "--untrained")  # fmt: skip
    said = run(capsys, "store", "show", "reps")
    assert said.out.splitlines() == [
        "model  layers                    rows  units  reducer  twins",
        "net-0  blocks.0, blocks.1, head  20    6, 3   none     untrained",
        "6 elements; `store show reps ID` shows the origin of one.",
    ]
    opened = open_store("reps")
    for number in range(1, 50):
        rows = np.full((4, number), 1.0)
        opened.put(sim.Representation(f"net-{number}", rows, model=f"net-{number}"))
    lines = run(capsys, "store", "show", "reps").out.splitlines()
    assert len(lines) <= 40
    assert lines[-2:] == [
        "... and 16 more models",
        "55 elements; `store show reps ID` shows the origin of one.",
    ]


def test_layers_of_a_large_model_are_one_screen(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    write_bert(tmp_path / "bert")
    short = run(capsys, "layers", "hf:bert").out.splitlines()
    assert [line[:9] for line in short[1:-2]] == ["* encoder"] * 2
    assert all(" x 16 " in line for line in short[1:-2])
    total = len(run(capsys, "layers", "hf:bert", "--all").out.splitlines()) - 2
    assert total > 40
    assert short[-2:] == [
        f"2 of {total} layers; --all lists all.",
        "Shapes: of the text 'a short text'.",
    ]
