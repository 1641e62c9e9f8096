"""`similitude extract`: models, weights, twins, failures and exit codes."""

import resource
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from cli.command import run
from cli.extraction.conftest import net
from similitude.store import open_store


def names(out: str | Path = "reps") -> list[tuple[str, str | None]]:
    found = [(rep.name, rep.baseline) for rep in open_store(out).select()]
    return sorted(found, key=str)


def test_extract_stores_the_blocks_of_a_model(models, capsys) -> None:
    said = run(capsys, "extract", "models.py:net", "--data", "x.npy", "-o", "reps")
    assert (said.code, said.out) == (0, "")
    assert "2 layers, 20 samples: 960 bytes on disk" in said.err
    assert names() == [("net/blocks.0", None), ("net/blocks.1", None)]
    said = run(capsys, "extract", "models.py:net", "--data", "x.npy", "-o", "reps")
    assert "2 layers are stored already in reps" in said.err


@pytest.mark.parametrize("suffix", ["safetensors", "pt"])
@pytest.mark.parametrize("quoted", [True, False])
def test_one_set_of_representations_per_weights_file(
    models, capsys, suffix, quoted
) -> None:
    """The shell expands a pattern into several arguments, unless it is quoted."""
    expected = {}
    for seed in (1, 2):
        torch.manual_seed(seed)
        folder = models / f"seed{seed}"
        folder.mkdir()
        module = net()
        state = {f"module.{k}": v for k, v in module.state_dict().items()}
        path = folder / f"last.{suffix}"
        if suffix == "pt":
            torch.save({"epoch": 3, "state_dict": state}, path)
        else:
            save_file(state, path)
        x = torch.tensor(np.load("x.npy"))
        with torch.inference_mode():
            expected[f"seed{seed}/last"] = module["blocks"][0](x).numpy()
    files = [f"seed*/last.{suffix}"]
    if not quoted:
        files = [f"seed{seed}/last.{suffix}" for seed in (1, 2)]
    said = run(capsys, "extract", "models.py:net", "--weights", *files, "--data",
               "x.npy", "--layers", "blocks.0", "-o", "reps")  # fmt: skip
    assert said.code == 0, said.err
    found = {rep.model: rep.load() for rep in open_store("reps").select()}
    assert found.keys() == expected.keys()
    for name, rows in found.items():
        np.testing.assert_array_equal(rows, expected[name])


def test_untrained_twins_are_different_and_are_baselines(models, capsys) -> None:
    for seed in (1, 2):
        torch.manual_seed(seed)
        torch.save(net().state_dict(), f"w{seed}.pt")
    said = run(capsys, "extract", "models.py:net", "w1.pt", "w2.pt", "--untrained",
               "--data", "x.npy", "--layers", "blocks.0", "-o", "reps")  # fmt: skip
    assert said.code == 0, said.err
    assert names() == [
        ("w1/blocks.0", "untrained"), ("w1/blocks.0", None),
        ("w2/blocks.0", "untrained"), ("w2/blocks.0", None),
    ]  # fmt: skip
    contents = [rep.sha256 for rep in open_store("reps").select()]
    assert len(set(contents)) == 4
    said = run(capsys, "compare", "reps", "-m", "cka", "--json", "-o", "out")
    (row,) = said.rows()
    assert (row["a"], row["b"]) == ("w1/blocks.0", "w2/blocks.0")
    assert "untrained" in str(row["baselines"])


def test_untrained_twin_of_a_model_without_weights_files(models, capsys) -> None:
    said = run(capsys, "extract", "models.py:net", "--untrained", "--data", "x.npy",
               "--layers", "blocks.?", "-o", "reps")  # fmt: skip
    assert said.code == 0, said.err
    assert len({rep.sha256 for rep in open_store("reps").select()}) == len(names()) == 4


def test_layers_reducers_and_options(models, capsys) -> None:
    said = run(capsys, "extract", "models.py:conv", "--data", "images", "-o", "reps",
               "--layers", "0,re:[13]", "--reducer", "mean", "--reducer", "1=flatten",
               "--mean", "0.5", "--std", "0.5", "--name", "c")  # fmt: skip
    assert said.code == 0, said.err
    shapes = {rep.name: (rep.n, rep.d) for rep in open_store("reps").select()}
    assert shapes == {"c/0": (3, 4), "c/1": (3, 144), "c/3": (3, 2)}
    manifest = open_store("reps").manifest(open_store("reps").ids()[0])
    assert manifest["extraction"]["preprocessing"]["options"]["mean"] == [0.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.py:net"], "the model: nothing.py does not exist"),
        (["models.py:nte"], "has no function 'nte'. Did you mean 'net'?"),
        (["models.py:not_a_function"], "has no function 'not_a_function'"),
        (["models.py:network"], "models.py:network is a network; name a function that"),
        (["models.py:broken"], "models.py:broken raised RuntimeError: no weights "),
        (["resnet50"], "'resnet50' is not a model: write PATH.py:function"),
        (["none.onnx"], "none.onnx does not exist"),
        (["hf:images"], "config.json is missing"),
        (["models.py:net", "--layers", "blocks.7"], "Nearest names: blocks.1, block"),
        (["models.py:net", "--reducer", "maen"], "Did you mean 'mean'?"),
        (["models.py:net", "--weights", "none.pt"], "--weights none.pt does not exist"),
        (["models.py:net", "--weights", "no*.pt"], "--weights no*.pt: no file matches"),
        (["models.py:net", "--weights", "x.npy"], "x.npy is damaged, or is not"),
        (["models.py:net", "--weights", "small.pt"], "5 missing (blocks.0.0.bias) and"),
        (["models.py:fails_later", "--batch-size", "4"],
         "the model raised ValueError in batch 4 (samples 16 to 19): cannot run"),
        (["models.py:gives_nan", "--layers", "blocks.1"],
         "layer 'blocks.1' is NaN for sample 17"),
        (["models.py:net", "--rows", "0:21"], "--rows 0:21: the data have 20 rows"),
        (["models.py:net", "--rows", "5"], "write START:STOP, as in 0:2000"),
        (["models.py:net", "--preprocessing", "models.py:doubled", "--mean", "1"],
         "--preprocessing replaces the options of images"),
        (["models.py:net", "--layout", "chw"], "--layout chw: choose nchw or nhwc"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(models, capsys, arguments, message) -> None:
    torch.save({"blocks.0.0.weight": torch.ones(6, 6), "x": torch.ones(1)}, "small.pt")
    said = run(capsys, "extract", *arguments, "--data", "x.npy", "-o", "reps")
    assert (said.code, said.out) == (2, "")
    last = said.err.splitlines()[-1]
    assert last.startswith("error: ")
    assert message in last
    assert "Traceback" not in said.err
    if Path("reps").exists():
        assert open_store("reps").ids() == []


def test_a_full_disk_exits_with_2_and_can_be_resumed(models, capsys) -> None:
    command = ["extract", "models.py:net", "--data", "x.npy", "-o", "reps",
               "--batch-size", "4"]  # fmt: skip
    open_store("reps", create=True)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, before[1]))
    try:
        said = run(capsys, *command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert said.code == 2
    assert "File too large" in said.err
    assert "are kept. Free some space, and run the same command again" in said.err
    assert run(capsys, *command).code == 0
    assert open_store("reps").verify() == []
    assert open_store("reps").leftovers() == []


def test_code_beside_the_model_is_not_imported(models, capsys) -> None:
    """Only the named file is imported, and not by a module name that it could take."""
    (models / "torch.py").write_text("raise SystemExit('hostile')")
    (models / "helper.py").write_text("raise SystemExit('hostile')")
    (models / "mine.py").write_text("import helper\n")
    said = run(capsys, "extract", "mine.py:net", "--data", "x.npy", "-o", "reps")
    said.assert_one_line("mine.py cannot be imported: ModuleNotFoundError")
    assert "add its folder to PYTHONPATH" in said.err


def test_ctrl_c_says_how_to_resume(models, capsys) -> None:
    (models / "stop.py").write_text(
        "from torch import nn\n"
        "class Stop(nn.Linear):\n"
        "    def forward(self, x):\n"
        "        if (x[:, 0] == 17).any():\n"
        "            raise KeyboardInterrupt\n"
        "        return super().forward(x)\n"
        "def net():\n"
        "    return nn.Sequential(Stop(6, 2))\n"
    )
    said = run(capsys, "extract", "stop.py:net", "--data", "x.npy", "-o", "reps",
               "--layers", "0", "--batch-size", "4")  # fmt: skip
    assert said.code == 130
    assert said.err.splitlines()[-1] == (
        "stopped: complete batches are kept in reps; run the same command again to "
        "resume."
    )
