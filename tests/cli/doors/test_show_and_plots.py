"""`similitude show`, `--csv`, `--plot`, and `python -m similitude`."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from cli.command import lines_fit, run, start

N = 30
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two models with two layers, and a finished results folder."""
    folder = tmp_path_factory.mktemp("show")
    for model in ("one", "two"):
        (folder / "reps" / model).mkdir(parents=True)
        for layer in ("early", "late"):
            np.save(folder / "reps" / model / f"{layer}.npy", RNG.normal(size=(N, 4)))
    sim.compare(
        folder / "reps", ["cka", "procrustes"], permutations=9, out=folder / "out"
    )
    return folder


def snapshot(folder: Path) -> dict[Path, tuple[int, int]]:
    files = [folder, *folder.rglob("*")]
    return {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}


@pytest.mark.parametrize("columns", ["80", "120"])
def test_show_prints_the_table_of_compare_and_writes_nothing(
    folder: Path, columns: str
) -> None:
    out = folder / "out"
    before = snapshot(out)
    for path in (out, *out.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    shown = start("show", "out", cwd=folder, COLUMNS=columns)
    again = start(
        *("compare", "reps", "-m", "cka,procrustes", "--permutations", "9"),
        *("-o", "copy"),
        cwd=folder,
        COLUMNS=columns,
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == again.stdout
    assert "layer" in shown.stdout or "early" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= int(columns)
    assert snapshot(out) == before


def test_show_has_all_ways_out(folder: Path, tmp_path: Path, capsys) -> None:
    out = str(folder / "out")
    long = run(capsys, "show", out, "--long")
    assert long.code == 0
    assert long.out.count("one/early - two/") >= 2
    rows = run(capsys, "show", out, "--json").rows()
    assert len(rows) == 12
    run(capsys, "show", out, "--csv", str(tmp_path / "t.csv"))
    with (tmp_path / "t.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [float(line["score"]) for line in lines] == [row["score"] for row in rows]


def test_show_says_that_a_run_is_unfinished(folder: Path, tmp_path: Path) -> None:
    parts = (folder / "out" / "parts").iterdir()
    lines = next(parts).read_bytes().splitlines(keepends=True)
    (tmp_path / "out" / "parts").mkdir(parents=True)
    run_json = (folder / "out" / "run.json").read_bytes()
    (tmp_path / "out" / "run.json").write_bytes(run_json)
    (tmp_path / "out" / "parts" / "a.jsonl").write_bytes(b"".join(lines[:3]))
    shown = start("show", "out", cwd=tmp_path)
    assert shown.returncode == 0
    assert "unfinished: 3 of 12 rows have a score, and 0 their st" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "reps"], "reps is not a results folder"),
        (["show", "nothere"], "nothere is not a results folder"),
        (["show", "out", "--plot", "t.txt"], "must end in .png, .pdf, .svg"),
        (["show", "out", "--plot", "no/t.png"], "the folder no does not exist"),
        (["show", "out", "--csv", "reps"], "--csv reps is a folder; give a file"),
        (["compare", "out"], "`similitude show out`"),
    ],
)
def test_mistakes_give_one_line(
    folder: Path, monkeypatch, capsys, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    run(capsys, *arguments).assert_one_line(message.replace("`", ""))


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_plot_draws_layers_of_two_models(
    folder: Path, tmp_path: Path, capsys, monkeypatch, suffix: str
) -> None:
    drawn = []
    for name in ("plot_layers", "plot_matrix"):
        original = getattr(sim.plots, name)

        def draw(results, measure, name=name, original=original, **options):
            drawn.append((name, measure))
            return original(results, measure, **options)

        monkeypatch.setattr(f"similitude.plots._pictures.{name}", draw)
    file = tmp_path / f"scores.{suffix}"
    assert run(capsys, "show", str(folder / "out"), "--plot", str(file)).code == 0
    assert file.read_bytes()[:4] in (b"\x89PNG", b"%PDF")
    assert drawn == [("plot_layers", "cka"), ("plot_layers", "procrustes")]
    drawn.clear()
    paths = [str(path) for path in sorted((folder / "reps" / "one").iterdir())]
    out = ("-m", "cka", "--permutations", "0", "-o", str(tmp_path / "out"))
    assert run(capsys, "compare", *paths, *out, "--plot", str(file)).code == 0
    assert drawn == [("plot_matrix", "cka")]


def test_python_m_similitude_is_the_command(tmp_path: Path) -> None:
    env = os.environ | {"COLUMNS": "80"}
    command = [sys.executable, "-m", "similitude", "measures", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert len(json.loads(done.stdout)["rows"]) == len(sim.MEASURES)
    help_text = start("show", "--help", cwd=tmp_path).stdout
    assert lines_fit(help_text)
