"""Untrained twins: the same architecture with weights that are drawn again."""

import copy
from typing import Any

from ....errors import InvalidInput, either
from ._language import LanguageModel


def fresh_twin(model: Any, seed: int, name: str = "the model") -> Any:
    """A copy of a PyTorch module whose weights are initialized again from a seed."""
    import torch

    if isinstance(model, LanguageModel):
        return model.fresh(seed)
    if not hasattr(model, "load_state_dict"):
        raise InvalidInput(
            f"an untrained twin needs a PyTorch module; {name} is a "
            f"{type(model).__name__}."
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if hasattr(model, "config") and hasattr(type(model), "_from_config"):
            return type(model)._from_config(copy.deepcopy(model.config))
        twin = copy.deepcopy(model)
        for part, module in twin.named_modules():
            own = [*module.parameters(recurse=False), *module.buffers(recurse=False)]
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()
            elif own:
                remedy = either(
                    python="Give a twin with fresh weights instead, in baselines=.",
                    shell=f"Let {name} return fresh weights, and give the trained ones "
                    f"with --weights.",
                )
                raise InvalidInput(
                    f"{either(python='untrained=True', shell='--untrained')}: "
                    f"{part or name} ({type(module).__name__}) has weights but no "
                    f"reset_parameters. {remedy}"
                )
    return twin
