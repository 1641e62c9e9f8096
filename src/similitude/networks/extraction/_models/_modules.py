"""The modules of a PyTorch model: unwrapped, named once, and blocks for "auto"."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....errors import InvalidInput

_SKIPPED = ("Dropout", "Identity", "Flatten")


def unwrap(model: Any) -> Any:
    """The model inside torch.compile, DataParallel and DistributedDataParallel."""
    while True:
        if type(model).__name__ == "OptimizedModule":
            model = model._orig_mod
        elif type(model).__name__ in {"DataParallel", "DistributedDataParallel"}:
            model = model.module
        else:
            return model


@contextmanager
def evaluation_mode(*modules: Any) -> Iterator[None]:
    """Switch modules to evaluation mode; restore the mode of every part afterwards."""
    before = [(part, part.training) for module in modules for part in module.modules()]
    for module in modules:
        module.eval()
    try:
        yield
    finally:
        for part, training in before:
            part.training = training


def names_of(model: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Modules by their first name, and all names mapped to the first names.

    A shared module has several names. Names have no `_orig_mod`.
    """
    first: dict[int, str] = {}
    modules: dict[str, Any] = {}
    aliases: dict[str, str] = {}
    for full, found in model.named_modules(remove_duplicate=False):
        name = ".".join(part for part in full.split(".") if part != "_orig_mod")
        module = unwrap(found)
        if id(module) not in first:
            first[id(module)] = name
            modules[name] = module
        aliases.setdefault(name, first[id(module)])
    return modules, aliases


def clean_key(key: str) -> str:
    """The key of a state dict without the prefixes of wrappers."""
    parts = [part for part in key.split(".") if part != "_orig_mod"]
    return ".".join(parts[1:] if parts[0] == "module" and len(parts) > 1 else parts)


def auto_layers(model: Any) -> list[str]:
    """The blocks of a model: repeated parts that have parts themselves.

    Children of a list or sequence are blocks if they have children. A model without
    such blocks has its first level with several parts as layers.
    """
    _, aliases = names_of(model)
    chosen = [aliases[name] for name in _blocks("", unwrap(model))]
    if len(set(chosen)) < 2:
        chosen = [aliases[name] for name in _first_level("", unwrap(model))]
    if not chosen:
        raise InvalidInput(
            f"layers='auto' found no blocks in {type(model).__name__}, because it has "
            f"no submodules; write layers=[''] for the output of the model."
        )
    return list(dict.fromkeys(chosen))


def _blocks(name: str, module: Any) -> Iterator[str]:
    for key, child in module.named_children():
        child, full = unwrap(child), f"{name}.{key}".lstrip(".")
        composite = any(True for _ in child.children())
        holds_blocks = _is_container(child) and any(
            any(True for _ in inner.children()) for inner in child.children()
        )
        if _is_container(module) and composite and not holds_blocks:
            yield full
        elif composite:
            yield from _blocks(full, child)


def _is_container(module: Any) -> bool:
    from torch import nn

    return isinstance(module, nn.Sequential | nn.ModuleList | nn.ModuleDict)


def _first_level(name: str, module: Any) -> Iterator[str]:
    children = [(key, unwrap(child)) for key, child in module.named_children()]
    if len(children) == 1:
        key, child = children[0]
        full = f"{name}.{key}".lstrip(".")
        inner = list(_first_level(full, child))
        yield from inner or [full]
        return
    for key, child in children:
        full = f"{name}.{key}".lstrip(".")
        if not type(child).__name__.startswith(_SKIPPED):
            yield full
