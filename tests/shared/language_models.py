"""Folders of tiny language models, each with a tokenizer trained on a few texts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

TEXTS = (
    "a doctor admired a piece of music",
    "the sea is calm, and the sky is red",
    "nobody doctored the pieces: naïve café",
    "red foxes run",
)


def write_bert(folder: Path, *, texts: Sequence[str] = TEXTS, seed: int = 0) -> Path:
    """An encoder with word pieces, lower case, [CLS] and [SEP]."""
    import transformers as hf
    from tokenizers import BertWordPieceTokenizer

    made = BertWordPieceTokenizer(lowercase=True)
    made.train_from_iterator(texts, vocab_size=80, show_progress=False)
    vocabulary = made.get_vocab()
    tokenizer = hf.BertTokenizerFast(tokenizer_object=made._tokenizer)
    tokenizer.model_max_length = 64
    config = hf.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    torch.manual_seed(seed)
    return _saved(folder, hf.BertModel(config), tokenizer)


def write_gpt(
    folder: Path, *, texts: Sequence[str] = TEXTS, size: int = 300, seed: int = 0
) -> Path:
    """A causal model with byte pairs, and without special tokens around a text."""
    import transformers as hf
    from tokenizers import ByteLevelBPETokenizer

    made = ByteLevelBPETokenizer()
    made.train_from_iterator(
        texts, vocab_size=size, show_progress=False, special_tokens=["<|endoftext|>"]
    )
    tokenizer = hf.GPT2TokenizerFast(tokenizer_object=made._tokenizer)
    tokenizer.model_max_length = 64
    config = hf.GPT2Config(
        vocab_size=made.get_vocab_size(), n_positions=64, n_embd=16, n_layer=2,
        n_head=2, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    torch.manual_seed(seed)
    return _saved(folder, hf.GPT2LMHeadModel(config), tokenizer)


def _saved(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
