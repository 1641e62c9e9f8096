"""Names from files, stores and results folders are escaped in all output."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from cli.command import run
from similitude import Representation, Results
from similitude.engine._folder import Folder
from similitude.engine._schema import sealed
from similitude.store import open_store

NAMES = {
    "ansi": "\x1b[31mred",
    "osc": "\x1b]0;title\x07",
    "c1": "\x9b2J",
    "bidi": "a\u202eb",
    "newline": "one\ntwo",
    "zero-width": "a\u200bb",
    "surrogate": "a\udce4b",
    "delete": "a\x7fb",
}


def harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


def rows(seed: int, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(30, d))


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_commands_escape_the_names_of_files(name: str, tmp_path: Path, capsys) -> None:
    paths = []
    for i in range(2):
        path = tmp_path / f"{name}{i}.npy"
        np.save(path, rows(i))
        paths.append(str(path))
    out = ("-m", "cka", "--permutations", "0", "-o", str(tmp_path / "out"))
    store = str(tmp_path / "store")
    labels = tmp_path / "labels.npy"
    np.save(labels, np.arange(30) % 2)
    short = tmp_path / f"{name}short.npy"
    np.save(short, rows(2)[:20])
    for arguments in (
        ("compare", *paths, *out),
        ("compare", *paths, *out, "--long"),
        ("compare", *paths, *out, "--json"),
        ("compare", paths[0], str(short), *out),
        ("compare", f"missing{name}.npy", *out),
        ("compare", *paths, *out, "--reference", name),
        ("advise", *paths),
        ("advise", *paths, "--json"),
        ("store", "add", store, *paths),
        ("store", "list", store),
        ("store", "rm", store, name),
        ("store", "verify", store),
        ("latent", "align", *paths),
        ("measures", name),
        ("cite", name),
        (name,),
    ):
        said = run(capsys, *arguments)
        assert harmless(said.out), arguments
        assert harmless(said.err), arguments
        assert said.code in {0, 2}, said.err
        if said.code == 2 and len(arguments) > 1:
            assert said.err.count("\n") == 1, said.err


@pytest.mark.parametrize("name", [NAMES[key] for key in NAMES if key != "surrogate"])
def test_a_results_folder_with_hostile_names_is_escaped(
    name: str, tmp_path: Path
) -> None:
    hostile(tmp_path / "out", name)
    found = Results.load(tmp_path / "out")
    assert found.rows[0].a == name
    for text in (str(found), found.table(120), found.table(long=True), found.header()):
        assert harmless(text)
        assert text.encode()
    assert name not in found._repr_html_()
    found.to_csv(tmp_path / "rows.csv")
    assert harmless((tmp_path / "rows.csv").read_text().replace("\r", ""))


def test_results_of_files_whose_names_are_not_utf8_can_be_loaded(
    tmp_path: Path, capsys
) -> None:
    paths = [tmp_path / f"{NAMES['surrogate']}{i}.npy" for i in range(2)]
    for i, path in enumerate(paths):
        np.save(path, rows(i))
    out = ("-m", "cka", "-o", str(tmp_path / "out"))
    assert run(capsys, "compare", *map(str, paths), *out).code == 0
    assert len(Results.load(tmp_path / "out")) == 1


def hostile(path: Path, name: str) -> None:
    """Write results whose names, labels, reasons and notes are this text."""
    found = sim.compare(
        {"m": {"one": rows(0), "two": rows(1)}, "n": {"one": rows(2), "two": rows(3)}},
        ["cka", "rsa"],
        permutations=0,
        out=path,
        baselines={"untrained": rows(4)},
    )
    assert len(found) == 12

    def spoil(value: object) -> object:
        texts = {"m/one": name, "m": f"{name}m", "one": f"{name}1", "rsa": f"{name}rsa"}
        if isinstance(value, str):
            return texts.get(value, value)
        if isinstance(value, list):
            return [spoil(item) for item in value]
        if isinstance(value, dict):
            return {key: spoil(item) for key, item in value.items()}
        return value

    for file in [path / "run.json", *(path / "parts").glob("*.jsonl")]:
        lines = []
        for line in file.read_text().splitlines():
            document = json.loads(line)
            del document["checksum"]
            if "notes" in document:
                document["notes"] = [name]
            lines.append(sealed(spoil(document)))  # type: ignore[arg-type]
        file.write_bytes(b"".join(lines))
    assert Folder(path).run().notes == (name,)


def test_hostile_manifests_of_a_store_are_escaped(tmp_path: Path, capsys) -> None:
    store = open_store(tmp_path / "store", create=True)
    for i in range(2):
        rep = Representation(f"r{i}", rows(i), meta={"file": "\x1b[31m\u202efile"})
        store.put(rep)
    store.put(Representation("short", rows(3)[:9], meta={"file": "\x1b[31m\nfile"}))
    out = ("-m", "cka", "-o", str(tmp_path / "out"))
    said = run(capsys, "compare", str(tmp_path / "store"), *out)
    said.assert_one_line("rows")
    assert "\\x1b[31m" in said.err
    assert harmless(run(capsys, "store", "list", str(tmp_path / "store")).out)


def test_csv_has_the_baselines_and_no_formulas(tmp_path: Path, capsys) -> None:
    for name in ("=HYPERLINK(1)", "+b"):
        np.save(tmp_path / f"{name}.npy", rows(len(name)))
    np.save(tmp_path / "twin.txt.npy", rows(9))
    paths = [str(tmp_path / f"{name}.npy") for name in ("=HYPERLINK(1)", "+b")]
    file = tmp_path / "rows.csv"
    said = run(
        *(capsys, "compare", *paths, "-m", "cka", "-o", str(tmp_path / "out")),
        *("--baseline", f"untrained={tmp_path / 'twin.txt.npy'}", "--csv", str(file)),
    )
    assert said.code == 0, said.err
    with file.open(newline="") as opened:
        (line,) = csv.DictReader(opened)
    (row,) = Results.load(tmp_path / "out").rows
    assert (line["a"], line["b"]) == ("'=HYPERLINK(1)", "'+b")
    assert float(line["score"]) == row.score
    assert float(line["baseline_untrained"]) == row.baselines["untrained"]
    assert not any(re.match(r"[=+@\t\r]", value) for value in line.values())
    missing = run(capsys, "compare", *paths, "--csv", str(tmp_path / "no/rows.csv"))
    missing.assert_one_line("does not exist")


def test_commands_print_only_through_the_door() -> None:
    folder = Path(__file__).parents[3] / "src" / "similitude" / "cli"
    for file in folder.rglob("*.py"):
        if file.name != "_say.py":
            found = re.findall(r"typer\.s?echo|^\s*print\(", file.read_text(), re.M)
            assert not found, file
