"""Maps of the package isotrieve (Apache-2.0) and of `similitude migrate`, on one split.

    python benchmarks/migrate_isotrieve.py split FOLDER     (similitude's Python)
    python benchmarks/migrate_isotrieve.py fit FOLDER       (a venv with isotrieve)
    python benchmarks/migrate_isotrieve.py score FOLDER     (similitude's Python)

FOLDER has wordllama.npy and minilm.npy of migrate_vectors.py. 2,000 of 4,000 rows are
fitted; 1,000 other rows search among the 2,000 mapped rows that are not fitted.
"""

import json
from pathlib import Path

import numpy as np

from common.harness import command

NAMES = ("RidgeMapping", "LowRankAffineMapping")  # its Procrustes needs equal widths


def split(folder: Path) -> None:
    rows = np.load(folder / "wordllama.npy"), np.load(folder / "minilm.npy")
    rng = np.random.default_rng(0)
    part = rng.choice(len(rows[0]), 4000, replace=False)
    np.savez(folder / "split.npz", old=rows[0][part], new=rows[1][part])


def fit(folder: Path) -> None:
    import isotrieve.mapping
    from isotrieve.quality.gate import QualityGate

    found, verdicts, data = {}, {}, np.load(folder / "split.npz")
    old, new = data["old"], data["new"]
    shuffled = np.random.default_rng(1).permutation(2000)
    pairings = {"": np.arange(2000), "shuffled ": shuffled}
    for pairing, order in pairings.items():
        for name in NAMES:
            mapping = getattr(isotrieve.mapping, name)()
            mapping.fit(old[:2000], new[:2000][order])
            found[pairing + name] = mapping.transform(old)
            gate = QualityGate().evaluate(mapping, old[2000:], new[2000:])
            verdicts[pairing + name] = gate.rationale
    np.savez(folder / "isotrieve.npz", **found)
    (folder / "isotrieve.json").write_text(json.dumps(verdicts, indent=1))


def score(folder: Path) -> None:
    from similitude.latent.migration._fits import FAMILIES, choose
    from similitude.latent.migration._retention import recall, share
    from similitude.latent.migration._rows import Rows, parts_of

    data = np.load(folder / "split.npz")
    rows = Rows(data["old"], data["new"], np.arange(4000))
    pairs, rows = rows.take(slice(2000)), rows.take(slice(2000, 4000))
    mapped = {n: a[2000:] for n, a in np.load(folder / "isotrieve.npz").items()}
    for family in FAMILIES:
        f, _ = choose(pairs, "corpus", 10, [family])
        mapped[f"similitude {f.kind}"] = f.apply(rows.old)
    asked, own = rows.new[1000:], rows.blocks[1000:]
    truth = rows.search(parts_of(rows.new), asked, own, 10)
    for name, each in mapped.items():
        found = rows.search(parts_of(each), asked, own, 10)
        print(f"{name:45} {share(recall(truth, found), own, len(rows))}")


STEPS = {"split": split, "fit": fit, "score": score}

if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    STEPS[arguments.step](arguments.folder)
