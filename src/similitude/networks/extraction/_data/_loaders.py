"""PyTorch loaders: the order of samples must be fixed, and no sample left out."""

from typing import Any

from ....errors import InvalidInput

_RANDOM = ("RandomSampler", "SubsetRandomSampler", "WeightedRandomSampler")


def is_dataset(data: Any) -> bool:
    """Whether data is a map-style data set of PyTorch, which gives single samples."""
    import sys

    torch = sys.modules.get("torch")
    if torch is None:  # the data cannot be an object of PyTorch
        return False
    return isinstance(data, torch.utils.data.Dataset) and hasattr(data, "__getitem__")


def loader_of(dataset: Any, batch_size: int) -> Any:
    """A loader that reads a data set in its order."""
    from torch.utils.data import DataLoader

    return DataLoader(dataset, batch_size=batch_size, shuffle=False)


def check_loader(loader: Any) -> None:
    """Refuse loaders that cannot be read twice, shuffle, or drop samples."""
    if iter(loader) is loader:
        raise InvalidInput(
            "data is an iterator, which can be read only once; give a list of batches "
            "or a loader."
        )
    batch_sampler = getattr(loader, "batch_sampler", None)
    for sampler in (getattr(loader, "sampler", None), batch_sampler):
        inner = getattr(sampler, "sampler", None)
        for found in (sampler, inner):
            shuffled = getattr(found, "shuffle", False) is True  # DistributedSampler
            if type(found).__name__ in _RANDOM or shuffled:
                raise InvalidInput(
                    f"the loader shuffles its samples ({type(found).__name__}); create "
                    f"it with shuffle=False, so that rows have the order of their ids."
                )
    if batch_sampler is not None and getattr(batch_sampler, "drop_last", False):
        samples, size = len(batch_sampler.sampler), batch_sampler.batch_size
        if samples % size:
            raise InvalidInput(
                f"the loader drops the last {samples % size} of {samples} samples; "
                f"create it with drop_last=False."
            )
