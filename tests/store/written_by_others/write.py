"""Write the files in this folder again. It needs anndata and datasets, which the tests
do not need: ``python tests/store/written_by_others/write.py``."""

import warnings
from pathlib import Path

import numpy as np
import pandas
import scipy.sparse

FOLDER = Path(__file__).parent
N = 12


def values(seed: int, width: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, width)).astype(np.float32)


def cells() -> None:
    import anndata

    obs = pandas.DataFrame(
        {
            "cell_type": pandas.Categorical(["B", "T", "NK"] * 4),
            "n_genes": np.arange(N),
            "donor": [f"d{i % 2}" for i in range(N)],
        },
        index=[f"AAAC-{i}" for i in range(N)],
    )
    counts = scipy.sparse.csr_matrix(np.eye(N, 5, dtype=np.float32))
    data = anndata.AnnData(counts, obs=obs)
    data.obsm["X_pca"], data.obsm["X_scVI"] = values(0, 4), values(1, 3)
    data.obsm["X_sparse"] = scipy.sparse.csr_matrix(values(2, 2))
    data.layers["dense"] = values(3, 5)
    data.write_h5ad(FOLDER / "cells.h5ad", compression="gzip")


def hub() -> None:
    from datasets import Array2D, Dataset, DatasetDict, Features, Sequence, Value

    columns = {
        "id": [f"t{i}" for i in range(N)],
        "text": [f"text number {i}" for i in range(N)],
        "embedding": values(0, 4).tolist(),
        "label": [i % 3 for i in range(N)],
    }
    fixed = Features(
        {
            "id": Value("string"),
            "text": Value("string"),
            "embedding": Sequence(Value("float32"), length=4),
            "label": Value("int64"),
        }
    )
    data = Dataset.from_dict(columns, features=fixed)
    data.save_to_disk(FOLDER / "saved", num_shards=2)
    plain = Dataset.from_dict(columns)
    splits = {"train": plain.select(range(8)), "test": plain.select(range(8, N))}
    DatasetDict(splits).save_to_disk(FOLDER / "splits")
    maps = Features({"id": Value("string"), "map": Array2D((2, 2), "float32")})
    rows = {"id": columns["id"], "map": values(0, 4).reshape(N, 2, 2).tolist()}
    Dataset.from_dict(rows, features=maps).save_to_disk(FOLDER / "maps")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with pandas.option_context({"future.infer_string": False}):  # for anndata
        cells()
    hub()
