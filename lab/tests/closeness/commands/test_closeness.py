"""`similitude closeness train`: the plan, progress, resuming, and one-line errors."""

import json
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from safetensors.torch import save_file

from similitude_lab.closeness import shipped_configs

START = """
import resource, sys
from similitude_start import main

if room := int(sys.argv.pop(1)):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
main()
"""
NAMES = {
    "--dataset-config": "radial_classification_20000_0_cls4.json",
    "--model-var-config": "model_variations_config_4_classes.json",
    "--train-config": "radial_classification_0_128_ADAM_0_0001.json",
}
SHIPPED = [
    part for option, name in NAMES.items() for part in (option, f"configs/{name}")
]
SMALL = [
    "--seeds",
    "0-1",
    "--widths",
    "8",
    "--fix-length-f",
    "0",
    "--fix-length-g",
    "0",
]
SMALL += ["--date-str", "2026-01-01", "--threads", "1", "--batched-seeds"]


def similitude(*arguments: str, folder: Path, room: int = 0):
    return subprocess.run(
        [sys.executable, "-c", START, str(room), "closeness", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


@pytest.fixture
def run_in_process(monkeypatch, capsys, tmp_path: Path):
    """Run the command in this process, which has imported PyTorch."""
    from similitude.cli import main

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as stop:
            main(["closeness", "train", *arguments])
        return int(stop.value.code or 0), capsys.readouterr().err

    return run


def with_config(option: str, path: Path) -> list[str]:
    paths = {name: f"configs/{file}" for name, file in NAMES.items()}
    return [part for pair in (paths | {option: str(path)}).items() for part in pair]


def test_the_authors_configuration_names_work_in_any_folder(
    run_in_process, tmp_path: Path
) -> None:
    steps = ["--train-steps", "20"]
    code, text = run_in_process(*SHIPPED, *SMALL, *steps)
    assert code == 0, text
    assert text.startswith(
        "2 models, 0 exist; 1 training runs, 0 of them resumed; 157 steps, about "
    )
    stem = (
        "2026-01-01trained_radial_classification_SmallMLP_classes4_seed1_features8_fd2"
        "_data20000_lr0_0001_steps20"
    )
    assert (tmp_path / "checkpoints" / f"{stem}.safetensors").is_file()
    assert (tmp_path / "checkpoints" / f"{stem}.json").is_file()
    assert (tmp_path / "metrics" / f"{stem}_metrics.json").is_file()
    _, text = run_in_process(*SHIPPED, *SMALL, *steps)
    assert "2 models, 2 exist; nothing to train." in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "it is not JSON"),
        ("[]", "should be an object"),
        ('{"lr": 1}', "unknown field 'lr'|'dataset_name' is missing"),
        ("batch", "batch_size is 'many': input should be a valid integer"),
    ],
)
def test_wrong_configurations_are_one_line(
    run_in_process, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "train.json"
    if content == "batch":
        fields = json.loads(shipped_configs()[NAMES["--train-config"]].read_text())
        content = json.dumps(fields | {"batch_size": "many"})
    path.write_text(content)
    code, text = run_in_process(*with_config("--train-config", path), *SMALL)
    assert code == 2
    assert re.search(message, text)
    assert text.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["train.json"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "a"], "'a': write numbers as in 0-19 or 16,32"),
        (["--widths", "0"], "num_features.0 is 0"),
        (["--seeds", "1,1"], "random_seeds contains a value twice"),
        (["--lr", "-1"], "learning_rate is -1.0"),
        (["--date-str", "x"], "is not the name of a close-dist checkpoint"),
        (["--cuda"], "CUDA is not available on this machine"),
        (["--continue-from", "100"], "does not exist; train it first"),
        (["--checkpoint-every", "0"], "checkpoint_every=0"),
    ],
)
def test_wrong_options_are_one_line(
    run_in_process, tmp_path: Path, options: list[str], message: str
) -> None:
    code, text = run_in_process(*SHIPPED, *SMALL, *options)
    assert code == 2
    assert message in text
    assert text.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in text
    assert list(tmp_path.rglob("*.safetensors")) == []


def test_a_checkpoint_of_another_architecture_is_one_line(
    run_in_process, tmp_path: Path
) -> None:
    from similitude_lab.closeness.networks import SoftmaxNetworks

    (tmp_path / "checkpoints").mkdir()
    stem = "2026-01-01untrained_radial_classification_SmallMLP_classes4_seed0_features8"
    path = tmp_path / "checkpoints" / f"{stem}_fd2.safetensors"
    save_file(SoftmaxNetworks(4, 16).state_dict(), path)
    code, text = run_in_process(*SHIPPED, *SMALL, "--train-steps", "5")
    assert code == 2
    assert "g_net.l1.weight must have shape (8, 3); the file has (16, 3)" in text
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_full_disk_is_one_line_and_can_be_resumed(tmp_path: Path) -> None:
    arguments = ["train", *SHIPPED, *SMALL, "--train-steps", "300"]
    arguments += ["--checkpoint-every", "50"]
    full = similitude(*arguments, folder=tmp_path, room=6_000)
    assert full.returncode == 2
    assert re.search(
        r"\nerror: .*\.partial-50\.safetensors: File too large\. Finished files are "
        r"kept\. Free some space, and run the same command again to resume\.",
        full.stderr,
    )
    names = [path.name for path in (tmp_path / "checkpoints").iterdir()]
    assert all("untrained" in name for name in names)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_ctrl_c_says_how_to_resume(tmp_path: Path) -> None:
    arguments = ["closeness", "train", *SHIPPED, *SMALL, "--checkpoint-every", "20"]
    with subprocess.Popen(
        [sys.executable, "-c", START, "0", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        while run.poll() is None and not any(tmp_path.rglob("*.partial.json")):
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, text = run.communicate()
    assert run.returncode == 130
    assert text.splitlines()[-1] == (
        "stopped: the last checkpoints are kept in checkpoints; run the same command "
        "again to resume."
    )
