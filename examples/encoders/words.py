"""Compare words in three models with three tokenizers: MiniLM, WordLlama, a small GPT.

Fetch the texts and the weights first, once:

    similitude data fetch debian_descriptions minilm
    pip install wordllama

MiniLM is a transformer, WordLlama a table of token embeddings, and the small GPT is
trained here on other descriptions, with byte pairs of its own. No two tokenizers
divide a text alike, but the words are the same: the reducer `words` averages the tokens
of each word. The code of the package wordllama is not run. The first run takes some
minutes; later runs read the trained model and the extracted layers from the folder.
"""

import argparse
import importlib.util
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import load_file
from tokenizers import ByteLevelBPETokenizer, Tokenizer

import similitude as sim
from similitude.networks.extraction import LanguageModel

LENGTH = 20  # words of a text that are used
MINILM = ["embeddings", "encoder.layer.?"]


class Table(torch.nn.Module):
    """Static embeddings of tokens."""

    def __init__(self, weights: torch.Tensor) -> None:
        super().__init__()
        self.rows = torch.nn.Embedding.from_pretrained(weights)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        return self.rows(input_ids)


def wordllama(texts: list[str]) -> tuple[Table, list[dict]]:
    """The table of the installed package, and batches of its tokens."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise SystemExit("words.py: run `pip install wordllama` first.")
    folder = Path(spec.origin).parent
    (file,) = (folder / "weights").glob("*.safetensors")
    (weights,) = load_file(file).values()
    (file,) = (folder / "tokenizers").glob("*.json")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    batches = []
    for start in range(0, len(texts), 50):
        part = texts[start : start + 50]
        found = tokenizer.encode_batch(part, add_special_tokens=False)
        batches.append(
            {
                "input_ids": torch.tensor([each.ids for each in found]),
                "attention_mask": torch.tensor([e.attention_mask for e in found]),
                "offset_mapping": np.array([each.offsets for each in found]),
                "texts": part,
            }
        )
    return Table(weights.float()), batches


def trained_gpt(folder: Path, texts: list[str], steps: int) -> Path:
    """Train byte pairs and a causal model of three blocks, unless they are there."""
    if (folder / "model.safetensors").exists():
        return folder
    pairs = ByteLevelBPETokenizer()
    pairs.train_from_iterator(
        texts, vocab_size=2000, show_progress=False, special_tokens=["<|endoftext|>"]
    )
    tokenizer = transformers.GPT2TokenizerFast(tokenizer_object=pairs._tokenizer)
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=2000,
            n_positions=256,
            n_embd=128,
            n_layer=3,
            n_head=4,
            bos_token_id=0,
            eos_token_id=0,
        )
    )
    stream = [token for text in texts for token in [*tokenizer(text)["input_ids"], 0]]
    tokens = torch.tensor(stream)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(steps):
        starts = torch.randint(len(tokens) - 64, (16,))
        batch = torch.stack([tokens[i : i + 64] for i in starts])
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (0, steps - 1):
            print(f"small GPT, step {step}: loss {float(loss.detach()):.2f}")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def grid(reps: list[sim.Representation], a: str, b: str) -> None:
    """Print the scores of all layers of two models, without intervals."""
    cka = sim.find_measure("cka")
    rows, columns = (
        {str(rep.layer): cka.prepare(rep.load()) for rep in reps if rep.model == name}
        for name in (a, b)
    )
    print(f"cka, {a} (rows) and {b}")
    names = [name.rpartition("transformer.")[2] for name in columns]
    print(" " * 18 + "".join(f"{name:>10}" for name in names))
    for name, row in rows.items():
        scores = (float(cka.compare(row, column)) for column in columns.values())
        print(f"{name:<18}" + "".join(f"{score:10.3f}" for score in scores))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--steps", type=int, default=200, help="of training the GPT")
    parser.add_argument("--out", type=Path, default=Path("encoders/words"))
    options = parser.parse_args()
    english = (
        sim.networks.data.load_dataset("debian_descriptions").inputs[:, 0].tolist()
    )
    short = [" ".join(text.split()[:LENGTH]) for text in english]
    texts, others = short[: options.texts], short[options.texts : options.texts + 8000]
    folder = trained_gpt(options.out / "gpt", others, options.steps)
    minilm = LanguageModel(sim.networks.data.encoder_path("minilm"))
    gpt = LanguageModel(folder)
    table, batches = wordllama(texts)
    options_of = {
        "reducer": "words",
        "out": options.out / f"store-{len(texts)}",
        "progress": None,
    }
    both = {**options_of, "batch_size": 10}
    sim.extract(table, batches, layers=["rows"], name="wordllama", **options_of)
    sim.extract(gpt, texts, layers=["wte", "h.?", "ln_f"], name="gpt", **both)
    store = sim.extract(minilm, texts, layers=MINILM, name="minilm", **both)
    reps = store.select()
    ids = {tuple(rep.ids.tolist()) for rep in reps}
    print(
        f"{reps[0].n:,} words of {len(texts)} texts; different lists of ids: {len(ids)}"
    )
    grid(reps, "minilm", "gpt")
    grid(reps, "minilm", "wordllama")
    grid(reps, "gpt", "wordllama")

    same = sim.compare_models(
        {"minilm": minilm, "again": minilm},
        texts[:100],
        layers=MINILM,
        permutations=0,
        **{**both, "out": None},
    )
    equal = [row.score for row in same.rows if row.a_layer == row.b_layer]
    print(f"the same model twice: smallest cka of equal layers {min(equal):.6f}")


if __name__ == "__main__":
    main()
