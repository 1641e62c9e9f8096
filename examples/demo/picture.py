"""The picture of the demo, which is also that of the README."""

from pathlib import Path

import matplotlib.pyplot as plt

import similitude as sim
from similitude.plots import plot_map, plot_matrix


def draw(found: sim.Results, path: Path) -> None:
    """All layers of all networks: trained, untrained, and as a map."""
    figure, axes = plt.subplots(1, 3, figsize=(16, 5.2), layout="constrained")
    plot_matrix(found, "cka", ax=axes[0], vmin=0, vmax=1)
    axes[0].set_title("CKA of trained networks")
    plot_matrix(found, "cka", value="untrained", ax=axes[1], vmin=0, vmax=1)
    axes[1].set_title("CKA of their untrained twins")
    plot_map(found, "procrustes", ax=axes[2])
    axes[2].set_title(f"Map of all layers ({axes[2].get_title()})")
    figure.savefig(path, dpi=100)
    plt.close(figure)
