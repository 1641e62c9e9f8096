"""`similitude store` and `similitude advise`."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cli.command import lines_fit, run, start
from similitude import Representation, Results
from similitude.store import open_store


def test_advise_prints_a_table_and_warnings(
    files: Path, tmp_path: Path, capsys
) -> None:
    said = run(capsys, "advise", "a.npy", "b.npy", "m1.npz")
    assert said.code == 0
    assert said.out.splitlines()[0].split()[:4] == [
        *("representation", "n", "d", "rank"),
    ]
    assert "ranks: " in said.out
    assert "same-model: " in said.out
    assert lines_fit(said.out)
    document = json.loads(run(capsys, "advise", "a.npy", "b.npy", "--json").out)
    assert [r["rank"] for r in document["representations"]] == [5, 30]
    assert {a["code"] for a in document["advice"]} == {"ranks", "few-rows-for-k"}
    assert run(capsys, "advise", "bool.npy").code == 0
    table = str(tmp_path / "d.csv")
    assert run(capsys, "advise", "a.npy", "b.npy", "--csv", table).code == 0
    with Path(table).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["rank"] for row in rows] == ["5", "30"]
    for row, found in zip(rows, document["representations"], strict=True):
        assert list(row) == list(found)
        for name in ("effective_rank", "spectrum_exponent", "mean_cosine"):
            value = found[name]
            assert (float(row[name]) if row[name] else None) == value
    run(capsys, "advise", "a.npy", "nan.npy").assert_one_line("nan.npy: row 7")


def test_store_commands_and_verify_after_a_flipped_bit(
    files: Path, tmp_path: Path, capsys
) -> None:
    store = str(tmp_path / "store")
    added = start("store", "add", store, "a.npy", "m1.npz", cwd=files)
    assert added.returncode == 0, added.stderr
    elements = added.stdout.split()
    listed = run(capsys, "store", "list", store)
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == elements
    assert "40 x 5" in listed.out
    sound = run(capsys, "store", "verify", store)
    assert sound == (0, "4 elements, all checksums match\n", "")
    out = tmp_path / "out"
    options = ("-m", "cka", "--permutations", "0", "-o", str(out))
    assert run(capsys, "compare", store, *options).code == 0
    assert len(Results.load(out)) == 6

    assert run(capsys, "store", "rm", store, elements[-1]).code == 0
    again = run(capsys, "store", "rm", store, elements[-1])
    again.assert_one_line(f"there is no element {elements[-1]!r}")

    shard = Path(store) / "elements" / elements[0] / "rows-00000.npy"
    content = bytearray(shard.read_bytes())
    content[-5] ^= 4
    shard.write_bytes(content)
    broken = run(capsys, "store", "verify", store)
    assert broken == (
        2,
        "",
        f"{elements[0]}: {shard} has changed since it was written; remove the element, "
        f"and add it again.\n",
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("notes.txt", "files ending in '.txt'"),
        ("nothere.npy", "nothere.npy does not exist"),
        ("broken.npy", "broken.npy cannot be read"),
        ("complex.npy", "complex.npy must hold real numbers"),
        ("bytes.npz", "not UTF-8"),
        ("cut-m1.npz", "cut-m1.npz cannot be read"),
        ("nothing", "nothing"),
    ],
)
def test_add_with_an_invalid_file_changes_nothing(
    files: Path, tmp_path: Path, capsys, wrong: str, message: str
) -> None:
    """A new store is not created, and an existing store is not changed."""
    new, old = tmp_path / "new", tmp_path / "old"
    run(capsys, "store", "add", str(new), "a.npy", wrong).assert_one_line(message)
    assert not new.exists()
    assert run(capsys, "store", "add", str(old), "b.npy").code == 0
    before = open_store(old).ids()
    run(capsys, "store", "add", str(old), "a.npy", wrong).assert_one_line(message)
    assert open_store(old).ids() == before
    assert open_store(old).leftovers() == []


def test_a_folder_that_is_not_a_store_is_an_error(
    files: Path, tmp_path: Path, capsys
) -> None:
    for command in ("list", "verify"):
        run(capsys, "store", command, str(files)).assert_one_line("is not a store")
    run(capsys, "store", "rm", "gone", "x").assert_one_line("is not a store")
    # The argument for the store is missing.
    result = run(capsys, "store", "add", "a.npy", "b.npy")
    result.assert_one_line("a.npy is not a folder")
    (tmp_path / "store.json").write_text('{"schema": 9}')
    run(capsys, "store", "list", str(tmp_path)).assert_one_line("has schema 9")
    run(capsys, "compare", str(tmp_path)).assert_one_line("has schema 9")


def test_a_damaged_element_gives_a_one_line_error(
    files: Path, tmp_path: Path, capsys
) -> None:
    store = open_store(tmp_path / "store", create=True)
    for name in ("a", "b"):
        element = store.put(Representation(name, np.ones((4, 2))))
    shard = store.elements / element / "rows-00000.npy"
    sound = shard.read_bytes()
    for content in (b"", sound[:100], sound[:-1], b"\x00" + sound[1:]):
        shard.write_bytes(content)
        out = tmp_path / "out"
        said = run(capsys, "compare", str(store.path), "-m", "cka", "-o", str(out))
        said.assert_one_line("rows-00000.npy has changed since it was written")
        assert not out.exists()
    shard.write_bytes(sound)
    manifest = store.elements / element / "manifest.json"
    text = manifest.read_text()
    for wrong in (text[:-20], text.replace('"b"', '"c"'), "[]", "\xff"):
        manifest.write_text(wrong, encoding="latin-1")
        for command in (("store", "list"), ("compare",), ("advise",)):
            run(capsys, *command, str(store.path)).assert_one_line("manifest.json")


def test_store_list_fits_80_columns(tmp_path: Path, capsys) -> None:
    store = open_store(tmp_path, create=True)
    for name in ("a", "b" * 70):
        rep = Representation(
            name, np.ones((4, 2)), baseline="untrained", twin_of="x" * 40
        )
        store.put(rep)
    said = run(capsys, "store", "list", str(tmp_path))
    assert lines_fit(said.out)
    words = said.out.split()
    assert words.count("untrained") == 2
    assert all(element in words for element in store.ids())


FULL_DISK = """
import resource, sys
from similitude.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
main(["store", "add", "s", "a.npy", "b.npy", "large.npy"])
"""


def test_add_to_a_full_disk_says_what_is_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, n in (("a", 20), ("b", 30), ("large", 900)):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(n, 4)))
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error: s: File too large. 2 of 3 representations are in the store and are "
        "kept. Free some space, and run the same command again to resume.\n"
    )
    assert done.stdout.split() == open_store(tmp_path / "s").ids()
    assert open_store(tmp_path / "s").verify() == []
    assert open_store(tmp_path / "s").leftovers() == []
