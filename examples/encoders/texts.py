"""How similar are a sentence encoder and word counts on 2,000 package descriptions?

Fetch the texts and the weights first, once:

    similitude data fetch debian_descriptions minilm

all-MiniLM-L6-v2 is a transformer; it needs `similitude[torch,huggingface]`. Its last
hidden states are averaged over the tokens. The other representation is TF-IDF of words,
reduced to 384 columns by a truncated SVD. The run takes about four minutes.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from steps import report, run

import similitude as sim

MINILM = "--layers .last_hidden_state --reducer mean_tokens --truncate --batch-size 4"


def word_counts(texts: list[str], columns: int) -> np.ndarray:
    """TF-IDF of words, reduced by a truncated SVD."""
    counts = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    table = counts.fit_transform(texts)
    return TruncatedSVD(columns, random_state=0).fit_transform(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="0:2000", help="descriptions, START:STOP")
    parser.add_argument("--out", type=Path, default=Path("encoders"))
    options = parser.parse_args()
    store, results = options.out / "texts", options.out / "texts-results"
    run(
        f"extract encoder:minilm --data debian_descriptions --rows {options.rows} "
        f"-o {store} {MINILM}"
    )
    dataset = sim.networks.data.load_dataset("debian_descriptions")
    rows = slice(*map(int, options.rows.split(":")))
    texts = dataset.inputs[rows, 0].tolist()  # English
    counted = sim.Representation(
        "tfidf_svd", word_counts(texts, 384), ids=dataset.ids[rows], model="tfidf_svd"
    )
    sim.store.open_store(store).put(counted)
    run(f"compare {store} -o {results}")
    report(store, results, dataset)


if __name__ == "__main__":
    main()
