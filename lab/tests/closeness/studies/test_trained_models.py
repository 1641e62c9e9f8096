"""The closeness studies train models, resume, or reuse results of other commands."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude_lab import study as studies
from similitude_lab.closeness.studies._bounds import bound_values
from similitude_lab.study import Frame, _run

pytest.importorskip("matplotlib")
pytest.importorskip("torch")

MODELS = {"classes": (4,), "widths": (8, 16), "seeds": 3, "points": 640, "steps": 10}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `similitude closeness train`, `distances` and `accuracies` write."""
    from similitude_lab.closeness import train_models
    from similitude_lab.closeness.results import (
        measure_accuracies,
        measure_distances,
    )
    from similitude_lab.closeness.studies._models import Setting, experiment

    folder = tmp_path_factory.mktemp("closeness")
    setting = Setting(**MODELS)  # type: ignore[arg-type]
    for width in (8, 16):
        plan = experiment(setting, 4, width)
        models, out = folder / "checkpoints", folder / "existing"
        train_models(plan, models, date="2026-01-01", batched_seeds=True, threads=1)
        measure_distances(plan, models, out, date="2026-01-01", draws=20)
        measure_accuracies(plan, models, out, date="2026-01-01")
    return folder / "existing"


@pytest.mark.parametrize("name", ["closeness/width", "closeness/trained-synthetic"])
def test_existing_results_replace_training_and_the_record_says_so(
    name: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import similitude_lab.closeness.training._train as training

    monkeypatch.setattr(training, "train_models", None)
    record = studies.run_study(name, scale="smoke", out=tmp_path, results=results)
    content = json.loads((record.folder / "result.json").read_text())
    assert content["reused"] == "existing"
    assert "--results existing" in content["command"]
    assert any("existing results" in note for note in content["notes"])
    from similitude_lab.closeness.results import load_results

    rows = load_results(results, "distances")
    if name == "closeness/width":
        ours = np.mean([row.d_llv for row in rows.rows if row.width == 16])
        assert record.values["d_llv_4_16"] == pytest.approx(ours, rel=1e-12)
    else:
        assert record.values["pairs"] == len(rows)


def test_missing_pairs_are_named_and_an_empty_folder_is_an_error(
    results: Path, tmp_path: Path
) -> None:
    (tmp_path / "part").mkdir()
    for kind in ("distances", "accuracies"):
        (chosen,) = (results / kind).glob("*_16_*")
        (tmp_path / "part" / kind).mkdir()
        (tmp_path / "part" / kind / chosen.name).symlink_to(chosen)
    options = {"scale": "smoke", "out": tmp_path / "out"}
    name = "closeness/trained-synthetic"
    record = studies.run_study(name, results=tmp_path / "part", **options)  # type: ignore[arg-type]
    assert "0 of 3 pairs exist in the results: K = 4, W = 8." in record.notes
    with pytest.raises(sim.InvalidInput, match="similitude closeness distances"):
        studies.run_study(name, results=tmp_path / "nothing", **options)  # type: ignore[arg-type]


def test_a_width_with_too_few_accurate_models_is_left_out() -> None:
    from similitude_lab.closeness.studies._models import Setting
    from similitude_lab.closeness.studies._pairs import Pairs, accurate

    seeds = [(0, 1), (0, 2), (1, 2)]
    table = {
        "classes": np.full(6, 4),
        "width": np.repeat([16, 64], 3),
        "fix_length_f": np.zeros(6),
        "fix_length_g": np.zeros(6),
        "seed_a": np.array([a for a, _ in seeds * 2]),
        "seed_b": np.array([b for _, b in seeds * 2]),
        "d_llv": np.arange(6.0),
    }
    models = {
        "classes": np.full(6, 4),
        "width": np.repeat([16, 64], 3),
        "fix_length_f": np.zeros(6),
        "fix_length_g": np.zeros(6),
        "seed": np.tile([0, 1, 2], 2),
        "accuracy": np.array([0.5, 0.99, 0.99, 0.99, 0.99, 0.99]),
    }
    pairs = Pairs(Frame(table), Frame(models), ())
    setting = Setting(classes=(4,), widths=(16, 64), seeds=3, models=3)
    assert accurate(pairs, setting)["d_llv"].tolist() == [3.0, 4.0, 5.0]
    fewer = Setting(classes=(4,), widths=(16, 64), seeds=3, models=2)
    assert accurate(pairs, fewer)["d_llv"].tolist() == [2.0, 3.0, 4.0, 5.0]


def test_without_accurate_models_the_notes_replace_the_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = studies.find_study("closeness/width")
    strict = {"smoke": replace(study.settings["smoke"], accuracy=1.0)}
    changed = replace(study, settings={**study.settings, **strict})
    monkeypatch.setattr(_run, "find_study", lambda name: changed)
    record = studies.run_study(study.name, scale="smoke", out=tmp_path)
    assert record.figures == ()
    assert "K = 4, W = 8 is left out: fewer than 2 models" in record.notes[-2]


def test_numbers_of_the_authors_are_compared_with_their_seeds() -> None:
    """All seeds are shown next to them, and every step to the next width counts."""
    from similitude_lab.closeness.studies._models import DISTANCES, Setting
    from similitude_lab.closeness.studies._pairs import Pairs
    from similitude_lab.closeness.studies._width import summarize

    free = {"fix_length_f": np.zeros(5), "fix_length_g": np.zeros(5)}
    kept = {name: np.zeros(5) for name in DISTANCES} | {
        "classes": np.array([4, 4, 4, 4, 4]),
        "width": np.array([16, 16, 16, 32, 64]),
        "seed_a": np.array([0, 1, 4, 0, 0]),
        "seed_b": np.array([1, 4, 5, 1, 1]),
        "d_llv": np.array([0.2, 0.4, 9.0, 0.1, 0.15]),
        "d_fg": np.array([0.01, 0.03, 9.0, 0.02, 0.01]),
    }
    models = {
        "classes": np.full(8, 4),
        "width": np.array([16, 16, 16, 16, 32, 32, 64, 64]),
        "fix_length_f": np.zeros(8),
        "fix_length_g": np.zeros(8),
        "seed": np.array([0, 1, 4, 5, 0, 1, 0, 1]),
        "accuracy": np.ones(8),
    }
    setting = Setting(classes=(4,), widths=(16, 32, 64), seeds=20, models=2)
    result = summarize(Pairs(Frame(kept | free), Frame(models), ()), setting)
    assert result.values["d_llv_4_16"] == pytest.approx(0.3)
    assert result.values["d_llv_4_16_all"] == pytest.approx(3.2)
    assert (result.values["rises_d_llv"], result.values["rises_d_fg"]) == (1.0, 0.0)
    assert result.values["worst_ratio_d_llv"] < 1
    assert "all 20 seeds, with K = 4: W = 16: 3.200 and 3.013;" in result.notes[-1]
    unmeasured = {name: column[:4] for name, column in models.items()}
    result = summarize(Pairs(Frame(kept | free), Frame(unmeasured), ()), setting)
    assert "W = 32 is left out: its accuracies were not measured" in result.notes[0]


def test_a_pair_above_a_bound_is_counted() -> None:
    table = {"d_llv": [0.1, 0.11], "t1": [0.1, 0.1], "t2": [0.1, 0.05]}
    table |= {"d_f": [0.01, 0.45], "d_g": [0.01, 0.0], "d_fg": [0.01, 0.45]}
    values = bound_values(table)
    assert values["pairs"] == 2
    assert values["violations_published"] == 1
    assert values["violations_square"] == 2  # d_fg and d_f of the second pair
    assert values["violations_swapped"] == 1


SLOW = """
import time
from similitude_lab.study import Parts, run_study
keep = Parts.keep
def slow(self, name, compute, *given, **options):
    found = keep(self, name, compute, *given, **options)
    print(name, flush=True)
    time.sleep(30)
    return found
Parts.keep = slow
run_study("closeness/width", scale="smoke", out={out!r})
"""


def test_a_killed_study_does_not_train_its_finished_models_again(
    tmp_path: Path,
) -> None:
    code = SLOW.format(out=str(tmp_path / "killed"))
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = [sys.executable, "-c", code]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    assert process.stdout.readline() == "classes-4,width-8\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (kept,) = (tmp_path / "killed").rglob("*.npz")
    assert not (tmp_path / "killed/closeness/width/smoke/result.json").exists()
    before = kept.stat().st_mtime_ns
    time.sleep(0.02)
    seen = []

    def progress(stage: str, done: int, total: int) -> None:
        seen.append((stage, done, total))
        assert kept.stat().st_mtime_ns == before

    options = {"scale": "smoke", "progress": progress}
    name = "closeness/width"
    resumed = studies.run_study(name, out=tmp_path / "killed", **options)  # type: ignore[arg-type]
    assert (seen[0], seen[-1]) == (("parts", 1, 2), ("parts", 2, 2))
    assert {stage for stage, _, _ in seen} == {"parts", "training: K = 4, W = 16"}
    whole = studies.run_study(name, scale="smoke", out=tmp_path / "whole")
    np.testing.assert_equal(resumed.values, whole.values)  # NaN equals NaN
    for file in (*whole.tables, *whole.figures):
        assert (resumed.folder / file).read_bytes() == (
            whole.folder / file
        ).read_bytes()
    assert not list((tmp_path / "killed").rglob("*.safetensors"))
