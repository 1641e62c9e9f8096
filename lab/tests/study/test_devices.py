"""A device that cannot be used is one sentence; test_smoke.py has the others."""

from pathlib import Path

import pytest

import similitude as sim
from similitude_lab.study import run_study

torch = pytest.importorskip("torch")
pytest.importorskip("matplotlib")


def test_a_device_without_training_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(sim.InvalidInput, match="does not train networks on a device"):
        run_study("rtd/rings", scale="smoke", out=tmp_path, device="cuda")


@pytest.mark.parametrize("name", ["rtd/layers", "rtd/autoencoder", "closeness/width"])
def test_a_missing_device_is_one_sentence(name: str, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(sim.InvalidInput, match="CUDA is not available"):
        run_study(name, scale="smoke", out=tmp_path, device="cuda")


@pytest.mark.parametrize("device", ["meta", "card"])
def test_a_device_that_cannot_compute_is_one_sentence(
    device: str, tmp_path: Path
) -> None:
    with pytest.raises(
        sim.InvalidInput, match=f"cannot compute on the device '{device}'"
    ):
        run_study("rtd/layers", scale="smoke", out=tmp_path, device=device)
    assert list(tmp_path.iterdir()) == []


def test_the_error_names_the_option_that_was_typed() -> None:
    from similitude.errors import in_shell
    from similitude_lab.training._checkpoints import check_device

    for option in ("--cuda", "--device"):
        with in_shell(), pytest.raises(sim.InvalidInput, match=f"without {option}"):
            check_device("meta", option)
