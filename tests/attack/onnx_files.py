"""ONNX files whose weights are in other files: only those of their own folder."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from attack.command import run, survived
from attack.mutations import some_bytes
from attack.seeds import generator

SECONDS, ENVIRONMENT = 60, {"OMP_NUM_THREADS": "1"}
WEIGHT = np.arange(12, dtype="f4").reshape(4, 3)


def cases(full: bool) -> list[str]:
    damaged = [f"damaged {i}" for i in range(100 if full else 2)]
    return [*(LOCATIONS if full else ("beside", "above")), *damaged]


def check(case: str, folder: Path) -> None:
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    (work / "models").mkdir(parents=True)
    np.save(work / "data.npy", np.ones((5, 4), "f4"))
    (work / "secret.bin").write_bytes(WEIGHT.tobytes())
    file = work / "models" / "net.onnx"
    name = "beside" if case.startswith("damaged") else case
    location = LOCATIONS[name](work / "models")
    file.write_bytes(_model(location).SerializeToString())
    if case.startswith("damaged"):
        file.write_bytes(some_bytes(file.read_bytes(), generator("onnx", case)))
    for command in (
        ("layers", file),
        ("extract", file, "--data", work / "data.npy", "-o", work / "new"),
        ("diff", file, file, "--data", work / "data.npy"),
    ):
        said = run(*command)
        if case == "beside":
            assert said.code == 0, said
        elif case.startswith("damaged"):
            assert said.code in {0, 1, 2, 4}, said
            assert "this is a bug" not in said.err, said
        else:
            assert survived(said).code == 2, f"{location} was read: {said}"


def _model(location: str) -> onnx.ModelProto:
    weight = numpy_helper.from_array(WEIGHT, "w")
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "48")):
        entry = weight.external_data.add()
        entry.key, entry.value = key, value
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])],
        [weight],
    )
    opset = [helper.make_opsetid("", 17)]
    # The newest version of onnx may be ahead of the runtime.
    return helper.make_model(graph, opset_imports=opset, ir_version=9)


def _beside(folder: Path) -> str:
    (folder / "w.bin").write_bytes(WEIGHT.tobytes())
    return "w.bin"


def _linked(folder: Path) -> str:
    (folder / "link.bin").symlink_to(folder.parent / "secret.bin")
    return "link.bin"


def _pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.bin")
    return "pipe.bin"


LOCATIONS: dict[str, Callable[[Path], str]] = {
    "beside": _beside,
    "above": lambda folder: "../secret.bin",
    "absolute": lambda folder: str(folder.parent / "secret.bin"),
    "hidden above": lambda folder: "sub/../../secret.bin",
    "a link": _linked,
    "a pipe": _pipe,
    "a device": lambda folder: "/dev/zero",
    "missing": lambda folder: "none.bin",
    "empty": lambda folder: "",
    "escapes": lambda folder: "\x1b[31m.bin",
}
