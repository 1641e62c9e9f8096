"""
Stitching
=========

Can the decoder of one network read the representation of another network, without
training? Stitching tests whether two representations can be used in the same way. It is
a functional test next to the geometric measures.
"""

import matplotlib.pyplot as plt
import torch

import similitude as sim
from similitude.latent.stitching import stitch_all
from similitude.networks import SmallCNN, SmallMLP
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)[:, None]
labels = torch.tensor(digits.labels)

# %%
# Train three networks on the first 1,000 images. The other images are used for
# stitching.

spaces = {}
for name, network in {
    "mlp 0": SmallMLP(seed=0),
    "mlp 1": SmallMLP(seed=1),
    "cnn": SmallCNN(channels=(8, 8), seed=0),
}.items():
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    torch.manual_seed(0)
    for _ in range(8):
        for batch in torch.randperm(1000).split(64):
            output = network(images[batch])
            loss = torch.nn.functional.cross_entropy(output, labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.inference_mode():
        spaces[name] = network.encoder(images[1000:]).numpy()

# %%
# A decoder is trained on the rows of one network (in brackets) and applied to the rows
# of the others. Relative rows and a fitted map make the coordinates comparable. The
# rows themselves, without either, do not fit.

table = stitch_all(spaces, labels[1000:].numpy(), seeds=[0], progress=None)
print(table)

# %%
# The geometric score of the same rows. A high CKA does not say that a decoder fits: it
# ignores rotations, and a decoder does not.

print(sim.compare(spaces, "cka", progress=None))

# %%
# Accuracy with the decoder of another network, by method.

overall = table.overall()
stitched = {name: means["stitched"] for name, means in overall.items()}
plt.figure(figsize=(6, 3.2), layout="constrained")
plt.barh(list(stitched), list(stitched.values()))
plt.axvline(overall["absolute"]["own"], color="gray", linestyle="--", label="at home")
plt.xlabel("accuracy on the rows of another network, %")
plt.legend()
plt.show()
