"""
Two models
==========

Two networks with different architectures classify the same digits. Which layers of one
correspond to which layers of the other? ``compare_models`` takes both networks and the
images; no activations have to be collected first.
"""

import torch

import similitude as sim
from similitude.networks import SmallCNN
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)
labels = torch.tensor(digits.labels)
test, train = slice(0, 300), slice(300, None)


# %%
# Train both networks. Any ``torch.nn.Module`` can take their place.


def trained(network: torch.nn.Module) -> torch.nn.Module:
    torch.manual_seed(0)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(5):
        for batch in torch.randperm(len(labels[train])).split(64):
            output = network(images[train][batch])
            loss = torch.nn.functional.cross_entropy(output, labels[train][batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return network.eval()


torch.manual_seed(0)
hidden = [torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 32)]
parts = [torch.nn.Flatten(), *hidden, torch.nn.ReLU(), torch.nn.Linear(32, 10)]
perceptron = trained(torch.nn.Sequential(*parts))
convolutional = trained(SmallCNN(seed=0))
for name, network in (("perceptron", perceptron), ("convolutional", convolutional)):
    right = network(images[test]).argmax(dim=1) == labels[test]
    print(f"{name}: {right.double().mean():.3f} of the held-out digits are right")

# %%
# Compare all layers on 300 held-out images. The column ``untrained`` is the score of
# the same two networks with random weights. ``reducer="mean"`` averages channels of
# convolutions over positions.

found = sim.compare_models(
    {"perceptron": perceptron, "convolutional": convolutional},
    images[test],
    reducer="mean",
    untrained=True,
    progress=None,
)
print(found)

# %%
# The same scores as a grid. The colors span the whole range of the measure.

sim.plots.plot_layers(found, "cka")
