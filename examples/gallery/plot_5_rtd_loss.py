"""
RTD as a loss
=============

Train an autoencoder of digits with 16-dimensional codes, once by squared error alone
and once with the representation topology divergence (RTD) between the images and their
codes. The second loss also asks that components join, and loops are filled, at the same
scales.
"""

import matplotlib.pyplot as plt
import torch

import similitude as sim
from similitude.networks.data import load_dataset
from similitude.topology import r_cross_barcode, rtd_loss

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs, dtype=torch.float32).flatten(1)
images = images / torch.quantile(torch.pdist(images[:500]), 0.9)
train, test = images[:1400], images[1400:1600]


# %%
# ``rtd_loss`` is the sum of all bars, exact, with gradients of both ends of each bar.
# ``normalize="none"`` lets the loss choose the scale of the codes, too.


def train_codes(weight: float, steps: int = 300) -> tuple[torch.Tensor, float]:
    """Codes of the held-out images, and the relative squared error."""
    torch.manual_seed(0)
    layer, relu = torch.nn.Linear, torch.nn.ReLU
    encoder = torch.nn.Sequential(layer(64, 128), relu(), layer(128, 16))
    decoder = torch.nn.Sequential(layer(16, 128), relu(), layer(128, 64))
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=3e-3)
    for _ in range(steps):
        x = train[torch.randint(len(train), (64,))]
        codes = encoder(x)
        loss = torch.mean((decoder(codes) - x) ** 2) / x.var(dim=0).mean()
        if weight:
            loss = loss + weight * rtd_loss(x, codes, normalize="none") / len(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        codes = encoder(test)
        error = torch.mean((decoder(codes) - test) ** 2) / test.var(dim=0).mean()
    return codes.clone(), float(error)


fitted = {"squared error": train_codes(0.0), "with RTD": train_codes(1.0)}

# %%
# On held-out images the squared error is the same. RTD is lower, also after both sides
# are divided by their own scale, and the order of distances is preserved better
# (``rsa``).

for name, (codes, error) in fitted.items():
    plain = float(sim.rtd(test, codes, normalize="none"))
    scaled = float(sim.rtd(test, codes))
    rsa = float(sim.rsa(test, codes, inner="euclidean"))
    print(
        f"{name:14} error {error:.2f}   rtd {plain:5.2f}   "
        f"rtd, own scales {scaled:.2f}   rsa {rsa:.3f}"
    )

# %%
# Above: distances of codes against distances of images. Below: the bars of the
# R-Cross-Barcode from images to codes. A bar begins when rows are joined in one of the
# two clouds, and ends when they are joined in the images.

figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for (name, (codes, _)), (above, below) in zip(fitted.items(), axes.T, strict=True):
    above.plot(torch.pdist(test), torch.pdist(codes), ",", alpha=0.4)
    above.axline((0, 0), slope=1, color="gray", linewidth=1)
    above.set(title=name, xlabel="distance of images", ylabel="distance of codes")
    sim.plots.plot_barcode(r_cross_barcode(test, codes, normalize="none"), ax=below)
    below.get_legend().set_loc("upper left")
plt.show()
