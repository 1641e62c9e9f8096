"""
Checkpoints over training
=========================

When does a representation reach its final form? Compare every checkpoint with the last
one, by two measures of geometry and by the predictions.
"""

import matplotlib.pyplot as plt
import torch

import similitude as sim
from similitude.networks import SmallMLP
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)
labels = torch.tensor(digits.labels)
held_out = images[1400:]

# %%
# Keep a checkpoint at steps that are equally spaced in the logarithm. ``step`` is
# stored with each representation.

network = SmallMLP(widths=(64, 32), seed=0)
optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
hidden, predicted = [], {}
torch.manual_seed(0)
for step in range(257):
    if step in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256):
        with torch.inference_mode():
            rows, logits = network.encoder(held_out), network(held_out)
        name = f"step {step:3}"
        hidden.append(sim.Representation(name, rows.numpy(), model="mlp", step=step))
        predicted[name] = sim.Outputs(labels=logits.argmax(dim=1).numpy())
    batch = torch.randint(1400, (64,))
    loss = torch.nn.functional.cross_entropy(network(images[batch]), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %%
# ``reference`` compares all representations with one of them.

last = hidden[-1].name
geometry = sim.compare(hidden, ["cka", "procrustes"], reference=last, progress=None)
outputs = sim.compare(predicted, "disagreement", reference=last, progress=None)

# %%
# The interval of CKA is the shaded area. Representation and predictions do not settle
# at the same time.

steps = [rep.step for rep in hidden[:-1]]
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
for axis, found, measure in zip(
    axes,
    (geometry, geometry, outputs),
    ("cka", "procrustes", "disagreement"),
    strict=True,
):
    rows = [row for row in found.rows if row.measure == measure]
    axis.plot(steps, [row.score for row in rows], "o-")
    if rows[0].low is not None:
        low, high = [row.low for row in rows], [row.high for row in rows]
        axis.fill_between(steps, low, high, alpha=0.25)
    axis.set(xscale="symlog", xlabel="step", title=f"{measure} with step 256")
