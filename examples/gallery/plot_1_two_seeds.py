"""
Two seeds
=========

Do two networks that differ only in their random seed learn the same representation? The
scores look high, but so does the similarity of *untrained* networks. Untrained twins
are therefore the baseline.
"""

import torch

import similitude as sim
from similitude.networks import SmallMLP
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
order = torch.randperm(len(digits.labels), generator=torch.manual_seed(0))
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)[order]
labels = torch.tensor(digits.labels)[order]
test, train = slice(0, 300), slice(300, None)


# %%
# Train two networks, and keep the activations of each layer on 300 held-out images
# before and after training.


@torch.inference_mode()
def layers(network: SmallMLP) -> dict[str, torch.Tensor]:
    first = network.encoder[0](images[test])
    return {"hidden 1": first, "hidden 2": network.encoder[1](first)}


def fit(network: SmallMLP, epochs: int = 15) -> None:
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(labels[train])).split(64):
            output = network(images[train][batch])
            loss = torch.nn.functional.cross_entropy(output, labels[train][batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


untrained, trained = {}, {}
for seed in (0, 1):
    network = SmallMLP(seed=seed)
    untrained[f"seed {seed}"] = layers(network)
    fit(network)
    trained[f"seed {seed}"] = layers(network)

# %%
# Compare all layers. The column ``untrained`` is the score of the two untrained twins.
# The interval and the p-value come without further options.

found = sim.compare(trained, ["cka", "procrustes"], baselines={"untrained": untrained})
print(found)

# %%
# The layers of the two networks against each other. The colors span the whole range of
# the measure, so that high scores look high.

sim.plots.plot_layers(found, "cka")

# %%
# Does the second layer depend more on the seed than the first, or is the difference
# within the error of 300 images? Two intervals do not answer this question, because
# both scores come from the same images. ``difference`` leaves out the same images in
# both.

a, b = trained.values()
print(
    sim.stats.difference(
        "cka", (a["hidden 2"], b["hidden 2"]), (a["hidden 1"], b["hidden 1"])
    )
)
