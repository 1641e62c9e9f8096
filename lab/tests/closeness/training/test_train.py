"""Training of all models: names, resuming bit by bit, threads, continuing, errors."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from shared.close_dist import FOLDER, checkpoints, needs_checkpoints
from similitude import InvalidInput, SimilitudeError
from similitude_lab.closeness import Setting, load_model, train_models
from similitude_lab.closeness.data import find_close_dist_checkpoints
from similitude_lab.closeness.training._data import Data, Samples
from similitude_lab.closeness.training._folder import Folder
from similitude_lab.closeness.training._group import Group, Options
from similitude_lab.closeness.training._manifest import read_manifest
from similitude_lab.closeness.training._setting import seed_ranges
from similitude_lab.closeness.training._single import SingleTrainer

from .small_runs import DATE, experiment, results, unexpected


class Killed(Exception):
    pass


def stop_at(step: int):
    """A progress callback that ends the training at a step."""

    def progress(stage: str, done: int, total: int) -> None:
        if done == step:
            raise Killed

    return progress


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> dict[bool, dict[str, bytes]]:
    """Results of uninterrupted runs, single and batched."""
    found = {}
    for batched in (False, True):
        folder = tmp_path_factory.mktemp("run") / "checkpoints"
        train_models(experiment(), folder, date=DATE, batched_seeds=batched, threads=1)
        found[batched] = results(folder)
        assert unexpected(folder) == []
    return found


@pytest.mark.parametrize("batched", [False, True])
def test_every_model_has_weights_an_optimizer_state_and_losses(
    trained, *, batched: bool
) -> None:
    stem = (
        f"{DATE}trained_radial_classification_SmallMLP_classes4_seed1_features8_fd2"
        f"_data400_lr0_0001_steps40"
    )
    assert f"{stem}.safetensors" in trained[batched]
    assert f"{stem}.optimizer.safetensors" in trained[batched]
    losses = json.loads(trained[batched][f"{stem}_metrics.json"])
    assert len(losses["train_loss"]) == len(losses["test_loss"]) == 1
    assert 0 <= losses["final_test_accuracy"] <= 1
    assert len(trained[batched]) == 2 * 4


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("step", [1, 10, 11, 42])
def test_resumed_training_equals_uninterrupted_training(
    trained, tmp_path: Path, step: int, *, batched: bool
) -> None:
    folder = tmp_path / "checkpoints"
    options = {"date": DATE, "batched_seeds": batched, "checkpoint_every": 5}
    with pytest.raises(Killed):
        train_models(experiment(), folder, progress=stop_at(step), threads=1, **options)
    partial = [read_manifest(p) for p in folder.glob("*.partial.json")]
    assert [m.step for m in partial] == ([] if step < 5 else [step // 5 * 5])
    lines: list[str] = []
    train_models(experiment(), folder, say=lines.append, threads=1, **options)
    assert f"{len(partial)} of them resumed" in lines[0]
    assert results(folder) == trained[batched]
    assert unexpected(folder) == []


def test_whole_epochs_are_trained_and_the_losses_are_means_of_windows(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "checkpoints"
    run = experiment((0,), steps=2000, points=64, batch=64)
    train_models(run, folder, date=DATE, batched_seeds=True)
    (path,) = folder.glob("*trained*steps2000.json")
    manifest = read_manifest(path)
    assert (manifest.step, manifest.total_steps) == (2000, 2000)
    assert manifest.next_batch.epoch == 1999
    (losses,) = manifest.train_loss
    assert len(losses) == 4  # step 0, and windows that end at steps 500, 1000, 1500
    assert losses[0] > losses[-1]
    assert len(manifest.test_loss[0]) == 1
    run = experiment((0,), steps=41, points=400, batch=64)
    train_models(run, folder, date=DATE)
    (path,) = folder.glob("*trained*steps41.json")
    assert read_manifest(path).step == 42


def test_existing_models_are_skipped_and_the_plan_is_printed_first(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "checkpoints"
    lines: list[str] = []
    train_models(experiment((0,)), folder, date=DATE, say=lines.append)
    before = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    plan = train_models(
        experiment((0, 1), (8, 9), norms=(0, 20)), folder, date=DATE, say=lines.append
    )
    assert (plan.models, plan.missing) == (8, 7)
    assert lines[1].startswith("8 models, 1 exist; 7 training runs, 0 of them resumed")
    assert f"{7 * 42} steps, about" in lines[1]
    after = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert before.items() <= after.items()
    train_models(experiment((0,)), folder, date=DATE, say=lines.append)
    assert lines[2] == "1 models, 1 exist; nothing to train."


def test_progress_of_each_run_has_its_own_name(tmp_path: Path) -> None:
    """Rates are measured per name, so two runs must not share one."""
    seen: dict[str, int] = {}

    def progress(stage: str, done: int, total: int) -> None:
        assert done == seen.get(stage, 0) + 1 <= total == 42
        seen[stage] = done

    train_models(experiment(), tmp_path / "a", date=DATE, progress=progress)
    options = {"batched_seeds": True, "date": DATE}
    train_models(experiment(), tmp_path / "b", progress=progress, **options)
    name = "SmallMLP K=4 W=8 M=2 norms f=0 g=0"
    assert list(seen) == [f"{name}, seeds {s}" for s in ("0", "1", "0-1")]


def test_another_number_of_threads_is_refused_or_reset(trained, tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    options = {"date": DATE, "checkpoint_every": 5}
    with pytest.raises(Killed):
        train_models(experiment(), folder, progress=stop_at(6), threads=1, **options)
    with pytest.raises(InvalidInput, match=r"threads=2: .* with 1 threads"):
        train_models(experiment(), folder, threads=2, **options)
    lines: list[str] = []
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        train_models(experiment((0,)), folder, say=lines.append, **options)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert "resumed with 1 threads, as it was started" in lines[1]
    assert results(folder).items() <= trained[False].items()


@pytest.mark.parametrize("batched", [False, True])
def test_continuing_our_models_equals_training_at_once(
    trained, tmp_path: Path, *, batched: bool
) -> None:
    folder = tmp_path / "checkpoints"
    options = {"date": DATE, "batched_seeds": batched, "threads": 1}
    train_models(experiment(steps=14), folder, **options)
    train_models(experiment(), folder, continue_from=14, **options)
    assert trained[batched].items() <= results(folder).items()
    (path,) = folder.glob("*seed1*steps40.json")
    assert "steps14" in str(read_manifest(path).continued_from)


@needs_checkpoints
def test_the_authors_checkpoints_are_skipped_and_continued(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    shutil.copytree(FOLDER, folder)
    options = {"date": "2025-04-22", "threads": 1}
    lines: list[str] = []

    def run(steps: int):
        return experiment((3, 4), (16,), steps, points=20_000, batch=128)

    plan = train_models(run(15_000), folder, say=lines.append, **options)
    assert plan.runs == ()
    longer = run(15_001)
    train_models(longer, folder, continue_from=15_000, say=lines.append, **options)
    assert "has no optimizer state, so the optimizer and the order" in lines[2]
    (path,) = folder.glob("*seed3*steps15001.json")
    assert read_manifest(path).total_steps == 157
    model = load_model(path.with_suffix(".safetensors"))
    before = checkpoints()["trained", 16, 3].state["f_net.l2.weight"]
    gap = (model.state_dict()["f_net.l2.weight"] - before).abs().max()
    assert 0 < gap < 157 * 1e-4 * 2  # Adam moves a weight by about the rate per step


@needs_checkpoints
def test_the_authors_untrained_models_are_the_start(tmp_path: Path) -> None:
    """A changed untrained checkpoint changes the training; an absent one does not."""
    name = next(
        n
        for n in find_close_dist_checkpoints(FOLDER)
        if (n.stage, n.width, n.seed) == ("untrained", 16, 2)
    )
    found = {}
    for case in ("absent", "present", "changed"):
        folder = tmp_path / case / "checkpoints"
        folder.mkdir(parents=True)
        if case == "present":
            shutil.copy(FOLDER / str(name), folder)
        if case == "changed":
            state = dict(checkpoints()["untrained", 16, 2].state)
            torch.save({k: 2 * v for k, v in state.items()}, folder / str(name))
        run = experiment((2,), (16,), 7)
        train_models(run, folder, date=name.date, threads=1)
        (path,) = folder.glob("*_steps7.safetensors")
        found[case] = path.read_bytes()
    assert found["absent"] == found["present"] != found["changed"]


def test_missing_models_to_continue_raise(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"continue_from=14: .*does not exist"):
        train_models(experiment(), tmp_path / "none", date=DATE, continue_from=14)
    with pytest.raises(InvalidInput, match="must be less than train_steps"):
        train_models(experiment(), tmp_path / "none", date=DATE, continue_from=40)


def test_other_settings_than_those_of_the_interrupted_run_raise(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "checkpoints"
    options = {"date": DATE, "checkpoint_every": 5}
    with pytest.raises(Killed):
        train_models(
            experiment(), folder, batched_seeds=True, progress=stop_at(6), **options
        )
    for changes, batched, message in (
        ({"batch": 32}, True, "another batch_size"),
        ({"weight_decay": 0.1}, True, "another weight_decay"),
        ({}, False, "with batched_seeds=True"),
        ({"seeds": (0, 5)}, True, "request all of them"),
    ):
        with pytest.raises(InvalidInput, match=message):
            train_models(
                experiment(**changes), folder, batched_seeds=batched, **options
            )
    with pytest.raises(InvalidInput, match="dtype float32, not float64"):
        train_models(
            experiment(), folder, batched_seeds=True, dtype="float64", **options
        )


def test_damaged_checkpoints_are_named_and_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    options = {"date": DATE, "checkpoint_every": 5}
    with pytest.raises(Killed):
        train_models(experiment((0,)), folder, progress=stop_at(6), **options)
    (tensors,) = folder.glob("*.partial-5.safetensors")
    content = bytearray(tensors.read_bytes())
    content[-3] ^= 1
    tensors.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"partial-5\.safetensors is damaged"):
        train_models(experiment((0,)), folder, **options)
    (manifest,) = folder.glob("*.partial.json")
    manifest.write_text(manifest.read_text()[:-20])
    with pytest.raises(InvalidInput, match=r"partial\.json is damaged: .*; delete it"):
        train_models(experiment((0,)), folder, **options)


def test_files_of_killed_processes_are_removed(trained, tmp_path: Path) -> None:
    """Kills before the first and after the last manifest, and during writes."""
    folder = tmp_path / "checkpoints"
    options = {"date": DATE, "threads": 1}
    train_models(experiment(), folder, **options)
    (weights,) = folder.glob("*trained*seed1_*steps40.safetensors")
    stem = weights.name.removesuffix(".safetensors")
    for name in (f"{stem}.partial-42.safetensors", f"{stem}.partial.lock"):
        (folder / name).write_bytes(b"")
    assert len(unexpected(folder)) == 2
    train_models(experiment(), folder, **options)
    assert unexpected(folder) == []
    weights.unlink()
    (untrained,) = folder.glob("*untrained*seed1_*")
    for name in (stem, untrained.name, f"{stem}.partial-5.safetensors"):
        (folder / f".{name}-1a2b3c4d").write_bytes(b"")
    train_models(experiment(), folder, **options)
    assert unexpected(folder) == []
    assert results(folder) == trained[False]


def test_a_second_process_cannot_train_the_same_run(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"

    def second(stage: str, done: int, total: int) -> None:
        with pytest.raises(SimilitudeError, match="another process trains"):
            train_models(experiment((0,)), folder, date=DATE)
        raise Killed

    with pytest.raises(Killed):
        train_models(experiment((0,)), folder, date=DATE, progress=second)
    train_models(experiment((0,)), folder, date=DATE)
    assert unexpected(folder) == []


def test_wrong_arguments_raise_before_anything_is_written(tmp_path: Path) -> None:
    for options, message in (
        ({"date": "today"}, "not the name"),
        ({"checkpoint_every": 0}, "checkpoint_every=0"),
        ({"threads": 0}, "threads=0"),
        ({"dtype": "float16"}, "dtype='float16'"),
        ({"device": "cuda"}, "CUDA is not available"),
    ):
        with pytest.raises(InvalidInput, match=message):
            train_models(experiment(), tmp_path / "none", **options)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("model_type", ["SmallCIFAR10", "MedCIFAR10"])
def test_image_models_resume_bit_by_bit(tmp_path: Path, model_type: str) -> None:
    """Six images in batches of three."""
    setting, data = image_setting(model_type)
    found = []
    for name, steps in (("whole", ()), ("resumed", (1, 3))):
        folder = Folder(tmp_path / name / "checkpoints", DATE)
        options = Options(checkpoint_every=1)
        for step in steps:
            group = Group(setting, (1,), data, folder, options)
            for _, manifest in folder.partial_runs(setting):
                group.resume(manifest)
            with pytest.raises(Killed):
                group.run(stop_at(step))
        group = Group(setting, (1,), data, folder, options)
        for _, manifest in folder.partial_runs(setting):
            assert manifest.step == 3
            group.resume(manifest)
        group.run(lambda stage, done, total: None)
        found.append(results(folder.path))
        assert unexpected(folder.path) == []
    assert found[0] == found[1]
    assert len(found[0]) == 3


def test_a_resnet_continues_with_its_statistics_of_batch_norm() -> None:
    """Its files have 130 MB, so this test keeps the state in memory."""
    setting, data = image_setting("ResNetCIFAR10")
    x, y = data.train.inputs(slice(0, 3), torch.float32), data.train.y[:3]
    first, second = (SingleTrainer(setting.networks(0), setting.train) for _ in "ab")
    first.step(x, y)
    second.load(0, first.weights(0), first.moments(0), 1)
    first.step(x, y)
    second.step(x, y)
    assert first.weights(0)["f_net.bn1.num_batches_tracked"] == 2
    for values in ("weights", "moments"):
        expected, found = (getattr(t, values)(0) for t in (first, second))
        for key in expected:
            np.testing.assert_array_equal(found[key], expected[key], key)


def image_setting(model_type: str) -> tuple[Setting, Data]:
    base = next(experiment(steps=4, batch=3).settings())
    setting = Setting(base.dataset, base.train, model_type, "leaky_relu", 8, 2)
    rng = np.random.default_rng(0)
    images = torch.tensor(rng.integers(256, size=(6, 3, 32, 32)), dtype=torch.uint8)
    return setting, Data(*(Samples(images, torch.arange(6) % 4) for _ in range(2)))


def test_evaluation_uses_and_keeps_the_running_statistics() -> None:
    """In the authors' code, evaluation updated the statistics of BatchNorm."""
    setting, data = image_setting("ResNetCIFAR10")
    group = Group(setting, (0,), data, Folder(Path("none"), DATE), Options())
    before = group.trainer.weights(0)
    loss, accuracy = group.evaluate()
    for key, value in group.trainer.weights(0).items():
        np.testing.assert_array_equal(value, before[key], key)
    networks = setting.networks(0).eval()
    logits = networks(data.test.inputs(slice(None), torch.float32)).double()
    expected = torch.nn.functional.cross_entropy(logits, data.test.y)
    np.testing.assert_allclose(loss.item(), expected.item(), rtol=1e-6)
    assert accuracy.item() == float((logits.argmax(1) == data.test.y).double().mean())
    group.trainer.step(data.train.inputs(slice(None), torch.float32), data.train.y)
    changed = group.trainer.weights(0)["f_net.bn1.running_mean"]
    assert not torch.all(changed == before["f_net.bn1.running_mean"])


def test_ranges_of_seeds() -> None:
    assert seed_ranges([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"
    assert seed_ranges([3]) == "3"
