"""A folder with a Python file of models, weights and data."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

MODELS = """
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(2)
        )
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def net():
    return Net()


def conv():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.EmbeddingBag(64, 5)

    def forward(self, texts):
        rows = [torch.tensor([ord(c) % 64 for c in text]) for text in texts]
        return torch.cat([self.embed(row[None]) for row in rows])


def bag():
    return Bag()


def embed():
    return nn.Sequential(nn.Embedding(64, 5))


def codes(texts):
    length = max(map(len, texts))
    ids = [[ord(c) % 64 for c in t] + [0] * (length - len(t)) for t in texts]
    mask = [[1] * len(t) + [0] * (length - len(t)) for t in texts]
    return {"input": np.array(ids), "attention_mask": np.array(mask)}


def loader():
    return [torch.ones(3, 6), torch.zeros(2, 6)]


def shuffled():
    data = torch.utils.data.TensorDataset(torch.ones(8, 6))
    return torch.utils.data.DataLoader(data, batch_size=2, shuffle=True)


def doubled(x):
    return 2 * x


def broken():
    raise RuntimeError("no weights here")


def fails_later():
    class Late(Net):
        def forward(self, x):
            if (x[:, 0] == 17).any():
                raise ValueError("cannot run this batch")
            return super().forward(x)

    return Late()


def gives_nan():
    class Bad(Net):
        def forward(self, x):
            y = self.blocks[0](x)
            y = self.blocks[1](torch.where(x[:, :1] == 17, torch.nan, y))
            return self.head(y)

    return Bad()


not_a_function = 3
network = Net()
"""


@pytest.fixture(scope="session")
def some_models(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    (folder / "models.py").write_text(MODELS)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 6)).astype(np.float32)
    x[:, 0] = np.arange(20)
    np.save(folder / "x.npy", x)
    np.savez(folder / "named.npz", x=x, ids=np.array([f"s{i}" for i in range(20)]))
    (folder / "images" / "cats").mkdir(parents=True)
    for name in ("b.png", "a.png", "cats/c.png"):
        pixels = rng.integers(256, size=(8, 8, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / "images" / name)
    (folder / "lines.txt").write_text("a red fox\nthe sea\nhello\n")
    return folder


def net() -> nn.Module:
    """The same architecture as `net` in models.py."""
    blocks = nn.ModuleList(nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(2))
    return nn.ModuleDict({"blocks": blocks, "head": nn.Linear(6, 3)})


@pytest.fixture
def models(some_models: Path, tmp_path: Path, monkeypatch) -> Path:
    """Change into a folder of its own, which has links to the files."""
    for path in some_models.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    return tmp_path
