"""
Your own two models from disk
=============================

Two state dicts are on the disk. Load them, extract the layers, add untrained twins, and
write a table for a paper. :doc:`From two files to a table </from_disk>` does the same
in the shell.
"""

import tempfile
import textwrap
from collections import OrderedDict
from pathlib import Path

import torch
from torch import nn

import similitude as sim
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
folder = Path(tempfile.mkdtemp())
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)[:, None]
labels = torch.tensor(digits.labels)


def make() -> nn.Sequential:
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(1, 8, 3),
            relu1=nn.ReLU(),
            conv2=nn.Conv2d(8, 8, 3),
            relu2=nn.ReLU(),
            flat=nn.Flatten(),
            fc1=nn.Linear(128, 64),
            relu3=nn.ReLU(),
            fc2=nn.Linear(64, 10),
        )
    )


# %%
# Here the files are written first. With your own files, start below.

for seed in (0, 1):
    torch.manual_seed(seed)
    net = make()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for batch in torch.randint(1400, (300, 64)):
        loss = nn.functional.cross_entropy(net(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(net.state_dict(), folder / f"seed{seed}.pt")

# %%
# Load the weights, and extract three layers on held-out images. The twin has the same
# name with ``baseline="untrained"``: a fresh network of the same class. ``flatten``
# keeps all positions of a feature map; ``mean`` would give another answer.

options = {
    "layers": ["relu1", "relu2", "relu3"],
    "reducer": {"relu1": "flatten", "relu2": "flatten"},
    "out": folder / "reps",
    "progress": None,
}
for seed in (0, 1):
    net = make()
    weights = torch.load(folder / f"seed{seed}.pt", weights_only=True)
    net.load_state_dict(weights)
    sim.extract(net, images[1400:], name=f"seed{seed}", **options)
    torch.manual_seed(100 + seed)
    sim.extract(
        make(), images[1400:], name=f"seed{seed}", baseline="untrained", **options
    )

# %%
# Each layer with the same layer of the other network. The column ``untrained`` is the
# score of the twins.

found = sim.compare(folder / "reps", ["cka", "mutual_knn"], reference="seed0")
print(found)

# %%
# For the paper: a table, and how it was computed.

print(found.to_latex())
print(textwrap.fill(found.sentence(), 80))

# %%
# All layers against all layers, in colors that span the whole range.

everything = sim.compare(folder / "reps", "cka", permutations=0)
sim.plots.plot_layers(everything, "cka")
