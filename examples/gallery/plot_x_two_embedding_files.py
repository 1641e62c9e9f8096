"""
Two embedding files
===================

Two models embedded the same texts, and each file has a column with ids, one with texts
and one with lists of numbers. Do both models call the same texts similar, and which
texts do they see differently?
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import similitude as sim

# %%
# The files. Here both "models" count letters, and the second one also reads the first
# letter twice. One text was mixed up in the second file.

words = "apple apricot banana blueberry cherry cranberry fig grape kiwi lemon lime"
words += " mango melon olive orange papaya peach pear plum quince raspberry strawberry"
texts = [f"{a} and {b}" for a in words.split() for b in words.split() if a < b]
letters = "abcdefghijklmnopqrstuvwxyz"
counts = np.array([[text.count(letter) for letter in letters] for text in texts], float)
first = np.array([[text[0] == letter for letter in letters] for text in texts], float)
rng = np.random.default_rng(0)
turn = np.linalg.qr(rng.normal(size=(26, 26)))[0]
second = (counts + first) @ turn
second[7] = second[-1]

folder = Path(tempfile.mkdtemp())
ids = [f"text{i}" for i in range(len(texts))]
for name, rows, order in (
    ("old", counts, rng.permutation(len(texts))),
    ("new", second, rng.permutation(len(texts))),
):
    table = {"id": ids, "text": texts, "embedding": rows.tolist()}
    pl.DataFrame(table)[order].write_parquet(folder / f"{name}.parquet")

# %%
# The rows of the files are in different orders. They are joined by their ids.

found = sim.compare(
    [folder / "old.parquet", folder / "new.parquet"], ["pnka", "mutual_knn"]
)
print(found)

# %%
# Which texts have other neighbors? The text that was mixed up is first.

print(found.stimuli("old", "new", "mutual_knn"))
