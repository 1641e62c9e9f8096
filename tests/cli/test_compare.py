"""`similitude compare`: from files to a table and a results folder."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from cli.command import lines_fit, run, start
from similitude import Results
from similitude.errors import in_shell

N = 40


def test_three_files_give_a_table_and_results(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    paths = ("a.npy", "b.npy", "c.safetensors")
    result = start("compare", *paths, "-o", str(out), cwd=files)
    assert result.returncode == 0, result.stderr
    for measure in ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn"):
        assert f"\n{measure}: " in f"\n{result.stdout}"
    for pair in ("a - b", "a - c", "b - c"):
        assert f"\n{pair} " in result.stdout
    assert "similarity, 1 = same up to rotation and scale" in result.stdout
    assert "distance, 0 = same" in result.stdout
    assert "undefined: ranks 30 + 30 > n - 1 = 39" in result.stdout
    assert "only shows that both saw the same inputs" in " ".join(result.stdout.split())
    assert lines_fit(result.stdout)
    assert result.stderr.endswith(f"Results: {out}\n")
    found = Results.load(out)
    assert found.names == ("a", "b", "c")
    (row,) = [r for r in found.rows if (r.label, r.a, r.b) == ("cka", "a", "b")]
    expected = sim.cka(np.load(files / "a.npy"), np.load(files / "b.npy"))
    np.testing.assert_allclose(row.score, expected, rtol=1e-12)
    assert row.low < row.score < row.high
    with in_shell():  # options are named as in the shell
        assert found.table() == result.stdout.rstrip("\n")


def test_json_is_the_only_output_on_stdout(files: Path, tmp_path: Path) -> None:
    options = ("-m", "cka,mean_cca", "--json", "-o", str(tmp_path / "out"))
    result = start("compare", "a.npy", "b.npy", *options, cwd=files)
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert [row["measure"] for row in document["rows"]] == ["cka", "mean_cca"]
    assert document["rows"][0]["kind"] == "similarity"
    assert result.stderr == ""
    assert result.returncode == 0


@pytest.fixture
def compare(files: Path, tmp_path: Path, capsys):
    """Returns the rows of `compare --json`; each call uses a new folder."""
    count = iter(range(99))

    def rows(*arguments: str) -> list[dict]:
        out = ("-o", str(tmp_path / f"out{next(count)}"), "--json")
        return run(capsys, "compare", *arguments, *out).rows()

    return rows


CONFIG = """
permutations = 9
seed = 3
[[measure]]
name = "cka"
[[measure]]
name = "cka"
as = "narrow rbf"
options = {kernel = "rbf(fraction=0.5)"}
"""


def test_config_file_sets_measures_options_and_seed(
    files: Path, tmp_path: Path, compare
) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    rows = compare("a.npy", "b.npy", "--config", str(tmp_path / "run.toml"))
    assert [row["label"] for row in rows] == ["cka", "narrow rbf"]
    assert rows[1]["options"]["kernel"] == "rbf(fraction=0.5)"
    assert [(row["permutations"], row["seed"]) for row in rows] == [(9, 3)] * 2
    x, y = np.load(files / "a.npy"), np.load(files / "b.npy")
    expected = sim.cka(x, y, kernel="rbf(fraction=0.5)")
    np.testing.assert_allclose(rows[1]["score"], expected, rtol=1e-12)


def test_spaces_around_measure_names_are_ignored(compare) -> None:
    rows = compare("a.npy", "b.npy", "-m", " cka, rsa ,", "-m", "procrustes")
    assert [row["label"] for row in rows] == ["cka", "rsa", "procrustes"]


def test_rows_reference_seed_and_workers_options(files: Path, compare) -> None:
    options = ("-m", "cka", "--permutations", "9")
    x, y = np.load(files / "a.npy"), np.load(files / "short.npy")
    (row,) = compare("a.npy", "short.npy", "--rows", "0:30", *options)
    np.testing.assert_allclose(row["score"], sim.cka(x[:30], y), rtol=1e-12)
    (row,) = compare("a.npy", "short.npy", "--rows", "9,3,4,8,1,0", *options)
    chosen = [9, 3, 4, 8, 1, 0]
    expected = sim.cka(x[chosen], y[chosen])
    np.testing.assert_allclose(row["score"], expected, rtol=1e-12)

    both = ("m1.npz", "m2.npz", *options)
    star = compare(*both, "--reference", "m1/layer1")
    assert [r["a"] for r in star] == ["m1/layer1"] * 5
    one, two = compare(*both), compare(*both, "--workers", "2")
    other = compare(*both, "--seed", "1")
    for row in (*one, *two, *other):
        row["seconds"] = 0
    assert one == two
    assert [r["score"] for r in one] == [r["score"] for r in other]
    assert one[0]["null_mean"] != other[0]["null_mean"]


def test_drop_nonfinite_drops_and_counts_rows(
    files: Path, tmp_path: Path, capsys
) -> None:
    options = ("-m", "cka", "--drop-nonfinite", "--json", "-o", str(tmp_path / "o"))
    said = run(capsys, "compare", "a.npy", "nan.npy", *options)
    assert said.err == "dropped 1 row with NaN or infinite values\n"
    (row,) = said.rows()
    assert row["n"] == N - 1
    x, y = (np.delete(np.load(files / f), 7, 0) for f in ("a.npy", "nan.npy"))
    np.testing.assert_allclose(row["score"], sim.cka(x, y), rtol=1e-12)


def test_common_ids_compares_the_common_stimuli(files: Path, compare) -> None:
    rows = compare("i.npz", "j.npz", "-m", "cka", "--common-ids")
    x, y = (np.load(files / f)["h"] for f in ("i.npz", "j.npz"))
    np.testing.assert_allclose(rows[0]["score"], sim.cka(x[3:], y[:-3]), rtol=1e-12)


def test_boolean_arrays_are_compared_as_numbers(files: Path, compare) -> None:
    (row,) = compare("a.npy", "bool.npy", "-m", "cka")
    x, y = np.load(files / "a.npy"), np.load(files / "bool.npy").astype(float)
    np.testing.assert_allclose(row["score"], sim.cka(x, y), rtol=1e-12)


def test_baselines_from_a_single_file_and_from_a_folder(
    files: Path, tmp_path: Path, capsys
) -> None:
    twins = tmp_path / "twins"
    twins.mkdir()
    rng = np.random.default_rng(9)
    for name in ("a", "b"):
        np.save(twins / f"{name}.npy", rng.normal(size=(N, 4)))
    given = ("--baseline", f"untrained={twins}", "--baseline", "seed=c.safetensors")
    out = tmp_path / "out"
    reps = ("a.npy", "b.npy", "-m", "cka", *given)
    said = run(capsys, "compare", *reps, "-o", str(out))
    assert said.code == 0, said.err
    assert said.out.splitlines()[0] == "2 representations, and 3 twins; n = 40 rows"
    assert said.out.splitlines()[5].split()[-2:] == ["untrained", "seed"]
    assert "only similarity beyond it was learned" in " ".join(said.out.split())
    assert lines_fit(said.out)
    (row,) = Results.load(out).rows
    floor = sim.cka(*(np.load(twins / f"{name}.npy") for name in ("a", "b")))
    np.testing.assert_allclose(row.baselines["untrained"], floor, rtol=1e-10)
    assert set(row.baselines) == {"untrained", "seed"}
    with in_shell():  # remedies name the options of the shell
        assert Results.load(out).table() == said.out.rstrip("\n")
    # --rows also applies to the twins.
    few = ("--rows", ":20", "-o", str(tmp_path / "few"))
    assert run(capsys, "compare", *reps, *few).code == 0


def test_a_representation_may_have_the_name_of_a_baseline(
    files: Path, tmp_path: Path, capsys
) -> None:
    """The representation and the twin are both compared."""
    x, y, z = (np.load(files / f"{name}.npy") for name in ("a", "b", "bool"))
    np.save(tmp_path / "seed.npy", x)
    options = ("-m", "cka", "--permutations", "0", "--json", "-o", str(tmp_path / "o"))
    reps = (str(tmp_path / "seed.npy"), "b.npy", "--baseline", "seed=bool.npy")
    (row,) = run(capsys, "compare", *reps, *options).rows()
    assert (row["a"], row["b"]) == ("seed", "b")
    np.testing.assert_allclose(row["score"], sim.cka(x, y), rtol=1e-12)
    mean = (sim.cka(x, z.astype(float)) + sim.cka(y, z.astype(float))) / 2
    np.testing.assert_allclose(row["baselines"]["seed"], mean, rtol=1e-12)


def test_inputs_add_deconfounded_cka(files: Path, compare) -> None:
    arguments = ("a.npy", "b.npy", "-m", "cka", "--inputs", "nan.npy")
    options = ("--drop-nonfinite", "--rows", "0:30", "--permutations", "0")
    rows = compare(*arguments, *options)
    assert [row["label"] for row in rows] == ["cka", "deconfounded_cka"]
    x, y, z = (
        np.delete(np.load(files / f"{name}.npy")[:30], 7, axis=0)
        for name in ("a", "b", "nan")
    )
    expected = sim.deconfounded_cka(x, y, confounder=z)
    np.testing.assert_allclose(rows[1]["score"], expected, rtol=1e-10)


def test_failed_pairs_give_exit_code_3(files, tmp_path, monkeypatch, capsys) -> None:
    def broken(self, p, q):
        raise RuntimeError("no memory left")

    monkeypatch.setattr(sim.measures.RSA, "compare", broken)
    out = ("-o", str(tmp_path / "out"))
    said = run(capsys, "compare", "a.npy", "b.npy", "-m", "cka,rsa", *out)
    assert said.code == 3
    assert "failed: RuntimeError: no memory left" in said.out


def test_labels_in_a_file_add_the_columns_within_and_between(
    files: Path, tmp_path: Path
) -> None:
    labels = np.arange(N) % 4
    file = tmp_path / "classes.npy"
    np.save(file, labels)
    out = str(tmp_path / "out")
    arguments = ("compare", "a.npy", "b.npy", "-m", "cka", "-o", out)
    result = start(*arguments, "--within", str(file), cwd=files)
    assert result.returncode == 0, result.stderr
    assert "within" in result.stdout
    assert "between" in result.stdout
    assert "carried by the classes" in result.stdout
    (row,) = Results.load(out).rows
    x, y = np.load(files / "a.npy"), np.load(files / "b.npy")
    (expected,) = sim.compare({"a": x, "b": y}, "cka", within=labels).rows
    assert row.baselines == expected.baselines
    refused = start(*arguments, "--within", "missing.npy", cwd=files)
    assert refused.returncode == 2
    assert "missing.npy does not exist" in refused.stderr
