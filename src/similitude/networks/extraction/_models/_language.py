"""Local folders of Hugging Face: the model, its tokenizer, and texts as tokens."""

import contextlib
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...._base._strict_json import parse, read_limited
from ....errors import InvalidInput, either, require
from ._torch_model import TorchModel

_CAUSAL = ("ForCausalLM", "LMHeadModel")
_MAX_CONFIG = 2**24


class LanguageModel(TorchModel):
    """A folder with a configuration, weights and a tokenizer. Nothing is downloaded.

    The folder of a causal model has its head: the layer ``lm_head`` gives the logits.
    Texts are tokenized by the tokenizer of the folder.

    Parameters
    ----------
    folder
        A folder that ``save_pretrained`` wrote.
    truncate
        Whether texts that are too long for the model are cut. By default, they are an
        error.
    seed
        A seed for fresh weights; None: the weights in the folder.

    Examples
    --------
    >>> model = LanguageModel("gpt")  # doctest: +SKIP
    >>> sim.extract(model, texts, reducer="words", out="reps")  # doctest: +SKIP
    """

    def __init__(
        self, folder: str | Path, *, truncate: bool = False, seed: int | None = None
    ) -> None:
        self.folder, self.truncate = Path(folder), truncate
        self.config = _config(self.folder)
        super().__init__(self._load(seed))
        self.default_name = self.folder.resolve().name

    def fresh(self, seed: int) -> "LanguageModel":
        """The same architecture with weights drawn from a seed."""
        return LanguageModel(self.folder, truncate=self.truncate, seed=seed)

    def layers(self) -> tuple[list[str], Mapping[str, str]]:
        """Layers inside the base model can also be named without its prefix."""
        names, aliases = super().layers()
        prefix = f"{getattr(self.module, 'base_model_prefix', '')}."
        inner = {n.removeprefix(prefix): a for n, a in aliases.items()}
        return names, {**inner, **aliases}

    def _load(self, seed: int | None) -> Any:
        import torch

        library = self._transformers()
        causal = any(
            str(name).endswith(_CAUSAL) for name in self.config.get("architectures", ())
        )
        kind = library.AutoModelForCausalLM if causal else library.AutoModel
        with _loading(self.folder, "the model"), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed or 0)
            if seed is None:
                return kind.from_pretrained(
                    str(self.folder), local_files_only=True, attn_implementation="eager"
                )
            auto = library.AutoConfig
            found = auto.from_pretrained(str(self.folder), local_files_only=True)
            return kind.from_config(found, attn_implementation="eager")

    def _transformers(self) -> Any:
        feature = f"hf:{self.folder}"
        found = require("transformers", feature=feature, extra="huggingface")
        found.utils.logging.disable_progress_bar()  # a bar for reading a local file
        return found

    @functools.cached_property
    def tokenizer(self) -> Any:
        library = self._transformers()
        with _loading(self.folder, "the tokenizer"):
            found = library.AutoTokenizer.from_pretrained(
                str(self.folder), local_files_only=True
            )
        if found.pad_token is None:
            found.pad_token = found.eos_token
        return found

    @functools.cached_property
    def token_key(self) -> str:
        vocabulary = sorted(self.tokenizer.get_vocab().items())
        return hashlib.sha256(repr(vocabulary).encode()).hexdigest()

    @property
    def most_tokens(self) -> int | None:
        """The number of tokens that a text may have."""
        given = [self.tokenizer.model_max_length]
        given += [
            self.config.get(key) for key in ("max_position_embeddings", "n_positions")
        ]
        limits = [n for n in given if isinstance(n, int) and 0 < n < 10**9]
        return min(limits, default=None)

    def encode(self, item: Any) -> Any:
        """A batch of texts as token ids, mask and offsets; others are not changed."""
        listed = item.tolist() if hasattr(item, "tolist") else item
        if not isinstance(listed, list | tuple) or not isinstance(listed[0], str):
            return item
        most, texts = self.most_tokens, list(listed)
        found = dict(
            self.tokenizer(
                texts,
                padding=True,
                truncation=self.truncate,
                max_length=most if self.truncate else None,
                return_tensors="pt",
                return_offsets_mapping=self.tokenizer.is_fast,
                verbose=False,
            )
        )
        lengths = found["attention_mask"].sum(dim=1)
        if most is not None and int(lengths.max()) > most:
            text = texts[int(lengths.argmax())]
            raise InvalidInput(
                f"a text has {int(lengths.max()):,} tokens, but {self.default_name} "
                f"takes {most:,}: {text[:40]!r}... Shorten it, or cut long texts with "
                f"{either(python='truncate=True', shell='--truncate')}."
            )
        return {**found, "texts": texts, "token_key": self.token_key}


def _config(folder: Path) -> dict[str, Any]:
    if not (folder / "config.json").is_file():
        raise InvalidInput(
            f"hf:{folder}: config.json is missing; give a local folder of a model."
        )
    try:
        found = parse(read_limited(folder / "config.json", _MAX_CONFIG), _MAX_CONFIG)
    except ValueError as error:
        raise InvalidInput(f"hf:{folder}: config.json {error}.") from error
    if not isinstance(found, dict):
        raise InvalidInput(f"hf:{folder}: config.json is not a configuration.")
    if "quantization_config" in found and not _has_gpu():
        how = json.dumps(found["quantization_config"].get("quant_method", "unknown"))
        raise InvalidInput(
            f"hf:{folder} is quantized ({how.strip(chr(34))}), which needs a GPU; give "
            f"the folder of the model before quantization."
        )
    return found


def _has_gpu() -> bool:
    torch = require("torch", feature="a language model", extra="torch")
    return bool(torch.cuda.is_available())


@contextlib.contextmanager
def _loading(folder: Path, part: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # transformers raises many types
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InvalidInput(
            f"hf:{folder}: {part} cannot be loaded: {first.rstrip('.: ')}."
        ) from error
