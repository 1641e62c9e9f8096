"""Studies run from one command, resume after a kill, and write what they promise."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude_lab import study as studies
from similitude_lab.study import Parts, StudyRecord

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> StudyRecord:
    out = tmp_path_factory.mktemp("studies") / "first"
    found = studies.run_study("rtd/clusters", scale="smoke", out=out)
    shutil.copytree(out, out.parent / "copy")
    return found


def test_a_study_writes_result_tables_and_figures(clusters: StudyRecord) -> None:
    content = json.loads((clusters.folder / "result.json").read_text())
    assert content["values"]["kendall_rtd"] == 1.0
    assert (
        content["command"] == "similitude study run rtd/clusters --scale smoke --seed 0"
    )
    assert {"similitude", "python", "numpy"} <= set(content["versions"])
    for name in clusters.tables:
        with (clusters.folder / name).open(newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1
    for name in clusters.figures:
        for kind in (".png", ".pdf"):
            file_size = (clusters.folder / name).with_suffix(kind).stat().st_size
            assert 1000 < file_size < 300_000


def test_a_finished_study_is_read_and_not_run_again(clusters: StudyRecord) -> None:
    out = clusters.folder.parents[2]
    before = (clusters.folder / "result.json").stat().st_mtime_ns
    again = studies.run_study("rtd/clusters", scale="smoke", out=out)
    assert again == clusters
    assert (clusters.folder / "result.json").stat().st_mtime_ns == before
    other = studies.run_study("rtd/clusters", scale="smoke", out=out, seed=1)
    assert other.seed == 1


def test_the_same_seed_gives_the_same_bytes(clusters: StudyRecord) -> None:
    out = clusters.folder.parents[2]
    copy = out.parent / "copy" / clusters.folder.relative_to(out)
    again = studies.run_study("rtd/clusters", scale="smoke", out=out, again=True)
    assert again.values == clusters.values
    for name in (*clusters.tables, *clusters.figures):
        assert (again.folder / name).read_bytes() == (copy / name).read_bytes()


@pytest.mark.parametrize("name", studies.STUDIES)
def test_an_unknown_study_shows_the_nearest_name(name: str) -> None:
    for typo in (name[:-1], name.replace("-", ""), name.upper()):
        if typo != name:
            with pytest.raises(sim.InvalidInput, match=f"Did you mean .*'{name}'"):
                studies.run_study(typo)


def test_an_unknown_scale_lists_the_scales() -> None:
    with pytest.raises(sim.InvalidInput, match="scale='tiny'; choose from smoke"):
        studies.run_study("rtd/clusters", scale="tiny")  # type: ignore[arg-type]


def test_parts_are_computed_once_and_damaged_parts_again(tmp_path: Path) -> None:
    calls = []

    def compute() -> dict[str, np.ndarray]:
        calls.append(1)
        return {"a": np.arange(3.0)}

    for expected in (1, 1):
        found = Parts(tmp_path).keep("one", compute)
        np.testing.assert_array_equal(found["a"], np.arange(3.0))
        assert len(calls) == expected
    path = tmp_path / "one.npz"
    content = bytearray(path.read_bytes())
    content[content.index(np.arange(3.0).tobytes()) + 9] ^= 1
    path.write_bytes(content)
    found = Parts(tmp_path).keep("one", compute)
    np.testing.assert_array_equal(found["a"], np.arange(3.0))
    assert len(calls) == 2


SLOW = """
import time
from similitude_lab.study import Parts, run_study
keep = Parts.keep
def slow(self, name, compute, *given, **options):
    found = keep(self, name, compute, *given, **options)
    print(name, len(self.read), flush=True)
    time.sleep(0.3)
    return found
Parts.keep = slow
run_study("rtd/rings", scale="smoke", out={out!r})
"""


def test_a_killed_study_resumes_with_its_finished_parts(tmp_path: Path) -> None:
    code = SLOW.format(out=str(tmp_path / "killed"))
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = [sys.executable, "-c", code]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    for _ in range(3):
        assert process.stdout.readline()
    time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "killed/rtd/rings/smoke/result.json").exists()
    kept = list((tmp_path / "killed").rglob("*.npz"))
    assert 3 <= len(kept) < 7
    resumed = studies.run_study("rtd/rings", scale="smoke", out=tmp_path / "killed")
    whole = studies.run_study("rtd/rings", scale="smoke", out=tmp_path / "whole")
    assert resumed.values == whole.values
    for name in (*whole.tables, *whole.figures):
        assert (resumed.folder / name).read_bytes() == (
            whole.folder / name
        ).read_bytes()
    assert not list((tmp_path / "killed").rglob("*.npz"))


def test_without_matplotlib_nothing_is_computed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(sim.MissingExtra, match=r"figures of a study.*'matplotlib"):
        studies.run_study("rtd/clusters", scale="smoke", out=tmp_path)
    assert not list(tmp_path.iterdir())


WITHOUT_TORCH = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def find_spec(name, *rest):
    return None if name == "torch" else find(name, *rest)
PathFinder.find_spec = find_spec
from similitude_start import main
main()
"""


def test_studies_are_listed_without_torch_and_name_the_extra_they_need(
    tmp_path: Path,
) -> None:
    def study(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT_TORCH, "study", *words],
            capture_output=True,
            text=True,
            check=False,
        )

    listed = study("list")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert len(listed.stdout.splitlines()) == len(studies.STUDIES)
    run = study("run", "closeness/width", "--scale", "smoke", "--out", str(tmp_path))
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].split(": ")[-1].startswith("pip install 'torch")
