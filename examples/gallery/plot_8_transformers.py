"""
Transformers with different tokenizers
======================================

Two small language models divide a text into different tokens, so token 5 of one is not
token 5 of the other. The reducer ``words`` averages the tokens of each word. Words are
the same stimuli in both models, and all layers can be compared.

:doc:`Real encoders </encoders>` has pretrained models.
"""

import argparse
import inspect
import json
import statistics
import tempfile
import textwrap
from pathlib import Path

import torch
import transformers
from tokenizers import ByteLevelBPETokenizer

import similitude as sim
from similitude.networks.extraction import LanguageModel

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
folder = Path(tempfile.mkdtemp())

# %%
# Texts without a download: the documentation of Python's standard library.

modules = (argparse, inspect, json, statistics, textwrap)
sentences = [
    line.strip()
    for module in modules
    for _, thing in inspect.getmembers(module)
    for line in (inspect.getdoc(thing) or "").splitlines()
    if 5 <= len(line.split()) <= 20
]
texts = list(dict.fromkeys(sentences))
print(f"{len(texts)} lines, such as: {texts[0]}")
held_out, training = texts[:120], texts[120:]

# %%
# Train a causal model of two blocks, with byte pairs of its own. The sizes of the
# vocabularies differ, and so do the tokens.


def train(name: str, vocabulary: int, steps: int = 120) -> Path:
    pairs = ByteLevelBPETokenizer()
    pairs.train_from_iterator(
        training,
        vocab_size=vocabulary,
        show_progress=False,
        special_tokens=["<|endoftext|>"],
    )
    tokenizer = transformers.GPT2TokenizerFast(tokenizer_object=pairs._tokenizer)
    tokenizer.model_max_length = 128
    torch.manual_seed(vocabulary)
    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=vocabulary,
            n_positions=128,
            n_embd=64,
            n_layer=2,
            n_head=2,
            bos_token_id=0,
            eos_token_id=0,
        )
    )
    stream = torch.tensor([t for text in training for t in tokenizer(text).input_ids])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        starts = torch.randint(len(stream) - 32, (16,))
        batch = torch.stack([stream[i : i + 32] for i in starts])
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder / name)
    tokenizer.save_pretrained(folder / name)
    print(f"{name}: {len(tokenizer(held_out[0]).input_ids)} tokens in the first text")
    return folder / name


models = {"coarse": train("coarse", 900), "fine": train("fine", 300)}

# %%
# Extract the words of the held-out texts: the embeddings, and both blocks. Rows of one
# text form a block, which permutations and intervals keep together.

for name, path in models.items():
    for kind in (None, "untrained"):
        seed = None if kind is None else 1
        store = sim.extract(
            LanguageModel(path, seed=seed),
            held_out,
            layers=["transformer.wte", "transformer.h.?"],
            reducer="words",
            name=name,
            baseline=kind,
            out=folder / "reps",
            progress=None,
        )
found = sim.compare(store.select(), ["cka", "mutual_knn"], progress=None)
print(found)

# %%
# The untrained models are *more* similar: random vectors of tokens already say which
# word it is, and 120 steps of training move both models away from them. Without this
# baseline, a CKA of 0.4 would look like a shared representation of words.
#
# The layers of both models against each other:

sim.plots.plot_layers(found, "cka")
