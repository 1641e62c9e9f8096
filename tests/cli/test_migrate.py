"""`similitude migrate` and `similitude migrate apply`."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.command import lines_fit, run
from similitude.latent import align


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    old = rng.normal(size=(400, 8)).astype(np.float32)
    new = old @ np.linalg.qr(rng.normal(size=(8, 8)))[0].astype(np.float32)
    for name, rows, count in (("old", old, 400), ("new", new, 300)):
        vectors = pl.Series(rows[:count]).arr.to_list()
        frame = pl.DataFrame({"id": [f"t{i}" for i in range(count)], "vector": vectors})
        frame.write_parquet(tmp_path / f"{name}.parquet")
    np.save(tmp_path / "noise.npy", rng.normal(size=(400, 8)))
    np.save(tmp_path / "plain.npy", old)
    return tmp_path


def test_two_parquet_files_to_a_decision_in_two_commands(
    capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    paths = [str(files / name) for name in ("old.parquet", "new.parquet")]
    folder, out = str(files / "map"), files / "mapped.parquet"
    said = run(capsys, "migrate", *paths, "--keep-at-least", "0.9", "-o", folder)
    assert said.code == 0, said
    assert "pass: keep 0.9" in said.out
    assert "re-embedded rows you keep 100.0 %" in said.out
    text = " ".join(said.out.split())
    assert "Only the 300 rows that both have are used, of 400 of old." in text
    assert lines_fit(said.out)
    said = run(capsys, "migrate", "apply", folder, paths[0], "-o", str(out))
    assert (said.code, said.out) == (0, "")
    assert pl.read_parquet(out)["id"].to_list() == [f"t{i}" for i in range(400)]
    rows = pl.read_parquet(out)["embedding"].list.to_array(8).to_numpy()
    new = pl.read_parquet(paths[1])["vector"].list.to_array(8).to_numpy()
    np.testing.assert_allclose(rows[:300], new, atol=1e-5)


def test_exit_code_1_if_the_limit_is_not_kept(
    capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    paths = [str(files / name) for name in ("plain.npy", "noise.npy")]
    said = run(capsys, "migrate", *paths, "--keep-at-least", "0.5")
    assert said.code == 1
    assert "fail: keep 0.5" in said.out
    said = run(capsys, "migrate", *paths)
    assert said.code == 0
    assert "fail" not in said.out


def test_json_has_all_numbers_and_fit_is_the_default(
    capsys: pytest.CaptureFixture[str], files: Path
) -> None:
    path = str(files / "plain.npy")
    options = ("--pairs", "64", "-k", "5", "--direction", "queries", "--seed", "3")
    options = (*options, "--queries", path, "--json", "-o", str(files / "map"))
    said = run(capsys, "migrate", path, path, *options)
    found = json.loads(said.out)
    assert (found["pairs"], found["k"], found["queries"]) == (64, 5, 336)
    assert "64 of 400 queries are left out" in found["notes"][0]
    assert found["best"] == "queries"
    assert list(found["directions"]["queries"]["curve"]) == ["32", "64"]
    assert run(capsys, "migrate", "fit", path, path, *options).out == said.out
    facts = align.load_facts(files / "map")["migration"]
    assert facts == {key: found[key] for key in facts}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plain.npy", "none.npy"), "does not exist"),
        (("plain.npy", "new.parquet"), "rows"),
        (("plain.npy", "plain.npy", "--keep-at-least", "95"), "as 0.95"),
        (("plain.npy", "plain.npy", "--direction", "up"), "direction"),
        (("plain.npy", "plain.npy", "--pairs", "3"), "too few"),
        (("apply", "none", "plain.npy", "-o", "out.npy"), "map.json"),
    ],
)
def test_mistakes_are_one_line(
    capsys: pytest.CaptureFixture[str],
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(files)
    run(capsys, "migrate", *arguments).assert_one_line(message)
