"""Writes the specimens in `0.1/`, and their values: `python tests/old_files/make.py`.

It runs only with version 0.1.0 of similitude, because a museum that a newer version
writes would not be old. The folder is written anew, except for `net.py`.
"""

import contextlib
import itertools
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import onnx
import polars as pl
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import save_file

import similitude as sim
from old_files import commands, reading
from old_files.commands import HERE, INPUTS, said
from shared.published_files import write_mnist

VERSION = "0.1.0"
N = 104  # stimuli; intervals need 100


class Killed(Exception):
    pass


def killed_after(count: int) -> Callable[..., None]:
    """A progress function that ends the work at its call number `count`."""
    calls = itertools.count(1)

    def progress(*_: Any) -> None:
        if next(calls) == count:
            raise Killed

    return progress


def integers(seed: int, n: int, d: int, most: int = 8) -> np.ndarray:
    """Integers from -most to most that are the same in every version of numpy."""
    x = np.arange(1, n * d + 1, dtype=np.uint64) + np.uint64(seed * 1_000_003)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53), (33, 1)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return (x % np.uint64(2 * most + 1)).astype(np.int64).reshape(n, d) - most


def rows(seed: int, d: int, n: int = N, noise: int = 6) -> np.ndarray:
    """Integer maps of three variables that all representations share, with noise.

    The noise is fine: equal distances would be ordered by the last bits of a BLAS.
    """
    shared = integers(0, n, 3) @ integers(seed, 3, d)
    fine = 128 * shared + noise * integers(seed + 50, n, d, 1024)
    return fine / 2048


def inputs() -> None:
    INPUTS.mkdir()
    for number, name in enumerate("abcd", start=1):
        np.save(INPUTS / f"{name}.npy", rows(number, 2 + number))
    for number, model in enumerate(("m1", "m2"), start=5):
        layers = {
            f"layer{i}": rows(10 * number + i, 4, noise=4 * i).astype("f4")
            for i in (1, 2)
        }
        np.savez(INPUTS / f"{model}.npz", **layers, ids=np.arange(N) * 3)
    (INPUTS / "twins").mkdir()
    for number, name in enumerate("abc", start=1):
        np.save(INPUTS / "twins" / f"{name}.npy", rows(number, 2 + number, noise=40))
    np.save(INPUTS / "images.npy", integers(7, N, 3) / 4)
    np.save(INPUTS / "labels.npy", np.arange(N) % 3)
    logits = integers(8, N, 3) / 4 + 3 * np.eye(3)[np.arange(N) % 3]
    for name in ("first", "second"):
        (INPUTS / "outputs").mkdir(exist_ok=True)
        logits = logits + integers(len(name), N, 3) / 8
        np.save(INPUTS / "outputs" / f"{name}.npy", logits.astype("f4"))
    x = (integers(9, 24, 4) / 4).astype("f4")  # sums of the networks are exact
    np.savez(INPUTS / "x.npz", x=x, ids=np.arange(24) * 3)
    old = integers(20, 64, 7, 500)
    new = (old @ integers(21, 7, 6) + integers(22, 64, 6, 500)) / 64
    for name, values in (("old", old / 64), ("new", new)):
        vectors = pl.Series(values.astype("f4")).arr.to_list()
        frame = pl.DataFrame({"id": [f"t{i}" for i in range(64)], "vector": vectors})
        frame.write_parquet(INPUTS / f"{name}.parquet")
    np.save(INPUTS / "old.npy", (old / 64).astype("f4"))
    state = commands.load_net().state_dict()
    for step in (10, 20):
        changed = {name: values * (1 + step / 16) for name, values in state.items()}
        save_file(changed, INPUTS / f"step{step}.safetensors")
    onnx_file(INPUTS / "net.onnx")
    closeness()
    for name in ("long1", "long2"):
        values = rows(len(name) + int(name[-1]), 8, n=1500)
        np.save(INPUTS / f"{name}.npy", (4 * values).astype(np.int8))
    (INPUTS / "run.toml").write_text(
        'permutations = 9\nreference = "a"\n\n[[measure]]\nname = "cka"\n'
        'options = {kernel = "rbf", fraction = 0.5}\n\n[[measure]]\nname = "cka"\n'
        'as = "squared"\noptions = {kernel = "polynomial", degree = 2}\n\n'
        '[[measure]]\nname = "rsa"\noptions = {inner = "euclidean"}\n'
    )


def closeness() -> None:
    """Radial data with four classes; two models of 8 units, trained for 16 steps."""
    radial = {"dataset_name": "radial_classification", "random_seed": 0}
    lengths = {"min_length": 0, "dist_scale": 0, "vert_dist_scale": 0}
    data = radial | {"num_points": 400, "num_classes": 4} | lengths
    models = {
        "random_seeds": [0, 1],
        "model_type": "SmallMLP",
        "target_type": "CLASSIFICATION_MULTI",
        "nonlinearity": "leaky_relu",
        "num_classes": 4,
        "num_features": [8],
        "rep_dim": 2,
        "fix_length_gs": [0],
        "fix_length_fs": [0],
    }
    training = radial | {
        "batch_size": 64,
        "train_steps": 16,
        "reduction": "mean",
        "use_forward_as_loss": True,
        "learning_rate": 0.0001,
        "optimizer_type": "ADAM",
        "weight_decay": 0.0,
    }
    data["equal_weighting_classes"] = False
    (INPUTS / "closeness").mkdir()
    for name, values in (("data", data), ("models", models), ("training", training)):
        path = INPUTS / "closeness" / f"{name}.json"
        path.write_text(json.dumps(values, indent=1) + "\n")


def onnx_file(path: Path) -> None:
    weights = {"w1": integers(30, 4, 5) / 8, "w2": integers(31, 5, 2) / 8}
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["product"], name="first"),
        helper.make_node("Relu", ["product"], ["hidden"], name="act"),
        helper.make_node("MatMul", ["hidden", "w2"], ["y"], name="last"),
    ]
    made = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
        [numpy_helper.from_array(v.astype("f4"), k) for k, v in weights.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(made, opset_imports=opset, ir_version=8), path)


def stores() -> None:
    for name in commands.EXTRACTED:
        for command in commands.extract_commands(name):
            said(*command)
    commands.extract_steps("store-steps")
    with contextlib.suppress(Killed):
        commands.extract_in_batches("store-unfinished", killed_after(5))
    assert list(Path("store-unfinished/elements").glob(".resumable-*/journal"))
    said("store", "add", "store-files", "inputs/a.npy", "inputs/b.npy")
    said("store", "add", "store-files", "inputs/m1.npz", "--model", "m")
    twins = ["inputs/twins/a.npy", "inputs/twins/b.npy"]
    said("store", "add", "store-files", "--baseline", "untrained", *twins)
    said(
        "store", "add", "store-files", "--baseline", "seed", "--twin-of", "a", twins[1]
    )
    domains = sim.store.open_store("store-domains", create=True)
    outputs = sim.load(outputs="inputs/outputs", targets="inputs/labels.npy")
    for rep in outputs:
        domains.put(rep)
    model = sim.SoftmaxModel(rows(1, 3, n=12), rows(2, 3, n=4))
    domains.put(sim.Representation("softmax", model))
    blocks = sim.Representation(
        "words",
        rows(3, 4, n=12),
        ids=np.array([f"w{i}" for i in range(12)]),
        blocks=np.arange(12) // 3,
        fields={"text": np.array([f"text {i}" for i in range(12)])},
    )
    domains.put(blocks)
    golden = sim.store.open_store("golden", create=True)
    for rep in sim.load("store-torch"):
        golden.put(replace(rep, values=rep.load().astype("float16")))


def monitor() -> None:
    network, watched = commands.monitor("monitor")
    with watched:
        for step in (0, 5, 10):
            watched.step(step)
            with torch.no_grad():
                for weights in network.parameters():
                    weights.mul_(1.25)


def results() -> None:
    for name in commands.COMPARED:
        with commands.budget_of(name):
            said(*commands.compare_command(name))
    for shard in ("0/3", "2/3"):
        said(*commands.compare_command("results-shards"), "--shard", shard)
    # A run that is killed in the middle of its statistics, and of a long pair.
    from similitude import _parts

    with mock.patch.object(_parts, "SAVING", 0.0), contextlib.suppress(Killed):
        commands.compare_unfinished("results-unfinished", killed_after(14))
    rename_parts()


def rename_parts() -> None:
    """The names of parts have the name of this machine."""
    for folder in {path.parent for path in Path().rglob("parts/*.jsonl")}:
        paths = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        for number, path in enumerate(paths):
            path.rename(folder / f"machine-{number}.jsonl")


def latent() -> None:
    for name, command in commands.LATENT.items():
        said(*command)
        assert Path(name).exists()
    x = rows(1, 4, n=12)
    commands.Robust(stats="train").fit(x[:5], reference=x).save("relative-fit")
    parts = (commands.Cosine(), commands.Robust(normalize="l2"))
    commands.Product(parts=parts).fit(x[:5]).save("relative-product")
    said(*commands.MIGRATE)
    with contextlib.suppress(Killed):
        Work = sim.store.Work
        record, kill = Work.record, killed_after(3)

        def record_and_end(self: Any, manifest: Any) -> None:
            record(self, manifest)
            kill()

        with mock.patch.object(Work, "record", record_and_end):
            commands.apply_in_blocks("mapped.npy")
    assert Path(".mapped.npy.parts/parts.json").exists()


def tuning() -> None:
    Path("tuning").mkdir()
    network = commands.relative_network()
    with contextlib.suppress(KeyboardInterrupt):
        commands.tune(network, Path("tuning/run.pt"), 5)
    commands.save_weights(network, "tuning/weights.safetensors")


def cache() -> None:
    with tempfile.TemporaryDirectory() as source:
        with sim.config(cache_dir=Path("cache")):
            sim.data.fetch_dataset("mnist", source=write_mnist(Path(source) / "mnist"))


def lab() -> None:
    commands.train_closeness(Path("lab/closeness"))
    for kind in ("accuracies", "distances"):
        with tempfile.TemporaryDirectory() as folder:
            csv = Path(folder) / "rows.csv"
            commands.measure_closeness(Path("lab/closeness"), kind, csv)
    with contextlib.suppress(Killed):
        commands.train_closeness(Path("lab/closeness-unfinished"), killed_at(14))
    commands.train_small_images(Path("lab/images"))
    commands.run_small_study(Path("lab/study"))
    for path in Path("lab/study").rglob("*"):
        if path.suffix in {".png", ".pdf"}:
            path.unlink()
    with contextlib.suppress(Killed):
        commands.run_small_study(Path("lab/study-unfinished"), killed_after(1))
    assert list(Path("lab/study-unfinished").rglob("parts/*/*.npz"))


def finished() -> None:
    """What an unfinished specimen gives when it is finished, without resuming it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(HERE, folder / "copy")
        with contextlib.chdir(folder / "copy"):
            places = ("results-shards", "results-unfinished", "store-unfinished")
            for place in places:
                shutil.rmtree(place)
            said(*commands.compare_command("results-shards"))
            commands.compare_unfinished("results-unfinished")
            commands.extract_in_batches("store-unfinished")
            found = {
                place: reading.READ[place]()
                for place in (
                    "results-shards",
                    "results-unfinished",
                    "store-unfinished",
                )
            }
            commands.apply_in_blocks("whole.npy")
            found["mapped"] = reading.plain(np.load("whole.npy"))
            network = commands.relative_network()
            tuned = commands.tune(network, Path("another-run.pt"))
            found["tuning"] = reading.plain(network.state_dict())
            found["tuning"]["losses"] = list(tuned.losses)
    for place, values in found.items():
        reading.write_values(f"finished/{place}", values)


def killed_at(step: int) -> Callable[..., None]:
    def progress(_: str, done: int, __: int) -> None:
        if done == step:
            raise Killed

    return progress


def main() -> None:
    if sim.__version__ != VERSION:
        sys.exit(
            f"this is similitude {sim.__version__}; the museum is written with "
            f"{VERSION} only."
        )
    network = (HERE / "net.py").read_text()
    shutil.rmtree(HERE)
    HERE.mkdir()
    (HERE / "net.py").write_text(network)
    torch.set_num_threads(1)
    with commands.inside(HERE):
        for write in (inputs, stores, monitor, results, latent, tuning, cache, lab):
            write()
        rename_parts()
        for name, read in reading.READ.items():
            reading.write_values(name, read())
        finished()
        for path in [*Path().rglob("*.lock"), *Path().rglob("__pycache__")]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    files = [path for path in HERE.rglob("*") if path.is_file()]
    sizes = [path.stat().st_size for path in files]
    run_text = f"{len(files)} files, {sum(sizes):,} bytes, at most {max(sizes):,}"
    sys.stdout.write(f"{run_text}\n")


if __name__ == "__main__":
    main()
