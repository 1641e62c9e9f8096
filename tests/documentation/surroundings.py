"""Files and names that the code blocks of a page use without defining them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file

import similitude as sim


def write_files(folder: Path) -> None:
    """Representations, outputs and labels of 60 stimuli in three classes."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    x = np.eye(3)[labels] @ rng.normal(size=(3, 4)) * 3 + rng.normal(size=(60, 4))
    np.save(folder / "a.npy", x)
    np.save(folder / "b.npy", x**2)
    save_file({"h": x[:, :3]}, folder / "c.safetensors")
    np.save(folder / "labels.npy", labels)
    np.save(folder / "images.npy", x)
    (folder / "outputs").mkdir()
    for shift, name in enumerate(("m1", "m2")):
        np.save(folder / "outputs" / f"{name}.npy", np.roll(labels, shift))
        layers = rng.normal(size=(2, 60, 5))
        np.savez(folder / f"{name}.npz", first=layers[0], second=layers[1])
    for name in ("reps", "twins", "others"):
        (folder / name).mkdir()
        for seed in ("one", "two"):
            noisy = x + rng.normal(size=x.shape)
            np.save(folder / name / f"{seed}.npy", noisy)


def arrays() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 5))
    names: dict[str, Any] = {
        "x": x,
        "y": x[:, :3] + rng.normal(size=(60, 3)),
        "z": x**2,
        "labels_x": rng.integers(3, size=60),
        "labels_y": rng.integers(3, size=60),
        "layers": [x, x**2, x[:, :2]],
        "reps": {"a": x, "b": x**2},
        "twins": {"a": x[::-1], "b": rng.normal(size=(60, 2))},
        "layers_of_a": {"one": x, "two": x**2},
        "layers_of_b": {"one": x[:, :2], "two": x**3},
    }
    for name in ("a", "b", "c", "a1", "b1", "a3", "b3"):
        names[name] = x + rng.normal(size=x.shape)
    return names


def of_compare() -> dict[str, Any]:
    layers = {name: {"1": x, "2": x**3} for name, x in _three().items()}
    measures, twins = ["cka", "rsa", "procrustes"], {"untrained": layers}
    found = sim.compare(layers, measures, baselines=twins, permutations=0)
    return arrays() | {"found": found}


def of_latent() -> dict[str, Any]:
    """Three encoders with 300 rows each, of five classes; one row occurs twice."""
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=300)
    means = 1.6 * rng.normal(size=(5, 12))
    shared = means[labels] + rng.normal(size=(300, 12))
    for name, width, noise in (("mlp", 16, 1.2), ("cnn", 16, 0.8), ("vit", 24, 0.4)):
        found = np.maximum(shared @ rng.normal(size=(12, width)), 0)
        found = found + noise * rng.normal(size=found.shape)
        found[7] = found[3]
        np.save(f"{name}.npy", found)
    np.save("labels.npy", labels)
    return {}


def of_topology() -> dict[str, Any]:
    x, y = torch.randn(2, 40, 3, generator=torch.manual_seed(0))
    encoder = torch.nn.Linear(3, 2)
    a, b = (sim.topology.rips_barcode(cloud)[1] for cloud in (x, y))
    reconstruction = torch.mean(encoder(x) ** 2)
    return {
        "x": x,
        "y": y,
        "a": a,
        "b": b,
        "encoder": encoder,
        "reconstruction": reconstruction,
    }


def of_identifiability() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    f, g = rng.normal(size=(700, 2)), rng.normal(size=(6, 2))
    names = {"f": f, "g": g, "f_other": f + 0.01 * f**2, "g_other": g}
    return names


def of_extraction() -> dict[str, Any]:
    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            conv = torch.nn.Conv2d
            self.layer1 = torch.nn.Sequential(conv(3, 4, 3), torch.nn.ReLU())
            self.fc = torch.nn.Linear(4, 5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fc(self.layer1(x).mean(dim=(2, 3)))

    images = torch.randn(40, 3, 8, 8, generator=torch.manual_seed(0))
    return {"model": Network(), "other": Network(), "images": images}


def _three() -> dict[str, np.ndarray]:
    names = arrays()
    return {name: names[name] for name in ("a", "b", "c")}


NAMES: dict[str, Callable[[], dict[str, Any]]] = {
    "compare.md": of_compare,
    "latent.md": of_latent,
    "topology.md": of_topology,
    "identifiability.md": of_identifiability,
    "extraction.md": of_extraction,
}
