"""Cells that fail, baselines, layers of one model, and the default folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.command import run
from latent.stitching.spaces import DATA, LABELS, X, planted
from similitude import Representation
from similitude.errors import InvalidInput
from similitude.latent import align
from similitude.latent.stitching import (
    StitchingTable,
    stitch_all,
    stitched_pairs,
    stitching_table,
)
from similitude.store import open_store


def planted_failure(error: BaseException) -> Any:
    """A map that fails for the anchors of encoder "one"."""
    failing = planted(("rotation",))["one"].anchors

    def fit(x: Any, y: Any) -> Any:
        if np.asarray(x).shape == failing.shape and (x == failing).all():
            raise error
        return align.fit_affine(x, y)

    return fit


@pytest.mark.parametrize(
    "error", [np.linalg.LinAlgError("SVD did not converge"), RuntimeError("planted")]
)
def test_a_failing_cell_is_named_and_the_others_are_computed(
    error: Exception, tmp_path: Path
) -> None:
    spaces = planted(("rotation",))
    arguments = (spaces, None, DATA, {"planted": planted_failure(error)}, [0])
    table = stitching_table(*arguments, out=tmp_path)
    failed = [cell for cell in table.cells if cell.status != "ok"]
    assert {(c.encoder, c.transform, c.status) for c in failed} == {
        ("one", "planted", "failed")
    }
    assert len(failed) == 2
    assert len(table.cells) == 12
    said = " ".join(str(table).split())
    assert "2 of 12 cells have no score" in said
    assert f"(one -> one, one -> two): {type(error).__name__}: {error}" in said
    assert str(StitchingTable.load(tmp_path)) == str(table)


def test_failed_cells_are_computed_again_and_undefined_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaces = planted(("rotation",))
    arguments = (spaces, None, DATA, ["affine"], [0])
    whole = stitching_table(*arguments)
    with monkeypatch.context() as patch:
        patch.setattr("scipy.optimize.minimize", fails)
        broken = stitching_table(*arguments, out=tmp_path)
        assert {cell.status for cell in broken.cells} == {"failed"}
    again = stitching_table(*arguments, out=tmp_path)
    assert str(again) == str(whole)
    assert StitchingTable.load(tmp_path).cells == again.cells


def fails(*arguments: Any, **options: Any) -> None:
    raise FloatingPointError("planted")


@pytest.mark.parametrize("error", [MemoryError("8 GiB"), OSError(28, "No space")])
def test_running_out_of_memory_is_not_a_cell(error: Exception, tmp_path: Path) -> None:
    arguments = (
        planted(("rotation",)),
        None,
        DATA,
        {"planted": planted_failure(error)},
        [0],
    )
    with pytest.raises(type(error)):
        stitching_table(*arguments, out=tmp_path)
    assert all(cell.status == "ok" for cell in StitchingTable.load(tmp_path).cells)


def representations(*, twins: bool = True) -> list[Representation]:
    rng = np.random.default_rng(5)
    found = []
    for model in ("m", "n"):
        for layer in ("1", "2"):
            rows = X @ rng.normal(size=(X.shape[1], 8))
            name = f"{model}/{layer}"
            found.append(Representation(name, rows, model=model, layer=layer))
            if twins:
                noise = rng.normal(size=(len(X), 8))
                found.append(
                    Representation(
                        f"{name} (untrained)",
                        noise,
                        model=model,
                        layer=layer,
                        baseline="untrained",
                        twin_of=name,
                    )
                )
    return found


def test_pairs_omit_layers_of_one_model_and_separate_twins() -> None:
    reps = representations()
    reps.append(
        Representation("m/1 (seed)", X, model="m", baseline="seed", twin_of="m/1")
    )
    pairs = stitched_pairs(reps)
    names = {rep.name for rep in reps if rep.baseline is None}
    assert {(e, d) for e, d in pairs if e in names} == {
        (e, d) for e in names for d in names if e == d or e[0] != d[0]
    }
    twins = {f"{name} (untrained)" for name in names}
    assert {(e, d) for e, d in pairs if e in twins} == {
        (f"{e} (untrained)", f"{d} (untrained)") for e, d in pairs if {e, d} <= names
    }
    assert {(e, d) for e, d in pairs if e == "m/1 (seed)"} == {("m/1 (seed)", "m/1")}
    within = stitched_pairs(reps, within=True)
    assert {(e, d) for e, d in within if e in names} == {
        (e, d) for e in names for d in names
    }


def test_layers_of_one_model_alone_are_refused() -> None:
    reps = [rep for rep in representations(twins=False) if rep.model == "m"]
    with pytest.raises(InvalidInput, match="all encoders are layers of m; within=True"):
        stitched_pairs(reps)
    with pytest.raises(InvalidInput, match="needs two or more encoders"):
        stitched_pairs(reps[:1])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    opened = open_store("reps", create=True)
    for rep in representations():
        opened.put(rep)
    np.save("labels.npy", LABELS)
    return tmp_path


OPTIONS = ("--labels", "labels.npy", "--seeds", "0", "-t", "cosine")


def test_twins_in_a_store_are_a_baseline(store: Path, capsys) -> None:
    said = run(capsys, "latent", "stitch", "reps", *OPTIONS, "-o", "cells")
    assert said.code == 0, said.err
    assert said.out.startswith("4 encoders, 4 decoders, ")
    assert "(untrained)" not in said.out
    words = " ".join(said.out.split())
    assert "Baselines: mean accuracy of stitched encoders" in words
    found = run(capsys, "show", "cells", "--json")
    document = json.loads(found.out)
    assert {row["encoder"] for row in document["rows"]} == {"m/1", "m/2", "n/1", "n/2"}
    # 4 homes and 8 pairs of different models, three transforms
    assert len(document["rows"]) == 12 * 3
    baseline = document["baselines"]["untrained"]
    assert len(baseline["rows"]) == 12 * 3
    trained = np.mean(
        [r["accuracy"] for r in document["rows"] if r["encoder"] != r["home"]]
    )
    stitched = [value["stitched"] for value in baseline["overall"].values()]
    assert np.mean(stitched) < trained
    assert run(capsys, "show", "cells").out == said.out


def test_layers_of_one_model_are_stitched_if_asked(store: Path, capsys) -> None:
    arguments = ("latent", "stitch", "reps", *OPTIONS, "--json", "-o", "cells")
    some = json.loads(run(capsys, *arguments).out)
    every = json.loads(run(capsys, *arguments, "--within-models").out)
    assert len(every["rows"]) == 16 * 3
    pairs = {(row["encoder"], row["decoder"]) for row in some["rows"]}
    assert ("m/1", "m/2") not in pairs


def test_results_go_to_a_folder_that_is_announced_first(store: Path, capsys) -> None:
    said = run(capsys, "latent", "stitch", "reps", *OPTIONS)
    first = said.err.splitlines()[0]
    assert first == (
        "Cells: similitude-stitching; to resume after an interruption, run the same "
        "command again."
    )
    assert run(capsys, "show", "similitude-stitching").out == said.out


def test_a_failed_cell_gives_exit_code_3(
    store: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scipy.optimize.minimize", fails)
    said = run(capsys, "latent", "stitch", "reps", *OPTIONS)
    assert said.code == 3
    assert "FloatingPointError: planted" in " ".join(said.out.split())


def test_rows_and_columns_have_one_order_and_omitted_pairs_are_explained() -> None:
    spaces = planted(("rotation",)) | {"three": planted(("sign",))["two"]}
    pairs = {(a, a) for a in spaces} | {("two", "one"), ("three", "two")}
    table = stitching_table(spaces, None, DATA, [], [0], pairs=pairs)
    assert table.encoders == ["one", "two", "three"]
    assert "Pairs that were not stitched, as layers of one model, are empty." in str(
        table
    )
    whole = stitching_table(spaces, None, DATA, [], [0])
    assert "not stitched" not in str(whole)


def test_one_call_equals_the_shell(store: Path, capsys) -> None:
    said = run(capsys, "latent", "stitch", "reps", *OPTIONS, "--json", "-o", "cells")
    spaces: Any
    for spaces in ("reps", open_store("reps").select()):
        table = stitch_all(spaces, LABELS, ["cosine"], seeds=[0], progress=None)
        assert json.loads(json.dumps(table.to_dict())) == json.loads(said.out)
    arrays = {rep.name: rep.load() for rep in representations(twins=False)}
    classes = np.array(["a", "b", "c", "d"])[LABELS % 4]
    table = stitch_all(arrays, classes, seeds=[0], anchors=8, progress=None)
    assert {cell.transform for cell in table.cells} == {
        *("absolute", "procrustes", "cosine", "robust")
    }
    assert len(table.cells) == 16 * 4  # arrays without models are all combined


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (LABELS + 0.5, {}, "labels: 0.5 is not a class; use integers"),
        (LABELS, {"test": 2.0}, "test=2.0: give a share of rows"),
        (LABELS[1:], {}, "the same stimuli everywhere"),
    ],
)
def test_one_call_refuses_wrong_labels_and_shares(
    labels: Any, options: dict[str, Any], message: str
) -> None:
    arrays = {rep.name: rep.load() for rep in representations(twins=False)}
    with pytest.raises(InvalidInput, match=message):
        stitch_all(arrays, labels, progress=None, **options)
