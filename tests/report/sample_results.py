"""Results for tests, screenshots and benchmarks of the report."""

from pathlib import Path

import numpy as np

import similitude as sim
from similitude.engine import Folder, RepresentationRecord, Results, Row, RunRecord

N = 60
MEASURES = {  # label -> kind
    "cka": "similarity",
    "procrustes": "distance",
    "mean_cca": "similarity",
    "svcca": "similarity",
    "rsa": "similarity",
    "mutual_knn": "similarity",
    "jaccard": "similarity",
    "linear_regression": "similarity",
    "size_and_shape": "distance",
    "rtd_lite": "divergence",
}


def model(seed: int, noise: float, layers: int = 6) -> dict[str, np.ndarray]:
    """Layers that share a signal; later layers have more noise of their own."""
    signal = np.random.default_rng(99).normal(size=(N, 5))
    rng = np.random.default_rng(seed)
    return {
        f"layer{i + 1}": signal @ rng.normal(size=(5, 8))
        + noise * (1 + i) * rng.normal(size=(N, 8))
        for i in range(layers)
    }


def one_pair(out: Path | None = None) -> Results:
    reps = {"first": model(1, 0.5)["layer1"], "second": model(2, 0.5)["layer1"]}
    return sim.compare(reps, ["cka", "procrustes", "rtd"], permutations=99, out=out)


def two_models(out: Path) -> Results:
    """Two models of six layers, with untrained twins and a topological measure."""
    reps = {"seed0": model(1, 0.25), "seed1": model(2, 0.25)}
    twins = {"untrained": {"seed0": model(3, 9.0), "seed1": model(4, 9.0)}}
    # A test of the topological measure by permutations takes half a minute.
    sim.compare(reps, "rtd", baselines=twins, permutations=0, out=out)
    sim.compare(reps, ["cka", "procrustes"], baselines=twins, permutations=99, out=out)
    return Results.load(out)


def checkpoints() -> Results:
    """Two runs with four checkpoints each: later ones are more alike."""
    reps = []
    for run in (0, 1):
        for step in (0, 100, 200, 300):
            for layer, values in model(10 + run, 3.0 / (1 + step / 60), 2).items():
                reps.append(
                    sim.Representation(
                        f"run{run}@{step}/{layer}",
                        values,
                        model=f"run{run}",
                        layer=layer,
                        step=step,
                    )
                )
    return sim.compare(reps, ["cka", "procrustes"], permutations=19)


def with_outputs() -> Results:
    """Four models of two layers, and the outputs of each model."""
    rng = np.random.default_rng(5)
    targets = rng.integers(0, 4, N)
    reps: list[sim.Representation] = []
    for i in range(4):
        for layer, values in model(20 + i, 0.3 * (i + 1), 2).items():
            reps.append(
                sim.Representation(f"m{i}/{layer}", values, model=f"m{i}", layer=layer)
            )
        wrong = rng.random(N) < 0.1 * (i + 1)
        labels = np.where(wrong, rng.integers(0, 4, N), targets)
        outputs = sim.Outputs(labels=labels, targets=targets)
        reps.append(sim.Representation(f"m{i}/outputs", outputs, model=f"m{i}"))
    return sim.compare(reps, ["cka", "disagreement"], permutations=19)


def many_models(count: int = 100, measures: int = 10, layers: int = 1) -> Results:
    """Rows as `compare` would write them, without computing anything."""
    rng = np.random.default_rng(0)
    archs = ("resnet", "vgg", "vit", "mlp")
    names, records, places = [], [], []
    for i in range(count):
        arch = archs[i % len(archs)]
        center = 3.0 * np.eye(4)[i % len(archs)] + rng.normal(size=4)
        for layer in range(layers):
            title = f"{arch}-{i:03d}" + (f"/block{layer}" if layers > 1 else "")
            names.append(title)
            places.append(center + 0.5 * layer)
            records.append(
                RepresentationRecord(
                    title,
                    f"{i:064x}",
                    shape=(2000, 64 * 2 ** (i % 3)),
                    dtype="float32",
                    domain="points",
                    model=f"{arch}-{i:03d}",
                    layer=f"block{layer}" if layers > 1 else None,
                    meta={
                        "arch": arch,
                        "width": 2 ** (i % 3),
                        "accuracy": rng.random(),
                    },
                )
            )
    distance = np.linalg.norm(
        np.stack(places)[:, None] - np.stack(places)[None], axis=2
    )
    rows = []
    for label, kind in list(MEASURES.items())[:measures]:
        noise = 0.3 * rng.normal(size=distance.shape)
        for i in range(len(names)):
            for j in range(i + 1, len(names)):
                apart = abs(distance[i, j] + noise[i, j])
                score = np.exp(-apart / 4) if kind == "similarity" else apart
                q = float(rng.random()) if apart > 6.5 else 0.001
                rows.append(
                    Row(
                        job=f"{label}-{i}-{j}",
                        a=names[i],
                        b=names[j],
                        measure=label,
                        options={},
                        kind=kind,
                        status="ok",
                        n=2000,
                        d_a=64,
                        d_b=64,
                        version="0.1.0",
                        seed=0,
                        a_model=records[i].model,
                        b_model=records[j].model,
                        a_layer=records[i].layer,
                        b_layer=records[j].layer,
                        label=label,
                        reading=f"{kind}; invented scores for tests",
                        score=float(score),
                        null_mean=0.02 if kind == "similarity" else 9.0,
                        p=q / 2,
                        p_method="pearson3",
                        q=q,
                        calibrated=float(np.exp(-apart / 3)),
                        low=float(score) - 0.02,
                        high=float(score) + 0.02,
                        interval_method="jackknife",
                        permutations=0,
                        complete=True,
                    )
                )
    return Results(tuple(rows), representations=tuple(records), compared=len(records))


def write_folder(results: Results, path: Path, *, rows: int | None = None) -> Folder:
    """A results folder with the first rows; the run has all jobs."""
    folder = Folder(path)
    jobs = tuple(row.job for row in results.rows)
    folder.start(RunRecord("0.1.0", jobs, results.representations))
    folder.append(results.rows[:rows])
    return folder
