"""
A report
========

One HTML page with everything about a comparison: findings in words, grids, a map of the
representations, each pair, and the options. It opens offline, and works in dark and on
a phone. A colleague needs only a browser.

.. image:: /_static/report.png
   :alt: The report of two networks: findings next to the profile over depth
   :class: report-picture
"""

import tempfile
from pathlib import Path

import torch

import similitude as sim
from similitude.networks import SmallMLP
from similitude.networks.data import load_dataset

torch.set_num_threads(1)
digits = load_dataset("digits")
images = torch.tensor(digits.inputs / 16, dtype=torch.float32)
labels = torch.tensor(digits.labels)


def layers(seed: int, steps: int) -> dict[str, torch.Tensor]:
    network = SmallMLP(widths=(128, 64, 32), seed=seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    torch.manual_seed(seed)
    for batch in torch.randint(1400, (steps, 64)):
        output = network(images[batch])
        loss = torch.nn.functional.cross_entropy(output, labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    rows, found = images[1400:], {}
    with torch.inference_mode():
        for number, block in enumerate(network.encoder, 1):
            rows = block(rows)
            found[f"hidden {number}"] = rows
    return found


# %%
# Three networks, before and after training.

trained = {f"seed {seed}": layers(seed, 300) for seed in range(3)}
untrained = {f"seed {seed}": layers(seed, 0) for seed in range(3)}
found = sim.compare(
    trained,
    ["cka", "mutual_knn", "procrustes"],
    baselines={"untrained": untrained},
    permutations=19,
    progress=None,
)

# %%
# Write the page. ``similitude report FOLDER`` does the same for a results folder, and
# ``similitude compare --report FILE`` also writes it while the comparison runs.

page = Path(tempfile.mkdtemp()) / "report.html"
found.report(page, title="Three seeds of a small network")
print(f"{page.name}: {page.stat().st_size // 1000} kB")

# %%
# The page opens with the strongest findings. The summary in the terminal has them, too.

print(found)

# %%
# Next to the findings is the profile over depth; the page also has the map.

sim.plots.plot_map(found, "procrustes")
