"""`similitude measures`, `cite` and `doctor`, in a new process."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import similitude
from similitude import MEASURES, InvalidInput, cite
from similitude._base._source import source_hash
from similitude.cli import main
from similitude.measures._claims import KnownScore


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    command = [str(Path(sys.executable).parent / "similitude"), *arguments]
    env = os.environ | {"COLUMNS": "80"} | environment
    return subprocess.run(command, capture_output=True, text=True, env=env)


def test_version_and_help_options() -> None:
    said = run("--version").stdout
    assert said == f"similitude {similitude.__version__} (source {source_hash()})\n"
    for command in ("measures", "cite", "doctor"):
        assert command in run("--help").stdout


def test_measures_lists_all_within_80_columns() -> None:
    result = run("measures")
    assert result.returncode == 0
    starts = [re.match(r"  (\w+)  +\S", line) for line in result.stdout.splitlines()]
    listed = [start[1] for start in starts if start and start[1] in MEASURES]
    in_order = sorted(MEASURES.values(), key=lambda m: (m.family, m.name))
    assert listed == [m.name for m in in_order]
    title = "Kernel alignment: cosines of centered Gram matrices:"
    titles = [line for line in result.stdout.splitlines() if line.endswith(":")]
    assert title in titles
    assert len(titles) == len({m.family for m in in_order})
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "found", "left_out"),
    [
        ("--invariant-to linear", {"mean_cca"}, {"cka", "linear_regression"}),
        (
            "--invariant-to rotation --not-to scale",
            {"cka(kernel=polynomial)"},
            {"cka"},
        ),
        ("--invariant-to row-scale --not-to rotation", {"rsa"}, {"mutual_knn"}),
        ("--invariant-to rotation,row_scale", {"rsa(inner=cosine)"}, {"rsa"}),
    ],
)
def test_measures_are_filtered_by_invariance(
    arguments: str, found: set[str], left_out: set[str], capsys
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["measures", "--json", *arguments.split()])
    assert stop.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    labels = {
        type(MEASURES[row["name"]])(**row["options"]).label for row in document["rows"]
    }
    assert found <= labels
    assert not left_out & labels


def test_measures_name_describes_one_measure() -> None:
    result = run("measures", "cka")
    assert "similarity in [-1, 1]" in result.stdout
    assert "estimator='unbiased'" in result.stdout
    assert "HSIC" in result.stdout
    assert "Not to be confused with" in result.stdout


def test_a_filter_without_matches_says_none_found() -> None:
    result = run("measures", "--invariant-to", "linear", "--not-to", "rotation")
    assert result.stdout.startswith("none found.")


def test_doctor_runs_all_tests_after_a_failure(monkeypatch, capsys) -> None:
    def broken(self, p, q) -> float:
        raise OSError("libsomething.so: cannot open")

    monkeypatch.setattr(similitude.measures.MeanCCA, "compare", broken)
    with pytest.raises(SystemExit) as stop:
        main(["doctor"])
    assert stop.value.code == 1
    said = capsys.readouterr().out
    assert "FAILED: OSError: libsomething.so" in said
    assert "Failed: mean_cca." in said
    assert "torch = numpy      ok" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measures", "cak"], "there is no measure 'cak'. Did you mean 'cka'?"),
        (["cite", "cka", "xyz"], "there is no measure 'xyz'. `similitude measures`"),
        (["measures", "--not-to", "rotatoin"], "Did you mean 'rotation'?"),
        (["measures", "cka", "--not-to", "scale"], "got a name and a filter"),
    ],
)
def test_mistakes_give_one_line_and_exit_code_2(
    arguments: list[str], message: str
) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_debug_shows_the_traceback() -> None:
    result = run("measures", "cak", "--debug")
    assert result.returncode == 2
    assert "Traceback" in result.stderr


def test_unexpected_errors_are_reported_as_bugs_with_exit_code_70(
    monkeypatch, capsys
) -> None:
    def broken(name: str) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("similitude.cli._measures._commands.find_measure", broken)
    with pytest.raises(SystemExit) as stop:
        main(["measures", "cka"])
    assert stop.value.code == 70
    error = capsys.readouterr().err
    assert "a bug in similitude (RuntimeError: boom)" in error
    assert "Traceback" not in error


def test_cite_prints_bibtex_entries() -> None:
    result = run("cite", "cka,mutual_knn")
    keys = MEASURES["cka"].refs + MEASURES["mutual_knn"].refs
    assert result.stdout.count("\n@") + 1 == len(keys)
    assert all(f"{{{key}," in result.stdout for key in keys)
    assert run("cite").stdout.strip() == cite(*MEASURES.values())


def test_every_reference_is_in_the_bibliography_and_used() -> None:
    from similitude.measures._cite import _entries

    used = {key for measure in MEASURES.values() for key in measure.refs}
    assert used <= set(_entries())
    # Code other than measures (transforms, topology, ...) cites keys in docstrings.
    source = Path(similitude.__file__).parent
    # The lab cites keys of the same file.
    lab = Path(__file__).parent.parent.parent / "lab" / "src"
    files = [*source.rglob("*.py"), *lab.rglob("*.py"), *lab.rglob("*.toml")]
    text = "".join(path.read_text("utf-8") for path in files)
    assert {key for key in _entries() if key not in text} == set()
    for entry in _entries().values():
        assert entry.count("{") == entry.count("}")
        assert "title" in entry
        assert "year" in entry


def test_cite_takes_names_records_and_keys() -> None:
    entry = cite("mutual_knn")
    assert entry == cite(MEASURES["mutual_knn"]) == cite("huh2024platonic")
    with pytest.raises(InvalidInput, match="there is no measure 'mutal_knn'"):
        cite("mutal_knn")


def test_a_missing_reference_is_an_error(monkeypatch) -> None:
    monkeypatch.setattr(type(MEASURES["rsa"]), "refs", ("nobody1900nothing",))
    with pytest.raises(InvalidInput, match="nobody1900nothing"):
        cite(MEASURES["rsa"])


def test_doctor_passes() -> None:
    result = run("doctor")
    assert result.returncode == 0, result.stdout
    assert result.stdout.rstrip().endswith("All tests passed.")
    assert "torch = numpy      ok" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_doctor_finds_a_wrong_score(monkeypatch, capsys) -> None:
    known = KnownScore([[0], [1]], [[0], [1]], 0.5)
    monkeypatch.setattr(similitude.measures.Procrustes, "known", (known,))
    monkeypatch.setattr(
        similitude.measures.Procrustes, "compare", lambda self, p, q: 0.4999
    )
    with pytest.raises(SystemExit) as stop:
        main(["doctor"])
    assert stop.value.code == 1
    assert "FAILED: 0.4999 instead of 0.5" in capsys.readouterr().out
