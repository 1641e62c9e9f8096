"""A pretrained encoder of one language: a folder of Hugging Face transformers."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from similitude.errors import InvalidInput, require

from ._texts import Strings


class PretrainedText(nn.Module):
    """Token ids, padded with a negative id, to the row of the first token."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.encoder = _loaded("AutoModel", folder, use_safetensors=True)

    def forward(self, ids: Tensor) -> Tensor:
        ids = ids.long()
        found = self.encoder(ids.clamp(min=0), attention_mask=(ids >= 0).long())
        return found.last_hidden_state[:, 0]


class Tokens:
    """Texts to token ids; longer texts are cut at `most` tokens."""

    def __init__(self, folder: Path, most: int) -> None:
        self.tokenizer, self.most = _loaded("AutoTokenizer", folder), most

    def __call__(self, texts: Strings) -> np.ndarray:
        found = self.tokenizer(list(texts), truncation=True, max_length=self.most)
        ids = np.full((len(texts), self.most), -1, dtype=np.int64)
        for row, own in zip(ids, found["input_ids"], strict=True):
            row[: len(own)] = own
        return ids


def check_width(module: PretrainedText, width: int, folder: Path) -> None:
    found = module.encoder.config.hidden_size
    if found != width:
        raise InvalidInput(
            f"{folder}: the encoder has {found} dimensions, and this scale needs "
            f"{width}; use --scale paper, or give an encoder of {width} dimensions."
        )


def _loaded(kind: str, folder: Path, **options: Any) -> Any:
    library = require(
        "transformers", feature="a pretrained encoder", extra="huggingface"
    )
    library.utils.logging.disable_progress_bar()
    library.utils.logging.set_verbosity_error()  # the missing pooler is not used
    options |= {"local_files_only": True, "trust_remote_code": False}
    try:
        with torch.random.fork_rng(devices=[]):  # a missing pooler is drawn
            return getattr(library, kind).from_pretrained(str(folder), **options)
    except Exception as error:  # transformers raises many types
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InvalidInput(
            f"{folder}: cannot be loaded: {first.rstrip('.: ')}."
        ) from error
