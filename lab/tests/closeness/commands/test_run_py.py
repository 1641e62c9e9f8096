"""`lab/run.py`: the eight lines of the authors' README, and what they write."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shared.close_dist import FOLDER, needs_checkpoints
from similitude_lab.closeness import shipped_configs
from similitude_lab.closeness.figures import FIGURES

torch = pytest.importorskip("torch")
LAB = Path(__file__).parents[3]
COMMANDS = (
    "train-variations",
    "get-distances",
    "get-accuracies",
    "cal-mcca",
    "make-plot",
)
DATA = "radial_classification_20000_0_cls4.json"
MODELS = "model_variations_config_4_classes.json"
TRAIN = "radial_classification_0_128_ADAM_0_0001.json"
SMALL = {
    DATA: {"num_points": 300},
    MODELS: {
        "random_seeds": [0, 1],
        "num_features": [8],
        "fix_length_fs": [0],
        "fix_length_gs": [0],
    },
    TRAIN: {"train_steps": 6},
}
CIFAR = (
    "--dataset-config=configs/cifar10_0_cls10.json "
    "--model-var-config=configs/model_variations_config_resnetcifar10_128_fd{}.json "
    "--train-config=configs/cifar10_0_32_ADAM_0_0001_20000steps.json"
)


def typed(line: str, folder: Path, **env: str) -> tuple[int, str, str]:
    """Run a line of the README in a folder; R1 to R8 begin with run.py."""
    command = [sys.executable, str(LAB / "run.py"), *line.split()]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | env,
    )
    return done.returncode, done.stdout, done.stderr


def small_configs(folder: Path, **models: object) -> str:
    """Write small configurations under the authors' names; the options for them."""
    (folder / "configs").mkdir(exist_ok=True)
    for name, changes in SMALL.items():
        content = json.loads(shipped_configs()[name].read_text()) | changes
        if name == MODELS:
            content |= models
        (folder / "configs" / name).write_text(json.dumps(content))
    names = zip(("dataset", "model-var", "train"), SMALL, strict=True)
    return " ".join(f"--{kind}-config=configs/{name}" for kind, name in names)


def test_help_lists_the_five_commands_with_their_options(tmp_path: Path) -> None:
    code, out, _ = typed("-h", tmp_path)
    assert code == 0
    for command in COMMANDS:
        assert f"\n{command}: " in out
    from similitude_lab.closeness.commands._authors import FLAGS, OPTIONS

    used = {"log", "data-folder", "model-config"}  # accepted, without an effect
    for option in {*OPTIONS, *FLAGS} - used:
        assert f"--{option} " in out, option
    assert typed("", tmp_path)[1] == out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            f"train-variations --output-folder=checkpoints {CIFAR.format(3)} --cuda",
            "CUDA is not",
        ),
        (
            f"train-variations --output-folder=checkpoints {CIFAR.format(3)} "
            "--date-str=2025-04-22 --continue-from=5000 --cuda",
            "CUDA is not",
        ),
        (
            f"get-distances --date-str=2025-04-22 {CIFAR.format(2)} --layer-size=128 "
            "--num-classes=10 --dist-type=max --weight=0.00001 --sum-or-max=max "
            "--num-samples=200",
            "is not a folder",
        ),
        ("get-distance --date-str=2025-04-22", "not a command"),
    ],
)
def test_lines_that_need_more_are_one_line(
    line: str, message: str, tmp_path: Path
) -> None:
    code, out, err = typed(line, tmp_path)
    assert code == 2
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err + out


def test_training_and_distances_run_as_typed(tmp_path: Path) -> None:
    """R2 and R6 with small configurations of the same names; R8 without models."""
    configs = small_configs(tmp_path)
    code, _, err = typed(
        f"train-variations --output-folder=checkpoints {configs} --date-str=2025-04-22",
        tmp_path,
    )
    assert code == 0, err
    assert "of processor time" in err
    assert len(list((tmp_path / "checkpoints").glob("*steps6.safetensors"))) == 2
    code, _, err = typed(
        f"get-distances --date-str=2025-04-22 {configs} --layer-size=8 --num-classes=4 "
        "--dist-type=max --num-samples=5",
        tmp_path,
    )
    assert code == 0, err
    assert len(list((tmp_path / "results").glob("*.json"))) == 1
    assert typed("make-plot --plot-type=synthetic_data", tmp_path)[0] == 0


def test_the_numbers_of_the_synthetic_data_are_numbers(tmp_path: Path) -> None:
    assert typed("make-plot --plot-type=synthetic_data", tmp_path)[0] == 0
    (path,) = (tmp_path / "figures").glob("*.csv")
    points = np.genfromtxt(path, delimiter=",", names=True)
    assert len(points) == 20_000
    assert np.isfinite([points["x"], points["y"]]).all()
    assert (points["x"] < 0).any()


class Layers(torch.nn.Module):
    """A network with the authors' names: l1 to l4, the last without a bias."""

    def __init__(self, inputs: int, width: int, outputs: int) -> None:
        super().__init__()
        self.l1 = torch.nn.Linear(inputs, width)
        self.l2 = torch.nn.Linear(width, width)
        self.l3 = torch.nn.Linear(width, width)
        self.l4 = torch.nn.Linear(width, outputs, bias=False)


class AuthorsModel(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.f_net, self.g_net = Layers(2, 8, 2), Layers(3, 8, 2)


def test_pt_files_load_in_a_network_with_the_authors_names(run, tmp_path: Path) -> None:
    words = small_configs(tmp_path).split()
    assert (
        run("train-variations", *words, "--date-str=2025-04-22", "--format", "pt")[0]
        == 0
    )
    (found, _) = sorted((tmp_path / "checkpoints").glob("*trained*_steps6"))
    assert found.name.endswith("features8_fd2_data300_lr0_0001_steps6")
    state = torch.load(found, map_location="cpu", weights_only=True)
    model = AuthorsModel()
    model.load_state_dict(state)
    from safetensors.torch import load_file

    ours = load_file(f"{found}.safetensors")
    assert set(ours) == set(state)
    assert all(torch.equal(ours[key], value) for key, value in state.items())
    code, _, err = run("train-variations", *words, "--format", "zip")
    assert (code, err.splitlines()[-1]) == (
        2,
        "error: --format zip: choose safetensors or pt.",
    )


def test_an_unfinished_run_resumes_on_another_day(run, tmp_path: Path) -> None:
    words = small_configs(tmp_path, random_seeds=[0]).split()
    assert run("train-variations", *words, "--date-str=2025-01-01")[0] == 0
    words = small_configs(tmp_path, random_seeds=[0, 1]).split()
    code, _, err = run("train-variations", *words)
    assert code == 0
    assert "Resuming the unfinished run of 2025-01-01; --date-str " in err
    names = {
        path.name[:10] for path in (tmp_path / "checkpoints").glob("*.safetensors")
    }
    assert names == {"2025-01-01"}
    code, _, err = run("train-variations", *words)  # it is finished: another run
    assert "Resuming" not in err


def test_models_of_the_authors_are_not_an_unfinished_run(run, tmp_path: Path) -> None:
    words = small_configs(tmp_path).split()
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (
        folder
        / "2025-01-01trained_radial_classification_SmallMLP_classes4_seed0_features8"
        "_fd2_data300_lr0_0001_steps6"
    ).write_bytes(b"weights")
    code, _, err = run("train-variations", *words)
    assert code == 0, err
    assert "Resuming" not in err


def test_another_plot_type_lists_the_seven(run, tmp_path: Path) -> None:
    code, _, err = run("make-plot", "--plot-type=pie")
    assert code == 2
    line = err.splitlines()[-1]
    assert line.startswith("error: --plot-type pie: choose from ")
    assert all(name in line for name in FIGURES)
    assert len(FIGURES) == 7


@needs_checkpoints
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (
            "max max 200",
            "--dist-type=max --weight=0.00001 --sum-or-max=max --num-samples=200",
        ),
        (
            "mean sum 50",
            "--dist-type=mean --weight=0.00001 --sum-or-max=sum --num-samples=50",
        ),
    ],
)
def test_all_pairs_in_order_equal_the_authors_code(
    kind: str, options: str, run, with_models, tmp_path: Path
) -> None:
    small_configs(
        tmp_path, random_seeds=[0, 1, 2, 3, 4], num_features=[16, 32, 64, 128]
    )
    for name in (DATA, TRAIN):
        (tmp_path / "configs" / name).unlink()  # the shipped ones are the authors'
    widths = (16, 32, 64, 128)
    code, _, err = run(
        "get-distances",
        "--date-str=2025-04-22",
        "--layer-size=16,32,64,128",
        "--num-classes=4",
        *options.split(),
    )
    assert code == 0, err
    expected = json.loads((FOLDER / "distances_k4_in_order.json").read_text())
    for width in widths:
        (path,) = (tmp_path / "results").glob(f"*_{width}_cls4.json")
        found = json.loads(path.read_text())
        wanted = expected[f"W={width} {kind}"]
        assert found["model_seeds"] == list(wanted)
        for i, pair in enumerate(wanted.values()):
            assert found["input_idxs"][i] == pair["inputs"]
            assert found["y_pivot_idx"][i] == pair["pivot"]
            assert found["lo_idx"][i] == pair["left_out"]
            for ours, theirs in (
                ("KL_div", "KL"),
                ("distance", "d"),
                ("t_1", "t1"),
                ("t_2", "t2"),
                ("m_SVDs_f", "mSVD_f"),
                ("m_SVDs_g", "mSVD_g"),
            ):
                np.testing.assert_allclose(
                    found[ours][i], pair[theirs], rtol=0, atol=2e-5
                )


def test_the_template_of_a_cluster_has_a_command_that_is_accepted(
    tmp_path: Path,
) -> None:
    """Without a GPU the command ends with that reason, and not with a wrong option."""
    script = LAB / "slurm" / "train_variations.sbatch"
    stub = tmp_path / "srun"
    stub.write_text('#!/bin/sh\nshift\nexec "$PYTHON" -m similitude "$@"\n')
    stub.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": sys.executable}
    done = subprocess.run(
        ["bash", str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | env | {"SLURM_ARRAY_TASK_ID": "0"},
    )
    assert done.returncode == 2
    assert "CUDA is not available" in done.stderr.splitlines()[-1]


def test_without_torch_the_error_is_one_line(tmp_path: Path) -> None:
    small_configs(tmp_path)
    line = ["train-variations", *small_configs(tmp_path).split()]
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from similitude_lab.closeness.commands import run_py\n"
        f"run_py({line!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "similitude[torch]" in done.stderr or "torch" in done.stderr.splitlines()[-1]
