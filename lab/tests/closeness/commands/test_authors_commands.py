"""The command lines of the authors' README, with their files and defaults."""

import json
from pathlib import Path

import numpy as np
import pytest

from shared.close_dist import needs_checkpoints
from similitude_lab.closeness import shipped_configs
from similitude_lab.study import run_study

PAPER = ["--weight=0.00001", "--sum-or-max=max", "--num-samples=200"]
FIVE = {"random_seeds": [0, 1, 2, 3, 4], "fix_length_gs": [0], "fix_length_fs": [0]}
MODELS = "model_variations_config_4_classes.json"


def write_config(folder: Path, name: str = MODELS, **changes: object) -> None:
    (folder / "configs").mkdir(exist_ok=True)
    content = json.loads(shipped_configs()[name].read_text())
    (folder / "configs" / name).write_text(json.dumps(content | changes))


@needs_checkpoints
def test_get_distances_writes_the_authors_files(run, with_models, tmp_path) -> None:
    write_config(tmp_path, **FIVE)
    code, _, text = run(
        "get-distances",
        "--date-str=2025-04-22",
        "--layer-size=16,128",
        "--num-classes=4",
        "--dist-type=max",
        *PAPER,
    )
    assert code == 0, text
    assert "weight 1, sum, 10 samples" not in text  # all three are given
    names = sorted(path.name for path in (tmp_path / "results").iterdir())
    stem = "2025-04-22_model_distances_test_maxmax_w1e-05_SmallMLP"
    assert names == [f"{stem}_128_cls4.json", f"{stem}_16_cls4.json"]


@needs_checkpoints
def test_defaults_are_weight_1_sum_and_10_samples(run, with_models, tmp_path) -> None:
    write_config(tmp_path, **FIVE | {"random_seeds": [0, 1]})
    options = ["--date-str=2025-04-22", "--layer-size=64", "--num-classes=4"]
    code, _, text = run("get-distances", *options, "--dist-type=mean", "--log=info")
    assert code == 0, text
    assert "weight 1, sum, 10 samples" in text
    (path,) = (tmp_path / "results").iterdir()
    name = "2025-04-22_model_distances_test_mean_w1_0_SmallMLP_64_cls4.json"
    assert path.name == name
    code, _, text = run("get-accuracies", *options)
    assert code == 0, text
    path = path.with_name("2025-04-22_model_acc_test_SmallMLP_64_cls4.json")
    assert json.loads(path.read_text()) == {
        "model_seed": [0, 1],
        "fix_g": [0, 0],
        "fix_f": [0, 0],
        "num_classes": [4, 4],
        "fd": [2, 2],
        "accuracy": [0.9935, 0.9925],
    }


@needs_checkpoints
def test_make_plot_draws_the_authors_json(run, with_models, tmp_path) -> None:
    write_config(tmp_path, **FIVE)
    options = ["--date-str=2025-04-22", "--layer-size=64,128", "--num-classes=4"]
    assert run("get-distances", *options, "--dist-type=max", *PAPER)[0] == 0
    assert run("get-accuracies", *options)[0] == 0
    code, _, text = run("make-plot", "--plot-type=d_LLV_vs_width")
    assert code == 0, text
    stem = "d_prob_d_rep_vs_width_test_maxmax_w1e-05_SmallMLP_cls4"
    lines = (tmp_path / "figures" / f"{stem}.csv").read_text().splitlines()
    assert lines[0] == "classes,width,pairs,mean_d_llv,sd_d_llv,mean_d_fg,sd_d_fg"
    means = [float(line.split(",")[3]) for line in lines[1:]]
    np.testing.assert_allclose(means, [0.2520, 0.1719], atol=0.001)
    for suffix in ("png", "pdf"):
        assert (tmp_path / "figures" / f"{stem}.{suffix}").stat().st_size > 5000
    assert run("make-plot", "--plot-type=d_LLV_train_synthetic")[0] == 0
    each = "2025-04-22_model_distances_test_maxmax_w1e-05_SmallMLP"
    for width in (64, 128):
        path = tmp_path / "figures" / f"{each}_{width}_cls4_d_prob_vs_d_rep.csv"
        assert len(path.read_text().splitlines()) == 11
    study = run_study(
        "closeness/width", scale="paper", out="studies", results="results"
    )
    np.testing.assert_array_equal(study.values["d_llv_4_64"], means[0])
    assert any("W = 16, 32, 256" in note for note in study.notes)


def test_the_line_for_images_ends_with_all_pairs(run, tmp_path: Path) -> None:
    """The line of the README for CIFAR-10, with digits, small networks and sets."""
    changed = {
        "cifar10_0_cls10.json": {"dataset_name": "digits", "num_points": 1438},
        "model_variations_config_resnetcifar10_128_fd2.json": {
            **{"model_type": "SmallCIFAR10", "random_seeds": [0, 1, 2]},
        },
        "cifar10_0_32_ADAM_0_0001_20000steps.json": {
            **{"dataset_name": "digits", "batch_size": 128, "train_steps": 24},
            "learning_rate": 0.003,
        },
    }
    for name, changes in changed.items():
        write_config(tmp_path, name, **changes)
    words = [
        f"--{option}=configs/{name}"
        for option, name in zip(
            ("dataset-config", "model-var-config", "train-config"), changed, strict=True
        )
    ]
    date = "--date-str=2025-04-22"
    code, _, text = run("train-variations", *words, date)
    assert code == 0, text
    of = ["--layer-size=128", "--num-classes=10", "--dist-type=max"]
    of += [*PAPER[:2], "--num-samples=100"]  # 300 of the 359 test images
    code, _, text = run("get-distances", date, *words, *of)
    assert code == 0, text
    (path,) = (tmp_path / "results").iterdir()
    columns = json.loads(path.read_text())
    assert columns["model_seeds"] == ["0vs1", "0vs2", "1vs2"]
    assert np.isfinite(columns["distance"]).all()


def test_train_variations_trains_and_takes_epochs(run, tmp_path: Path) -> None:
    data = "radial_classification_20000_0_cls4.json"
    train = "radial_classification_0_128_ADAM_0_0001.json"
    write_config(tmp_path, **FIVE | {"random_seeds": [3], "num_features": [8]})
    write_config(tmp_path, data, num_points=300)
    code, _, text = run(
        "train-variations",
        "--output-folder=checkpoints",
        f"--dataset-config=configs/{data}",
        f"--model-var-config=configs/{MODELS}",
        f"--train-config=configs/{train}",
        "--date-str=2025-04-22",
        "--train-epochs=2",
        "--lr=0.001",
    )
    assert code == 0, text
    stem = "2025-04-22trained_radial_classification_SmallMLP_classes4_seed3_features8"
    stem += "_fd2_data300_lr0_001_steps6"
    assert (tmp_path / "checkpoints" / f"{stem}.safetensors").is_file()
    assert (tmp_path / "metrics" / f"{stem}_metrics.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["get-distances", "--date-str=2025-04-22"], "Missing option"),
        (
            ["make-plot", "--plot-type=KL_table", "--cuda"],
            "CUDA is not available on this machine",
        ),
        (["make-plot", "--plot-type=pie"], "--plot-type pie"),
        (["make-plot", "--plot-type=KL_table", "--color"], "'--color' is not an"),
        (["make-plot", "--plot-type=d_LLV_vs_width"], "closeness distances`"),
        (["make-plot", "--plot-type=loss_diff_vs_mcca"], "closeness mcca`"),
        (["make-plot", "--plot-type=cifar10_reps"], "closeness train`"),
        (["cal-mcca", "--final-dim=2"], "checkpoints is not a folder"),
        (["cal-mcca", "--final-dim=2", "--cuda"], "CUDA is not available"),
        (["cal-mcca", "--final-dim=4"], "fd4.json does not exist"),
    ],
)
def test_wrong_requests_are_one_line(run, tmp_path, arguments, message: str) -> None:
    code, _, text = run(*arguments)
    assert code == 2
    lines = text.splitlines()
    assert lines[-1].startswith("error: ")
    assert any(part in lines[-1] for part in message.split("|"))
    assert list(tmp_path.iterdir()) == []


def test_the_commands_are_hidden_but_have_help(run) -> None:
    assert "get-distances" not in run("-h")[1]
    code, text, _ = run("get-distances", "-h")
    assert code == 0
    assert "--num-samples" in text
