"""Every file that the lab writes for itself is verified when it is read."""

from pathlib import Path

import numpy as np
import torch

import similitude_lab
from shared.damaged import assert_damage_is_noticed, writing_functions
from similitude_lab.closeness import load_model, train_models
from similitude_lab.closeness.training._manifest import read_manifest
from similitude_lab.study import run_study
from similitude_lab.study._parts import Parts
from similitude_lab.study._record import read_record
from similitude_lab.training.tuning import _checkpoint

from .closeness.training.small_runs import DATE, experiment

# Functions that write files, with the test that damages these files ...
VERIFIED = {  # `similitude.store.Work` writes the checkpoints of closeness
    "training/tuning/_checkpoint.py:save_weights": "test_damaged_weights, below",
}
# ... or the reason why nothing is verified.
AUTHORS = "a file in the authors' format"
NOT_READ_BACK = {
    "_text.py:write_text": "its callers are listed here",
    "closeness/figures/_draw.py:draw_figure": "figures and tables for people",
    "closeness/results/_authors_files.py:write_document": AUTHORS,
    "closeness/training/_folder.py:write_metrics": AUTHORS,
    "study/_figure_files.py:write_figure": "figures for people",
    "study/_html.py:write_report": "an HTML page for people",
    "study/_commands.py:report": "pages for people",
}


def test_every_function_that_writes_a_file_is_listed() -> None:
    found = writing_functions(Path(similitude_lab.__file__).parent)
    assert found == {*VERIFIED, *NOT_READ_BACK}


def test_damaged_checkpoints_and_manifests_are_refused(tmp_path: Path) -> None:
    """The checkpoints that `closeness distances` measures."""
    folder = tmp_path / "checkpoints"
    train_models(experiment((0,), steps=8), folder, date=DATE, threads=1)
    (weights,) = (
        path
        for path in folder.glob("*trained*.safetensors")
        if "optimizer" not in path.name and "untrained" not in path.name
    )
    manifest = Path(f"{weights.with_suffix('')}.json")

    def read() -> list[bytes]:
        state = load_model(weights).state_dict()
        return [tensor.numpy().tobytes() for tensor in state.values()]

    assert_damage_is_noticed(weights, read, _equal)
    assert_damage_is_noticed(manifest, lambda: read_manifest(manifest), _equal)


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    path, network = tmp_path / "w.safetensors", torch.nn.Linear(6, 4)
    _checkpoint.save_weights(network, path)

    def read() -> np.ndarray:
        other = torch.nn.Linear(6, 4)
        _checkpoint.load_weights(other, path)
        return other.weight.detach().numpy()

    assert_damage_is_noticed(path, read, _close)


def test_damaged_runs_of_fine_tuning_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    _checkpoint.save_run(path, {"step": 3, "weights": torch.arange(50.0)})

    def read() -> np.ndarray:
        return _checkpoint.load_run(path)["weights"].numpy()

    assert_damage_is_noticed(path, read, _close)


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a == b).all())


def test_damaged_initial_weights_are_refused(tmp_path: Path) -> None:
    """Training starts from the untrained models in the folder."""
    folder, seeds = tmp_path / "checkpoints", experiment((0,), steps=3)
    train_models(seeds, folder, date=DATE, threads=1)
    (start,) = folder.glob("*untrained*.safetensors")

    def read() -> list[bytes]:
        for path in folder.glob("*_steps3.*"):
            path.unlink()
        train_models(seeds, folder, date=DATE, threads=1)
        return [path.read_bytes() for path in folder.glob("*_steps3*.safetensors")]

    assert_damage_is_noticed(start, read, _equal, count=16)


def test_damaged_results_of_studies_are_refused(tmp_path: Path) -> None:
    record = run_study("rtd/clusters", scale="smoke", out=tmp_path)
    path = record.folder / "result.json"
    assert_damage_is_noticed(path, lambda: read_record(path), _equal)


def test_committed_results_have_checksums() -> None:
    paths = sorted((Path(__file__).parent.parent / "results").rglob("result.json"))
    assert len(paths) > 25
    for path in paths:
        assert read_record(path).folder == path.parent


def test_damaged_parts_of_a_study_are_computed_again(tmp_path: Path) -> None:
    Parts(tmp_path).keep("a", lambda: {"x": np.arange(30.0)})
    path = tmp_path / "a.npz"
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 64
        path.write_bytes(damaged)
        parts = Parts(tmp_path)
        found = parts.keep("a", lambda: {"x": np.arange(30.0)})
        np.testing.assert_array_equal(found["x"], np.arange(30.0))
        assert parts.computed == ["a"]


def _equal(a: object, b: object) -> bool:
    return a == b
