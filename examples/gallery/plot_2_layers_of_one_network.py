"""
Layers of one network
=====================

Extract the activations of all layers of one convolutional network, and find groups of
similar layers. ``similitude.extract`` writes the activations to a store; running it
again reads them without running the model.
"""

import tempfile

import matplotlib.pyplot as plt
import torch

import similitude as sim
from similitude.networks import SmallCNN
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)[:, None]
labels = torch.tensor(digits.labels)

# %%
# Train a network with three convolutions and one dense layer.

network = SmallCNN(side=8, channels=(8, 12, 16), width=32, seed=0)
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
torch.manual_seed(0)
for _ in range(8):
    for batch in torch.randperm(1500).split(64):
        loss = torch.nn.functional.cross_entropy(network(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# %%
# Extract all blocks on the 297 held-out images. The reducer says how an output with
# several axes becomes one row per image.

folder = tempfile.TemporaryDirectory()
store = sim.extract(
    network,
    images[1500:],
    layers="auto",
    reducer="flatten",
    out=folder.name,
    name="cnn",
    progress=None,
)
layers = store.select()

# %%
# Compare all pairs of layers with a geometric measure and with a measure of neighbors.

found = sim.compare(layers, ["cka", "mutual_knn"], progress=None)
print(found.header())

# %%
# Layers that follow each other are most similar. Similarity falls with the difference
# in depth, by geometry and by neighbors.

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for axis, measure in zip(axes, found.measures, strict=True):
    sim.plots.plot_matrix(found, measure, ax=axis)

# %%
# The table prints one line per pair with ``table(long=True)``. Its notes say that a
# small p between two layers of one model is trivial.

print(found.table())
folder.cleanup()
