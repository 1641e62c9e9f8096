"""`similitude closeness distances`, `accuracies`, `mcca`: options and errors."""

import json
import shutil
from pathlib import Path

import pytest

from shared.close_dist import FOLDER, needs_checkpoints
from similitude_lab.closeness.results import load_results

FREE = ["--fix-length-f", "0", "--fix-length-g", "0", "--widths", "64"]
STEM = "2025-04-22trained_radial_classification_SmallMLP_classes4_seed{}_features64_fd2"
STEM += "_data20000_lr0_0001_steps15000"

pytestmark = needs_checkpoints


def measure(run, name: str, *options: str) -> tuple[int, str, str]:
    return run("closeness", name, "--num-classes", "4", *FREE, *options)


def test_the_defaults_are_those_of_the_paper(run, with_models, tmp_path) -> None:
    code, out, text = measure(run, "distances", "--seeds", "0-2", "--csv", "rows.csv")
    assert code == 0, text
    assert "SmallMLP K=4 W=64 M=2 norms f=0 g=0" in out
    rows = load_results("results", "distances").rows
    assert [(row.seed_a, row.seed_b) for row in rows] == [(0, 1), (0, 2), (1, 2)]
    options = {(r.weight, r.aggregate, r.reduce, r.draws, r.split) for r in rows}
    assert options == {(1e-5, "max", "max", 200, "test")}
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 4


def test_options_reach_the_rows(run, with_models) -> None:
    options = ["--aggregate", "sum", "--reduce", "mean", "--draws", "7"]
    options += ["--weight", "0.5", "--seed", "4", "--use-train", "--existing"]
    code, _, text = measure(run, "distances", *options, "--seeds", "3-6")
    assert code == 0, text
    assert "no models of the seeds 5-6; they are left out" in text
    (row,) = load_results("results", "distances").rows
    assert (row.aggregate, row.reduce, row.draws, row.weight) == ("sum", "mean", 7, 0.5)
    assert (row.draw_seed, row.split, row.inputs) == (4, "train", 20_000)


def test_accuracies_and_mcca_write_rows(run, with_models) -> None:
    assert measure(run, "accuracies", "--seeds", "0-1")[0] == 0
    assert measure(run, "mcca", "--seeds", "0-1")[0] == 0
    first, _ = load_results("results", "accuracies").rows
    assert first.accuracy == 0.9935
    (row,) = load_results("results", "mcca").rows
    assert (round(row.m_cca_f, 5), round(row.m_cca_g, 5)) == (0.97287, 0.99217)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "0-9"], "seed5_features64"),
        (["--date-str", "2020-01-01"], "does not exist"),
        (["--checkpoints", "nowhere"], "nowhere is not a folder"),
        (["--cuda"], "CUDA is not available"),
        (["--num-classes", "5"], "cls5.json does not exist"),
        (["--weight", "-1"], "weight"),
        (["--aggregate", "min"], "aggregate"),
        (["--draws", "0"], "draws"),
        (["--dataset-config", "broken.json"], "it is not JSON"),
    ],
)
def test_wrong_requests_are_one_line(
    run, with_models, tmp_path: Path, options: list[str], message: str
) -> None:
    (tmp_path / "broken.json").write_text("{")
    code, _, text = measure(run, "distances", "--seeds", "0-1", *options)
    assert code == 2
    assert message in text.splitlines()[-1]
    assert text.count("\n") == 1
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("damage", ["truncated", "renamed", "architecture"])
def test_a_damaged_checkpoint_is_one_line(run, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for seed in (0, 1):
        shutil.copy(FOLDER / STEM.format(seed), folder)
    path = folder / STEM.format(1)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:1000])
    elif damage == "renamed":
        other = STEM.replace("features64", "features16").format(1)
        path.write_bytes((FOLDER / other).read_bytes())
    else:
        from safetensors.torch import save_file

        from similitude_lab.closeness.networks import SoftmaxNetworks

        path.unlink()
        networks = SoftmaxNetworks(4, 64, model_type="SmallCIFAR10")
        save_file(networks.state_dict(), folder / f"{STEM.format(1)}.safetensors")
    code, _, text = measure(run, "distances", "--seeds", "0-1")
    assert code == 2
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert "seed1" in text
    assert not (tmp_path / "results").exists()


def test_results_of_another_program_are_not_overwritten(run, with_models) -> None:
    measure(run, "mcca", "--seeds", "0-1")
    (record,) = Path("results").rglob("run.json")
    record.write_text(json.dumps({"mine": 1}))
    code, _, text = measure(run, "mcca", "--seeds", "0-1")
    assert code == 2
    assert "was not written by similitude" in text
    assert json.loads(record.read_text()) == {"mine": 1}
