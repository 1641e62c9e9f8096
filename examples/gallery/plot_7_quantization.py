"""
Quantization
============

The weights of a network are rounded to bfloat16, to 8 bits and to 3 bits. Which layer
changes first, how much, and which images move? ``diff`` compares a model before and
after, in coordinates and in geometry, next to the noise of repeated runs.
"""

import copy
import textwrap

import torch
from torch import nn

import similitude as sim
from similitude.networks import SmallMLP
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)
labels = torch.tensor(digits.labels)

torch.manual_seed(0)
network = SmallMLP(seed=0)
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
for batch in torch.randint(1400, (300, 64)):
    loss = nn.functional.cross_entropy(network(images[batch]), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
network.eval()

# %%
# Three versions with the weights of fewer bits. Real quantization also rounds the
# activations; ``diff`` compares any two models, stores or ONNX files.


@torch.no_grad()
def rounded(bits: int | None) -> nn.Module:
    version = copy.deepcopy(network)
    for weights in version.parameters():
        if bits is None:
            weights.copy_(weights.bfloat16().float())
        else:
            step = weights.abs().max() / (2 ** (bits - 1) - 1)
            weights.copy_((weights / step).round() * step)
    return version


layers = ["encoder.0", "encoder.1", "head"]
changes = {
    name: sim.diff(
        network,
        rounded(bits),
        images[1400:],
        layers=layers,
        outputs="head",
        allow={"cka": 0.99, "disagreement": 0.02},
        progress=None,
    )
    for name, bits in (("bfloat16", None), ("8 bits", 8), ("3 bits", 3))
}

# %%
# The gate says if the change is within the limits: CKA at least 0.99, and at most 2 %
# other predictions. It passes only if the interval is within the limit. With 3 bits the
# geometry is nearly the same, and 4 % of the predictions are not.

for name, found in changes.items():
    print(textwrap.fill(f"{name}: {found.sentence()}", 80) + "\n")

# %%
# The whole table of the coarsest version, with the images that moved most.

print(changes["3 bits"])

# %%
# The change over depth, in values and in geometry.

changes["3 bits"].plot()
