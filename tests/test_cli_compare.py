"""`similitude compare`, `advise` and `store`, run as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import similitude as sim
from similitude import Results
from similitude.cli import main

N = 40


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder as people have them: good files, and every kind of bad one."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    z = rng.normal(size=(N, 3))

    def rows(d: int) -> np.ndarray:
        return z @ rng.normal(size=(3, d)) + rng.normal(size=(N, d))

    np.save(folder / "a.npy", rows(5))
    np.save(folder / "b.npy", rows(30))
    save_file({"h": rows(30)}, folder / "c.safetensors")
    np.save(folder / "short.npy", rows(5)[:30])
    bad = rows(5)
    bad[7, 3] = np.nan
    np.save(folder / "nan.npy", bad)
    for name, ids in (("i", np.arange(N)), ("j", np.arange(3, N + 3))):
        np.savez(folder / f"{name}.npz", h=rows(4), ids=ids)
    for model in ("m1", "m2"):
        layers = {f"layer{i}": rows(6) for i in range(3)}
        np.savez(folder / f"{model}.npz", **layers)
    torch.save(torch.tensor(rows(4)), folder / "t.pt")
    (folder / "notes.txt").write_text("not numbers")
    (folder / "broken.npy").write_bytes(b"\x93NUMPY nonsense")
    return folder


def run(
    *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from similitude.cli import main; main()"]
    env = os.environ | {"COLUMNS": "80"} | environment
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, env=env, cwd=cwd
    )


def compare(files: Path, out: Path, *arguments: str, **environment: str):
    return run("compare", *arguments, "-o", str(out), cwd=files, **environment)


def lines_fit(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


def test_three_files_give_a_table_and_results(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = compare(files, out, "a.npy", "b.npy", "c.safetensors")
    assert result.returncode == 0, result.stderr
    for measure in ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn"):
        assert f"\n{measure}: " in f"\n{result.stdout}"
    for pair in ("a - b", "a - c", "b - c"):
        assert f"\n{pair} " in result.stdout
    assert "similarity, 1 = same up to rotation and scale" in result.stdout
    assert "distance, 0 = same" in result.stdout
    assert "undefined: ranks 30 + 30 > n - 1 = 39" in result.stdout
    assert "only say that both saw the same inputs" in result.stdout
    assert lines_fit(result.stdout)
    assert result.stderr.endswith(f"Results: {out}\n")
    found = Results.load(out)
    assert found.names == ("a", "b", "c")
    (row,) = [r for r in found.rows if (r.label, r.a, r.b) == ("cka", "a", "b")]
    expected = sim.cka(np.load(files / "a.npy"), np.load(files / "b.npy"))
    np.testing.assert_allclose(row.score, expected, rtol=1e-12)
    assert row.low < row.score < row.high
    assert found.table() == result.stdout.rstrip("\n")


MISTAKES = {
    "wrong suffix": (
        ["a.npy", "notes.txt"],
        "notes.txt: files ending in '.txt' cannot be read. Use one of .npy,",
    ),
    "no file": (["a.npy", "nothere.npy"], "nothere.npy does not exist."),
    "damaged": (["a.npy", "broken.npy"], "broken.npy cannot be read: "),
    "unequal rows": (
        ["a.npy", "short.npy"],
        "a.npy has 40 rows and short.npy has 30. Rows must be the same stimuli",
    ),
    "ids": (
        ["i.npz", "j.npz"],
        "0, 1, 2 are only in i.npz, and 40, 41, 42 are only in j.npz.",
    ),
    "nan": (["a.npy", "nan.npy"], "nan.npy: row 7, column 3 is NaN (1 of 200 values)."),
    "unknown measure": (
        ["a.npy", "b.npy", "-m", "cak"],
        "there is no measure 'cak'. Did you mean 'cka'? `similitude measures` lists",
    ),
}
MORE_MISTAKES = {
    "one file": (["a.npy"], "there is 1 representation; two or more are needed"),
    "no files": ([], "Missing argument 'PATHS'. `similitude compare -h`"),
    "unknown option": (["a.npy", "b.npy", "--permutation", "3"], "--permutations"),
    "not a number": (["a.npy", "b.npy", "--seed", "x"], "'--seed'"),
    "permutations": (
        ["a.npy", "b.npy", "--permutations", "-3"],
        "permutations=-3; it must be at least 0.",
    ),
    "workers": (["a.npy", "b.npy", "--workers", "0"], "workers is 0"),
    "reference": (
        ["a.npy", "b.npy", "--reference", "z"],
        "reference='z' is not among a, b.",
    ),
    "rows": (
        ["a.npy", "b.npy", "--rows", "0:50"],
        "--rows 0:50: a.npy has rows 0 to 39",
    ),
    "rows in words": (["a.npy", "b.npy", "--rows", "few"], "write a slice as 0:300"),
    "baseline": (["a.npy", "b.npy", "--baseline", "x"], "write NAME=PATH"),
    "baseline of nobody": (
        ["a.npy", "b.npy", "--baseline", "untrained=m1.npz"],
        "none of its names (m1/layer0, ...) is one of those compared (a, b)",
    ),
    "outputs": (
        ["a.npy", "b.npy", "-m", "disagreement"],
        "disagreement compares outputs, and none of the representations are.",
    ),
    "inputs": (["a.npy", "b.npy", "--inputs", "m1.npz"], "holds 3 arrays"),
    "config": (["a.npy", "b.npy", "--config", "no.toml"], "no.toml does not exist."),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_leaves_nothing(
    mistake: str, files: Path, tmp_path: Path
) -> None:
    arguments, message = MISTAKES[mistake]
    before = sorted(files.iterdir())
    result = compare(files, tmp_path / "out", *arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize("mistake", MORE_MISTAKES)
def test_so_is_any_other_mistake(
    mistake: str, files: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    """The same, here in one process: two dozen starts of Python take their time."""
    arguments, message = MORE_MISTAKES[mistake]
    monkeypatch.chdir(files)
    with pytest.raises(SystemExit) as stop:
        main(["compare", *arguments, "-o", str(tmp_path / "out")])
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_one_line(files: Path, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    out = tmp_path / "out"
    result = compare(files, out, "a.npy", "t.pt", PYTHONPATH=path)
    assert result.returncode == 2
    assert "pip install 'similitude[torch]'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not out.exists()


def test_json_is_one_document_and_alone_on_stdout(files: Path, tmp_path: Path) -> None:
    result = compare(
        files, tmp_path / "out", "a.npy", "b.npy", "-m", "cka,mean_cca", "--json"
    )
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert [row["measure"] for row in document["rows"]] == ["cka", "mean_cca"]
    assert document["rows"][0]["kind"] == "similarity"
    assert result.stderr == ""
    assert result.returncode == 0


def test_progress_is_on_stderr_and_plain_when_piped(
    files: Path, tmp_path: Path, monkeypatch, capfd
) -> None:
    monkeypatch.setattr("similitude.cli._progress.SECONDS", 0.0)
    monkeypatch.setattr("similitude.cli._progress.PATIENCE", -1.0)
    monkeypatch.chdir(files)
    with pytest.raises(SystemExit) as stop:
        main(["compare", "a.npy", "b.npy", "-m", "cka,rsa", "-o", str(tmp_path)])
    assert stop.value.code == 0
    said = capfd.readouterr()
    assert "scores: 1/2 pairs" in said.err
    assert "statistics: " in said.err
    assert "\x1b" not in said.err
    assert "\r" not in said.err
    # Scores are shown while the statistics are computed, and the whole table after.
    assert said.err.index("These are the scores") < said.err.index("statistics: 1/2")
    assert "pairs" not in said.out
    assert " 95 % " in said.out
    assert " 95 % " not in said.err


def test_progress_on_a_terminal_is_a_bar(files: Path, tmp_path: Path) -> None:
    result = compare(
        files,
        tmp_path / "out",
        *("a.npy", "b.npy", "-m", "cka", "--permutations", "0"),
        SIMILITUDE_PROGRESS="on",
        TTY_COMPATIBLE="1",
    )
    assert "\x1b" not in result.stdout
    assert "━" in result.stderr
    assert result.returncode == 0


CONFIG = """
permutations = 9
seed = 3
[[measure]]
name = "cka"
[[measure]]
name = "cka"
as = "narrow rbf"
options = {kernel = "rbf", fraction = 0.5}
"""


def test_measures_from_a_file(files: Path, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    config = ("--config", str(tmp_path / "run.toml"))
    result = compare(files, tmp_path / "out", "a.npy", "b.npy", *config, "--json")
    rows = json.loads(result.stdout)["rows"]
    assert [row["label"] for row in rows] == ["cka", "narrow rbf"]
    assert rows[1]["options"]["fraction"] == 0.5
    assert [(row["permutations"], row["seed"]) for row in rows] == [(9, 3)] * 2
    x, y = np.load(files / "a.npy"), np.load(files / "b.npy")
    expected = sim.cka(x, y, kernel="rbf", fraction=0.5)
    np.testing.assert_allclose(rows[1]["score"], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[measure]\n", "run.toml is not TOML: "),
        ('[[measure]]\nname = "cak"', "Did you mean 'cka'?"),
        ("[[measure]]\nas = 'x'", "run.toml: measure.0.name: Field required."),
        ("[[measures]]\nname = 'cka'", "run.toml: measures: Extra inputs"),
        (
            "[[measure]]\nname = 'cka'\noptions = {sigma = 1, width = 2}",
            "measure 'cka' has the options kernel, estimator",
        ),
        (
            "[[measure]]\nname = 'cka'\noptions = {kernel = 'rfb'}",
            "kernel='rfb' is not offered; choose from 'linear'",
        ),
        ("[[measure]]\nname = 'cka'\n" * 2, "two measures are called 'cka'"),
    ],
)
def test_a_file_that_is_wrong_says_where(
    files: Path, tmp_path: Path, capsys, monkeypatch, *, text: str, message: str
) -> None:
    monkeypatch.chdir(files)
    (tmp_path / "run.toml").write_text(text)
    out = tmp_path / "out"
    config = ["--config", str(tmp_path / "run.toml"), "-o", str(out)]
    with pytest.raises(SystemExit) as stop:
        main(["compare", "a.npy", "b.npy", *config])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not out.exists()


def in_process(files: Path, out: Path, monkeypatch, capsys, *arguments: str):
    """Rows of `compare --json` that runs here, which is faster; and what it said."""
    monkeypatch.chdir(files)
    with pytest.raises(SystemExit) as stop:
        main(["compare", *arguments, "-o", str(out), "--json"])
    assert stop.value.code == 0
    said = capsys.readouterr()
    return json.loads(said.out)["rows"], said.err


def test_rows_reference_seed_and_workers(
    files: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    def rows(name: str, *arguments: str) -> list[dict]:
        out = tmp_path / name
        options = ("-m", "cka", "--permutations", "9")
        return in_process(files, out, monkeypatch, capsys, *arguments, *options)[0]

    x, y = np.load(files / "a.npy"), np.load(files / "short.npy")
    (row,) = rows("rows", "a.npy", "short.npy", "--rows", "0:30")
    np.testing.assert_allclose(row["score"], sim.cka(x[:30], y), rtol=1e-12)
    (row,) = rows("some", "a.npy", "short.npy", "--rows", "9,3,4,8,1,0")
    some = [9, 3, 4, 8, 1, 0]
    np.testing.assert_allclose(row["score"], sim.cka(x[some], y[some]), rtol=1e-12)

    both = ("m1.npz", "m2.npz")
    star = rows("star", *both, "--reference", "m1/layer1")
    assert [r["a"] for r in star] == ["m1/layer1"] * 5
    one, two = rows("one", *both), rows("two", *both, "--workers", "2")
    other = rows("other", *both, "--seed", "1")
    for row in (*one, *two, *other):
        row["seconds"] = 0
    assert one == two
    assert [r["score"] for r in one] == [r["score"] for r in other]
    assert one[0]["null_mean"] != other[0]["null_mean"]


def test_rows_that_are_not_finite_can_be_dropped(
    files: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    arguments = ("a.npy", "nan.npy", "-m", "cka", "--drop-nonfinite")
    rows, said = in_process(files, tmp_path / "o", monkeypatch, capsys, *arguments)
    assert said == "dropped 1 row that is not finite\n"
    assert rows[0]["n"] == N - 1
    x, y = (np.delete(np.load(files / f), 7, 0) for f in ("a.npy", "nan.npy"))
    np.testing.assert_allclose(rows[0]["score"], sim.cka(x, y), rtol=1e-12)


def test_common_ids(files: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    arguments = ("i.npz", "j.npz", "-m", "cka", "--common-ids")
    rows, _ = in_process(files, tmp_path / "o", monkeypatch, capsys, *arguments)
    x, y = (np.load(files / f)["h"] for f in ("i.npz", "j.npz"))
    np.testing.assert_allclose(rows[0]["score"], sim.cka(x[3:], y[:-3]), rtol=1e-12)


def test_baselines_of_one_file_and_of_twins(files: Path, tmp_path: Path) -> None:
    twins = tmp_path / "twins"
    twins.mkdir()
    rng = np.random.default_rng(9)
    for name in ("a", "b"):
        np.save(twins / f"{name}.npy", rng.normal(size=(N, 4)))
    given = ("--baseline", f"untrained={twins}", "--baseline", "seed=c.safetensors")
    out = tmp_path / "out"
    result = compare(files, out, "a.npy", "b.npy", "-m", "cka", *given)
    assert result.returncode == 0, result.stderr
    header = result.stdout.splitlines()[1].split()
    assert header[-2:] == ["untrained", "seed"]
    assert "only what goes beyond it was learnt" in " ".join(result.stdout.split())
    assert lines_fit(result.stdout)
    (row,) = Results.load(out).rows
    floor = sim.cka(*(np.load(twins / f"{name}.npy") for name in ("a", "b")))
    np.testing.assert_allclose(row.baselines["untrained"], floor, rtol=1e-10)
    assert set(row.baselines) == {"untrained", "seed"}
    assert Results.load(out).table() == result.stdout.rstrip("\n")
    # --rows concerns the twins too.
    some = compare(
        files, tmp_path / "few", "a.npy", "b.npy", *given, "--rows", ":20", "-m", "cka"
    )
    assert some.returncode == 0, some.stderr


def test_inputs(files: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    arguments = ("a.npy", "b.npy", "-m", "cka", "--inputs", "nan.npy")
    options = ("--drop-nonfinite", "--rows", "0:30", "--permutations", "0")
    out = tmp_path / "out"
    rows, _ = in_process(files, out, monkeypatch, capsys, *arguments, *options)
    assert [row["label"] for row in rows] == ["cka", "deconfounded_cka"]
    x, y, z = (
        np.delete(np.load(files / f"{name}.npy")[:30], 7, axis=0)
        for name in ("a", "b", "nan")
    )
    expected = sim.deconfounded_cka(x, y, confounder=z)
    np.testing.assert_allclose(rows[1]["score"], expected, rtol=1e-10)


def test_advise(files: Path) -> None:
    result = run("advise", "a.npy", "b.npy", "m1.npz", cwd=files)
    assert result.returncode == 0
    assert result.stdout.splitlines()[0].split()[:4] == [
        *("representation", "n", "d", "rank"),
    ]
    assert "ranks: " in result.stdout
    assert "same-model: " in result.stdout
    assert lines_fit(result.stdout)
    document = json.loads(run("advise", "a.npy", "b.npy", "--json", cwd=files).stdout)
    assert [r["rank"] for r in document["representations"]] == [5, 30]
    assert {a["code"] for a in document["advice"]} == {"ranks"}
    bad = run("advise", "a.npy", "nan.npy", cwd=files)
    assert (bad.returncode, bad.stderr.count("\n")) == (2, 1)


def test_store_from_files_to_a_flipped_bit(files: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    added = run("store", "add", store, "a.npy", "m1.npz", cwd=files)
    assert added.returncode == 0, added.stderr
    elements = added.stdout.split()
    listed = run("store", "list", store, cwd=files)
    assert [line.split()[0] for line in listed.stdout.splitlines()[1:]] == elements
    assert "40 x 5" in listed.stdout
    sound = run("store", "verify", store, cwd=files)
    assert (sound.returncode, sound.stderr) == (0, "")
    assert sound.stdout == "4 elements, every bit as it was written\n"
    out = tmp_path / "out"
    result = compare(files, out, store, "-m", "cka", "--permutations", "0")
    assert result.returncode == 0, result.stderr
    assert len(Results.load(out)) == 6

    removed = run("store", "rm", store, elements[-1], cwd=files)
    assert removed.returncode == 0
    again = run("store", "rm", store, elements[-1], cwd=files)
    assert again.returncode == 2
    assert again.stderr.startswith(f"error: there is no element {elements[-1]!r}")

    shard = Path(store) / "elements" / elements[0] / "rows-00000.npy"
    content = bytearray(shard.read_bytes())
    content[-5] ^= 4
    shard.write_bytes(content)
    broken = run("store", "verify", store, cwd=files)
    assert broken.returncode == 2
    assert broken.stdout == ""
    assert f"{elements[0]}: rows-00000.npy is not what was written" in broken.stderr
    assert run("store", "verify", str(files), cwd=files).returncode == 2
    missing = run("store", "add", store, "a.npy", "nothere.npy", cwd=files)
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)


def test_a_refused_store_is_not_made(files: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert run("store", "add", str(store), "notes.txt", cwd=files).returncode == 2
    assert not store.exists()


def test_pairs_that_fail_are_exit_3(
    files: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    def broken(self, p, q):
        raise RuntimeError("no memory left")

    monkeypatch.setattr(sim.RSA, "compare", broken)
    monkeypatch.chdir(files)
    with pytest.raises(SystemExit) as stop:
        main(["compare", "a.npy", "b.npy", "-m", "cka,rsa", "-o", str(tmp_path)])
    assert stop.value.code == 3
    assert "failed: RuntimeError: no memory left" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_one_line(files: Path, tmp_path) -> None:
    (tmp_path / "taken").write_text("a file")
    result = compare(files, tmp_path / "taken", "a.npy", "b.npy", "-m", "cka")
    assert result.returncode == 2
    assert "taken" in result.stderr
    assert result.stderr.count("\n") == 1
