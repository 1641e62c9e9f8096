"""Local folders of Hugging Face models, if `transformers` is installed."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, require


class HuggingFace:
    """A folder with a configuration and weights. Nothing is downloaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / "config.json").is_file():
            raise InvalidInput(
                f"hf:{folder}: config.json is missing; give a local folder of a model."
            )

    def _transformers(self) -> Any:
        found = require(
            "transformers", feature=f"hf:{self.folder}", extra="huggingface"
        )
        found.utils.logging.disable_progress_bar()  # a bar for reading a local file
        return found

    @contextlib.contextmanager
    def _loading(self, part: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # transformers raises many types
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InvalidInput(
                f"hf:{self.folder}: {part} cannot be loaded: {first.rstrip('.: ')}."
            ) from error

    def model(self, *, fresh: bool) -> Any:
        """The model; `fresh` ignores the weights in the folder."""
        found = self._transformers()
        with self._loading("the model"):
            if fresh:
                config = found.AutoConfig.from_pretrained(
                    str(self.folder), local_files_only=True
                )
                return found.AutoModel.from_config(config)
            return found.AutoModel.from_pretrained(
                str(self.folder), local_files_only=True, attn_implementation="eager"
            )

    def tokens(self, lines: Sequence[str], batch_size: int) -> "Tokenized":
        """The lines as batches of token ids and masks."""
        found = self._transformers()
        with self._loading("the tokenizer"):
            tokenizer = found.AutoTokenizer.from_pretrained(
                str(self.folder), local_files_only=True
            )
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        return Tokenized(tokenizer, lines, batch_size)


class Tokenized:
    """Batches of padded token ids; they can be read several times."""

    def __init__(self, tokenizer: Any, lines: Sequence[str], batch_size: int) -> None:
        self.tokenizer, self.lines, self.batch_size = tokenizer, lines, batch_size
        vocabulary = sorted(tokenizer.get_vocab().items())
        self.token_key = hashlib.sha256(repr(vocabulary).encode()).hexdigest()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, len(self.lines), self.batch_size):
            part = list(self.lines[start : start + self.batch_size])
            yield dict(
                self.tokenizer(part, padding=True, truncation=True, return_tensors="pt")
            )
