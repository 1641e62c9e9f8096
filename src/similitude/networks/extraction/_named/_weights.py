"""Weights in safetensors files and in checkpoints without code."""

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....errors import InvalidInput, require
from ....store._formats._tensors import load_tensors
from ...data import encoder_path

ENCODER = "encoder:"  # before the name of an encoder of `similitude data`
_INSIDE = ("state_dict", "model_state_dict", "model", "net", "weights")


def encoder_file(text: str) -> Path:
    """The file or folder of ``encoder:NAME`` in the cache, after verification."""
    return encoder_path(text.removeprefix(ENCODER))


def weight_files(patterns: Sequence[str]) -> list[Path]:
    """All files; a pattern that the shell did not expand is expanded here."""
    found: list[Path] = []
    for pattern in patterns:
        if pattern.startswith(ENCODER):
            found.append(encoder_file(pattern))
            continue
        matched = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
        if not matched:
            raise InvalidInput(f"--weights {pattern}: no file matches.")
        found += map(Path, matched)
    for path in found:
        if not path.is_file():
            raise InvalidInput(f"--weights {path} does not exist.")
    return list(dict.fromkeys(found))


def names_of(paths: Sequence[Path]) -> list[str]:
    """Distinct names of files: the stem, with as many folders as are needed."""
    for depth in range(1, max(len(path.resolve().parts) for path in paths) + 1):
        names = [
            "/".join([*path.resolve().parts[-depth:-1], path.stem]) for path in paths
        ]
        if len(set(names)) == len(names):
            return names
    raise InvalidInput(f"--weights: {paths[0]} is given twice, with another suffix.")


def load_weights(module: Any, path: Path) -> None:
    """Load a state dict into a module; every name and shape must fit."""
    state = _read(path)
    wanted = module.state_dict()
    cleaned = {_clean(key, wanted): value for key, value in state.items()}
    missing = [key for key in wanted if key not in cleaned]
    extra = [key for key in cleaned if key not in wanted]
    if missing or extra:
        parts = [
            f"{len(keys)} {word} ({keys[0]})"
            for keys, word in ((missing, "missing"), (extra, "unknown"))
            if keys
        ]
        raise InvalidInput(
            f"{path} does not fit the model: {' and '.join(parts)} of {len(wanted)} "
            f"names of weights."
        )
    for key, value in cleaned.items():
        if tuple(value.shape) != tuple(wanted[key].shape):
            raise InvalidInput(
                f"{path} does not fit the model: {key} has shape "
                f"{tuple(value.shape)}, but the model has {tuple(wanted[key].shape)}."
            )
    module.load_state_dict(cleaned)


def _clean(key: str, wanted: Mapping[str, Any]) -> str:
    """The name without the prefixes that torch.compile and DataParallel add."""
    if key in wanted:
        return key
    parts = [part for part in key.split(".") if part != "_orig_mod"]
    return ".".join(parts[1:] if parts[0] == "module" else parts)


def _read(path: Path) -> dict[str, Any]:
    torch = require("torch", feature="loading weights", extra="torch")
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        try:
            return load_file(path)
        except Exception as error:  # damaged files raise any type of error
            raise InvalidInput(
                f"{path} is damaged. Save the state dict of the model again."
            ) from error
    found = load_tensors(path)
    for key in _INSIDE:
        if isinstance(found, Mapping) and isinstance(found.get(key), Mapping):
            found = found[key]
            break
    if not isinstance(found, Mapping) or not all(
        isinstance(value, torch.Tensor) for value in found.values()
    ):
        raise InvalidInput(
            f"{path} has no state dict: it must be a dict of tensors, or have one "
            f"under {', '.join(_INSIDE)}."
        )
    return dict(found)
