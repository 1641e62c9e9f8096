"""Files that 0.1.0 wrote are read with the same values, and are continued.

`0.1/` has the files, and `0.1/values/` their values as 0.1.0 read them (`make.py`).
Tests work on copies. Values that are only read must be equal; values that are computed
again may differ in the last digits, because another machine has another BLAS.
"""

import fnmatch
import hashlib
import json
import math
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import similitude as sim
from old_files import commands
from old_files.commands import (
    COMPARED,
    EXTRACTED,
    HERE,
    Failed,
    copy_some,
    inside,
    said,
)
from old_files.reading import READ, closeness, plain, recorded, study
from similitude.errors import SimilitudeError

# Each entry is a conscious change, with the sentence that wants it.
# Specimens that a later version refuses, in one line that names 0.1.
REFUSED: dict[str, str] = {}
# Values that a later version shows in another form: "SPECIMEN: PATH" with wildcards.
_KERNELS = "kernels are records: options of a kernel are options of its record"
_TABLES = "tables are the only product of a run; verdicts are not stored"
_ORDER = "step 10 comes before step 20"
CHANGES: dict[str, str] = {
    **{f"results-steps: rows.1.{key}: *": _ORDER for key in ("job", "a", "b")},
    **{
        f"lab/study: {key}: *": _TABLES
        for key in ("checks", "verdict", "reason", "lesson", "control")
    },
    "results-*: *rows.*.options.*": _KERNELS,
    "results-*: *rows.*.label: *": _KERNELS,
}
# Results folders whose rows a later version computes again, with equal scores.
RECOMPUTED: dict[str, str] = {
    "results-steps": "steps 10 and 20 of a layer were in the order of their ids: 20, 10"
}
# Specimens whose reading is a command that may write: it takes a lock.
COMMANDS = {"lab/closeness/results", "lab/images", "cache"}

RECORDED = recorded()
FINISHED = {
    name.removeprefix("finished/"): values
    for name, values in RECORDED.items()
    if name.startswith("finished/")
}
EXACT, DOUBLE, SINGLE = 0.0, 1e-9, 2.0**-18
# Facts about the computation, which differ if it is repeated.
OF_THE_RUN = {"seconds", "source", "version", "sha256", "barcodes"}


def files(folder: Path) -> dict[str, str]:
    """The hash of each file below a folder, without caches of Python."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module", autouse=True)
def unchanged_tree() -> Iterator[None]:
    """No test writes into the tree."""
    before = files(HERE)
    yield
    assert files(HERE) == before


@pytest.fixture
def museum(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A copy of the specimens, which is the current folder.

    A test of one specimen gets this specimen and what it was made of.
    """
    found = [p for p in HERE.iterdir() if p.name not in {"values", "__pycache__"}]
    given = getattr(request.node, "callspec", None)
    if given is not None and "name" in given.params:
        wanted = {"inputs", "net.py", "store-steps", given.params["name"].split("/")[0]}
        found = [path for path in found if path.name in wanted]
    copy = tmp_path / "museum"
    copy_some(found, copy)
    with inside(copy):
        yield copy


def read_or_refused(name: str) -> Any:
    """The values of a specimen; None if it is refused in a line that names 0.1."""
    if name not in REFUSED:
        return READ[name]()
    with pytest.raises((SimilitudeError, Failed)) as refusal:
        READ[name]()
    assert "\n" not in str(refusal.value)
    assert "0.1" in str(refusal.value)
    return None


def differences(
    found: Any, expected: Any, tolerance: float = EXACT, path: str = ""
) -> list[str]:
    """Where values differ. Later versions may add entries, but drop none."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = [key for key in expected if not (tolerance and key in OF_THE_RUN)]
        pairs = [(found.get(key, "missing"), expected[key], key) for key in keys]
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            return [f"{path}: {len(found)} entries instead of {len(expected)}"]
        pairs = list(zip(found, expected, range(len(found)), strict=True))
    elif isinstance(expected, float) and isinstance(found, float):
        near = abs(found - expected) <= tolerance * max(1.0, abs(expected))
        same = found == expected or near or (found != found and expected != expected)
        return [] if same else [f"{path}: {found!r} instead of {expected!r}"]
    else:
        same = type(found) is type(expected) and found == expected
        return [] if same else [f"{path}: {found!r} instead of {expected!r}"]
    return [
        line
        for a, b, key in pairs
        for line in differences(a, b, tolerance, f"{path}.{key}".lstrip("."))
    ]


def unexpected(name: str, lines: list[str]) -> list[str]:
    """Differences that `CHANGES` does not list."""
    return [
        line
        for line in lines
        if not any(fnmatch.fnmatchcase(f"{name}: {line}", each) for each in CHANGES)
    ]


@pytest.mark.parametrize("name", READ)
def test_old_files_are_read_with_the_same_values(name: str, museum: Path) -> None:
    before = files(museum)
    found = read_or_refused(name)
    assert (found is None) == (name in REFUSED)
    if found is not None:
        found = json.loads(json.dumps(found))
        assert unexpected(name, differences(found, RECORDED[name])) == []
    if name not in COMMANDS:
        assert files(museum) == before


def test_every_specimen_has_values_and_is_read() -> None:
    assert {name for name in RECORDED if not name.startswith("finished/")} == {*READ}
    read_in_parts = {"inputs", "net.py", "values", "lab"}
    continued = {"lab/closeness-unfinished"}
    specimens = {path.name for path in HERE.iterdir() if path.name != "__pycache__"}
    assert specimens - read_in_parts <= {*READ}
    assert {f"lab/{path.name}" for path in (HERE / "lab").iterdir()} <= {
        *READ,
        *continued,
    }


def test_specimens_are_small() -> None:
    sizes = [path.stat().st_size for path in HERE.rglob("*") if path.is_file()]
    assert max(sizes) < 100_000
    assert sum(sizes) < 600_000


# A test of the tests: damage is a difference or an error.

# The file to damage, if the largest one is not read, or is computed again.
DAMAGED = {
    "lab/closeness": "checkpoints/*01trained*steps16.safetensors",
    "lab/closeness/results": "*/*/run.json",
    "lab/images": "*/epoch-001.safetensors",
    "lab/study": "closeness/kl-table/smoke/result.json",
    "tuning": "weights.safetensors",
}


@pytest.mark.parametrize("name", [name for name in READ if name != "store-unfinished"])
def test_a_damaged_specimen_is_not_read_with_the_same_values(
    name: str, museum: Path
) -> None:
    place = museum / name
    found = [place] if place.is_file() else place.rglob(DAMAGED.get(name, "*"))
    path = max(
        (path for path in found if path.is_file()),
        key=lambda path: (path.suffix != ".part", path.stat().st_size, path),
    )
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    try:
        damaged = json.loads(json.dumps(READ[name]()))
    except (SimilitudeError, Failed, AssertionError):
        return
    assert differences(damaged, RECORDED[name]) != []


def test_small_differences_are_found() -> None:
    expected = {"rows": [{"score": 0.1 + 0.2, "n": 3, "low": math.nan}], "name": "a"}
    assert differences(expected | {"more": 1}, expected) == []
    rows = [{"score": 0.3, "n": 3, "low": math.nan}]
    (line,) = differences(expected | {"rows": rows}, expected)
    assert line == "rows.0.score: 0.3 instead of 0.30000000000000004"
    assert differences(expected | {"rows": rows}, expected, DOUBLE) == []
    assert len(differences(expected | {"rows": rows * 2}, expected, DOUBLE)) == 1
    rows = [{"score": 0.3 + 1e-8, "n": 3, "low": math.nan}]
    assert len(differences(expected | {"rows": rows}, expected, DOUBLE)) == 1
    assert differences({"rows": expected["rows"]}, expected) != []
    assert differences({"a": True}, {"a": 1}) != []
    assert differences({"a": 1.0}, {"a": None}) != []


def test_a_refusal_must_name_the_version(
    museum: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "map-affine"
    (museum / name / "map.json").write_text("{}")
    with pytest.raises(SimilitudeError):
        read_or_refused(name)
    monkeypatch.setitem(REFUSED, name, "a reason")
    with pytest.raises(AssertionError):
        read_or_refused(name)


# Old stores are continued

Calls = list[Any]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Calls]:
    """Forward passes of torch and onnxruntime, with the versions of the old stores.

    An element of other versions of Python or torch is extracted again, by design.
    """
    import onnxruntime

    found: Calls = []
    old = json.loads(next((HERE / "store-torch").rglob("manifest.json")).read_text())
    onnx = json.loads(next((HERE / "store-onnx").rglob("manifest.json")).read_text())
    versions = old["extraction"]["versions"]
    monkeypatch.setattr(torch, "__version__", versions["torch"])
    runtime = onnx["extraction"]["versions"]["torch"].removeprefix("onnxruntime ")
    monkeypatch.setattr(onnxruntime, "__version__", runtime)
    monkeypatch.setattr(platform, "python_version", lambda: versions["python"])
    now = sim.__version__
    for name, module in list(sys.modules.items()):
        if name.startswith("similitude") and vars(module).get("__version__") == now:
            monkeypatch.setattr(module, "__version__", versions["similitude"])
    run = onnxruntime.InferenceSession.run

    def counted(self: Any, *given: Any, **options: Any) -> Any:
        found.append("onnx")
        return run(self, *given, **options)

    monkeypatch.setattr(onnxruntime.InferenceSession, "run", counted)
    hook = torch.nn.modules.module.register_module_forward_pre_hook(
        lambda module, _: found.append(type(module).__name__)
    )
    yield found
    hook.remove()


def without_order(folder: Path) -> dict[str, str]:
    """Files but for the places of elements, which old stores get."""
    found = files(folder)
    assert any("/order/" in name for name in found)
    return {name: value for name, value in found.items() if "/order/" not in name}


@pytest.mark.parametrize("name", EXTRACTED)
def test_extract_into_an_old_store_computes_nothing_twice(
    name: str, museum: Path, calls: Calls
) -> None:
    before = files(museum)
    ran = commands.extract_commands(name)
    for command in ran:
        found = commands.run(*command)
        assert found.code == 0, found
    assert calls.count("Net") <= 7 * len(ran)  # one batch, and small passes
    assert without_order(museum) == before


def test_steps_of_an_old_store_are_not_extracted_again(
    museum: Path, calls: Calls
) -> None:
    before = files(museum)
    commands.extract_steps("store-steps")
    assert calls.count("Net") <= 2 * 7  # one batch of each step, and small passes
    assert without_order(museum) == before


def test_extract_computes_layers_of_changed_weights(museum: Path, calls: Calls) -> None:
    """A test of the test above."""
    said("extract", "net.py:make", "inputs/step10.safetensors", "--data",
         "inputs/x.npz", "-o", "store-torch")  # fmt: skip
    assert calls != []


def test_an_unfinished_extraction_is_finished(museum: Path, calls: Calls) -> None:
    (journal,) = (museum / "store-unfinished").rglob("journal")
    complete = len(journal.read_text().splitlines()) - 1
    assert 0 < complete < 6
    commands.extract_in_batches("store-unfinished")
    found = plain(READ["store-unfinished"]())
    assert differences(found, FINISHED["store-unfinished"]) == []
    resumed = calls.count("Net")
    calls.clear()
    commands.extract_in_batches("store-fresh")
    assert resumed == calls.count("Net") - complete
    assert not list((museum / "store-unfinished").rglob(".resumable-*"))


def test_a_monitor_continues_its_steps(museum: Path) -> None:
    before = files(museum / "monitor")
    _, watched = commands.monitor("monitor")
    with watched:
        assert watched.steps == [0, 5, 10]  # the weights are those of step 0
    with commands.monitor("monitor", run=1)[1] as watched:
        scalars = watched.step(15)
    # The weights are those of step 0.
    assert scalars["cka_start/last"] == pytest.approx(1.0, rel=DOUBLE)
    assert {f"cka_previous/{layer}" for layer in ("first", "last")} <= {*scalars}
    after = files(museum / "monitor")
    assert {name: after[name] for name in before} == before
    assert len(sim.load("monitor")) == 2 * 4


# Results folders are continued


def lines_of(folder: str) -> int:
    parts = Path(folder).rglob("parts/*.jsonl")
    return sum(path.read_text().count("\n") for path in parts)


@pytest.mark.parametrize("name", [*COMPARED, "stitching"])
def test_a_comparison_reuses_the_rows_of_an_old_folder(name: str, museum: Path) -> None:
    before, expected = lines_of(name), RECORDED[name]
    assert before > 0
    command = [*commands.LATENT[name]] if name == "stitching" else None
    if name == "results-run-file":
        commands.write_run_file()
    with commands.budget_of(name):
        said(*(command or commands.compare_command(name)))
        found = READ[name]()
    if name in RECOMPUTED:
        lines = differences(found["rows"], expected["rows"], DOUBLE, "rows")
        assert unexpected(name, lines) == []
    else:
        assert lines_of(name) == before
        assert unexpected(name, differences(plain(found), expected)) == []


def test_other_rows_are_computed(museum: Path) -> None:
    """A test of the test above."""
    name = "results-layers"
    before = lines_of(name)
    said(*commands.compare_command(name), "--seed", "1", "--permutations", "7")
    assert lines_of(name) > before


OTHER_SOURCE = "computed by other source code"


def without_notes(found: dict[str, Any]) -> dict[str, Any]:
    """The values without the notes: old rows beside new ones give a note."""
    return {key: value for key, value in found.items() if key != "notes"}


def test_shards_of_an_old_folder_are_joined(museum: Path) -> None:
    name = "results-shards"
    before = lines_of(name)
    assert RECORDED[name] != FINISHED[name]
    said(*commands.compare_command(name), "--shard", "1/3")
    found = READ[name]()
    assert OTHER_SOURCE in found.pop("notes")[0]
    lines = differences(found, without_notes(FINISHED[name]), DOUBLE)
    assert unexpected(name, lines) == []
    if name not in RECOMPUTED:
        assert lines_of(name) == before + 6  # three rows, scored and complete


def test_an_unfinished_comparison_is_finished(museum: Path) -> None:
    name = "results-unfinished"
    before = lines_of(name)
    assert len(RECORDED[name]["rows"]) == before
    commands.compare_unfinished(name)
    found = READ[name]()
    assert OTHER_SOURCE in found.pop("notes")[0]
    lines = differences(found, without_notes(FINISHED[name]), DOUBLE)
    assert unexpected(name, lines) == []
    if name not in RECOMPUTED:
        assert lines_of(name) == 2 * len(found["rows"])  # no score was repeated
    assert not (museum / name / "partial").exists()


# Latent spaces are continued


def test_a_saved_migration_maps_rows(museum: Path) -> None:
    said("migrate", "apply", "migrate", "inputs/old.npy", "-o", "whole.npy")
    found = plain(np.load("whole.npy"))
    assert differences(found, FINISHED["mapped"], SINGLE) == []


@pytest.mark.parametrize("planted", [False, True])
def test_an_unfinished_apply_is_finished(museum: Path, *, planted: bool) -> None:
    """The copy of the input has another inode and time, so the request is renewed.

    With `planted`, a finished block has other values: they show that it is used.
    """
    source, folder = Path("inputs/old.npy"), Path(".mapped.npy.parts")
    manifest = sim.store.read_sealed_json(folder / "parts.json", "write it again")
    fitted, status = commands.load_map("migrate"), source.stat()
    arrays = [a for a in vars(fitted).values() if isinstance(a, np.ndarray)]
    request = {
        "map": [sim.representation.fingerprint(array) for array in arrays],
        "rows": [str(source), status.st_ino, status.st_size, status.st_mtime_ns],
        "out": [".npy", commands.BLOCK],
    }
    manifest["request"] = sim.store.digest_of(request)
    first, *_ = manifest["files"]
    if planted:
        np.save(museum / "zeros.npy", np.zeros_like(np.load(folder / first)))
        (museum / "zeros.npy").rename(folder / first)
        content = (folder / first).read_bytes()
        manifest["files"][first] = hashlib.sha256(content).hexdigest()
    sim.store.write_sealed_json(folder / "parts.json", manifest)
    commands.apply_in_blocks("mapped.npy")
    found, expected = np.load("mapped.npy"), np.array(FINISHED["mapped"])
    if planted:
        assert not found[: commands.BLOCK].any()
        found, expected = found[commands.BLOCK :], expected[commands.BLOCK :]
    np.testing.assert_allclose(found, expected, rtol=SINGLE, atol=SINGLE)
    assert not folder.exists()


def test_an_unfinished_fine_tuning_is_finished(museum: Path) -> None:
    network = commands.relative_network()
    with pytest.raises(KeyboardInterrupt):  # the checkpoint is at step 4
        commands.tune(network, Path("tuning/run.pt"), stop=4)
    network = commands.relative_network()
    tuned = commands.tune(network, Path("tuning/run.pt"), stop=3)
    expected = FINISHED["tuning"]
    assert list(tuned.losses[:4]) == expected["losses"][:4]
    found = plain(network.state_dict()) | {"losses": list(tuned.losses)}
    assert differences(found, expected, SINGLE) == []


# The laboratory continues


def test_an_unfinished_training_of_closeness_is_finished(museum: Path) -> None:
    folder, steps = Path("lab/closeness-unfinished"), []
    commands.train_closeness(folder, lambda _, done, total: steps.append(done))
    assert steps[0] == 11  # the checkpoint of the first seed is at step 10
    found = json.loads(json.dumps(closeness(folder)))
    # The second seed starts anew, from weights that torch draws in single precision.
    expected = RECORDED["lab/closeness"]
    assert found.keys() == expected.keys()
    resumed = {name: each for name, each in expected.items() if "_seed0_" in name}
    assert differences(found, resumed, DOUBLE) == []


def test_an_unfinished_study_is_finished(museum: Path) -> None:
    commands.run_small_study(Path("lab/study-unfinished"))
    found, expected = study("lab/study-unfinished"), RECORDED["lab/study"]
    assert differences(found["values"], expected["values"], DOUBLE) == []
