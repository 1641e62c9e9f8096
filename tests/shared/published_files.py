"""Tiny invented files in the layouts of published data sets."""

import gzip
import json
import pickle
import struct
from pathlib import Path

import numpy as np

RNG = np.random.default_rng(0)
CIFAR10_BATCHES = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
CIFAR = RNG.integers(0, 256, (6, 4, 32, 32, 3), dtype=np.uint8)  # four per batch
CIFAR_LABELS = RNG.integers(0, 10, (6, 4))


def write_png_strips(folder: Path) -> Path:
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for batch, images in zip(CIFAR10_BATCHES, CIFAR, strict=True):
        Image.fromarray(images.reshape(4, 1024, 3)).save(folder / f"{batch}.png")
    for split, labels in (("train", CIFAR_LABELS[:5]), ("test", CIFAR_LABELS[5:])):
        text = json.dumps(labels.ravel().tolist())
        (folder / f"{split}_lables.json").write_text(text)
    return folder


def write_cifar10_pickles(folder: Path) -> Path:
    inner = folder / "cifar-10-batches-py"
    inner.mkdir(parents=True)
    for name, images, labels in zip(CIFAR10_BATCHES, CIFAR, CIFAR_LABELS, strict=True):
        write_pickle(inner / name, images, {"labels": labels.tolist()})
    return folder


def write_cifar100_pickles(folder: Path) -> Path:
    inner = folder / "cifar-100-python"
    inner.mkdir(parents=True)
    for split, images in zip(("train", "test"), CIFAR, strict=False):
        labels = {"fine_labels": [0, 99, 5, 5], "coarse_labels": [0, 19, 1, 1]}
        write_pickle(inner / split, images, labels)
    names = {"fine": [f"f{i}" for i in range(100)], "coarse": [*"abcdefghijklmnopqrst"]}
    meta = {f"{kind}_label_names": found for kind, found in names.items()}
    (inner / "meta").write_bytes(pickle.dumps(meta, protocol=2))
    return folder


def write_pickle(path: Path, images: np.ndarray, labels: dict) -> None:
    """One batch, as Python 2 and numpy of that time wrote it."""
    rows = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    data = pickle.dumps({"data": np.ascontiguousarray(rows)} | labels, protocol=2)
    old = data.replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")
    path.write_bytes(old)


def write_idx(path: Path, array: np.ndarray) -> None:
    head = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    data = head + array.tobytes()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def write_mnist(folder: Path, suffix: str = "", n: int = 6) -> Path:
    """Images whose pixels are all equal to their number."""
    folder.mkdir(parents=True, exist_ok=True)
    for prefix, count in (("train", n), ("t10k", 2)):
        images = np.zeros((count, 28, 28), np.uint8)
        images += np.arange(count, dtype=np.uint8)[:, None, None]
        write_idx(folder / f"{prefix}-images-idx3-ubyte{suffix}", images)
        labels = np.arange(count, dtype=np.uint8) % 10
        write_idx(folder / f"{prefix}-labels-idx1-ubyte{suffix}", labels)
    return folder


def write_dsprites(path: Path, n: int = 5) -> np.ndarray:
    images = RNG.integers(0, 2, (n, 64, 64), dtype=np.uint8)
    latents = np.zeros((n, 6), np.int64)
    latents[:, 1] = np.arange(n) % 3
    latents[:, 5] = np.arange(n)
    metadata = np.array({"author": "invented"}, dtype=object)
    np.savez_compressed(path, imgs=images, latents_classes=latents, metadata=metadata)
    return images


PACKAGES = """\
Package: tool
Section: utils
Description: a tool
Description-md5: 11

Package: tool-copy
Section: games
Description: a tool
Description-md5: 11

Package: game
Section: games
Description-md5: 22

Package: untranslated
Section: web
Description-md5: 33
"""
TRANSLATIONS = {
    "en": {"11": "a tool\n Does things.\n .\n Twice.", "22": "a game", "33": "a page"},
    "fr": {"11": "un outil\n Fait des choses.", "22": "un jeu", "99": "sans paquet"},
    "de": {"22": "ein Spiel"},
}
RELEASE = "Origin: Debian\nCodename: invented\nVersion: 1.2\nDate: Sat, 11 Jul 2026\n"


def write_debian_lists(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mirror_dists_invented_InRelease").write_text(RELEASE)
    (folder / "mirror_main_binary-amd64_Packages").write_text(PACKAGES)
    for language, texts in TRANSLATIONS.items():
        text = "\n".join(
            f"Package: p{key}\nDescription-md5: {key}\nDescription-{language}: {told}\n"
            for key, told in texts.items()
        )
        path = folder / f"mirror_main_i18n_Translation-{language}"
        path.write_text(text, encoding="utf-8")
    return folder
