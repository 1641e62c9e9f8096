"""Results folders of 0.1.0, whose cka had the options of all kernels."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude._base import _record
from similitude.engine import _rows
from similitude.measures import CKA, KNN, RBF, Diffusion, Polynomial, as_stored

RNG = np.random.default_rng(0)
REPS = {name: RNG.normal(size=(40, 4)) for name in "abc"}
MEASURES = {
    "cka": CKA(),
    "cka(kernel=rbf, fraction=0.5)": CKA(kernel=RBF(fraction=0.5)),
    "cka(kernel=rbf, form=angular, sigma=2.0)": CKA(
        kernel=RBF(sigma=2.0), form="angular"
    ),
    "cka(kernel=knn, k=5)": CKA(kernel=KNN(k=5)),
    "cka(kernel=diffusion, sigma=1.5, t=3)": CKA(kernel=Diffusion(sigma=1.5, t=3)),
    "mine": CKA(kernel=Polynomial(degree=2)),
}


def new_label(former: str) -> str:
    return former if former == "mine" else MEASURES[former].label


@pytest.fixture
def former_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the options and the labels that 0.1.0 wrote."""
    with monkeypatch.context() as patch:
        flat = {m: m.identity()["options"] for m in MEASURES.values()}
        patch.setattr(CKA, "options", property(lambda measure: flat[measure]))
        patch.setattr("similitude.engine._rows.as_stored", lambda _, *rest: rest)
        patch.setattr("similitude.engine._run_record.as_stored", lambda _, *rest: rest)
        sim.compare(REPS, MEASURES, permutations=0, out=tmp_path / "out")
    _rows._OPTIONS.clear()
    return tmp_path / "out"


def test_former_rows_are_shown_in_the_new_form(former_folder: Path) -> None:
    text = "".join(p.read_text() for p in former_folder.rglob("*.json*"))
    assert '"fraction":0.5' in text.replace(": ", ":")
    found = sim.Results.load(former_folder)
    assert found.measures == tuple(map(new_label, MEASURES))
    for former, measure in MEASURES.items():
        for row in found.rows:
            if row.label == new_label(former):
                assert row.options == measure.options
    assert "cka(kernel=rbf(fraction=0.5)): similarity" in found.table()
    assert "knn(k=5)" in found.sentence()
    assert float(found.matrix("mine")["a", "a"]) == 1.0


def test_former_rows_are_reused(former_folder: Path, monkeypatch) -> None:
    before = sim.Results.load(former_folder)

    def prepare(*_: object) -> None:
        raise AssertionError("a score is computed again")

    monkeypatch.setattr(CKA, "prepare", prepare)
    asked = {new_label(label): measure for label, measure in MEASURES.items()}
    again = sim.compare(REPS, asked, permutations=0, out=former_folder)
    assert [(r.label, r.score, r.job) for r in again.rows] == [
        (r.label, r.score, r.job) for r in before.rows
    ]


def test_the_identity_of_cka_is_that_of_0_1_0() -> None:
    """The hash of each job contains this text."""
    options = CKA(kernel=RBF(fraction=0.5)).identity()["options"]
    assert json.dumps(options, sort_keys=True) == (
        '{"degree": 3, "estimator": "unbiased", "form": "similarity", "fraction": 0.5, '
        '"k": 10, "kernel": "rbf", "sigma": null, "t": 2}'
    )
    identities = {json.dumps(m.identity(), sort_keys=True) for m in MEASURES.values()}
    assert len(identities) == len(MEASURES)
    assert sim.measures.RSA().identity() == sim.measures.RSA().to_json()


@pytest.mark.parametrize(
    "change",
    [{"kernel": "cubic"}, {"kernel": ["rbf"]}, {"k": "many"}, {"form": None}],
    ids=str,
)
def test_options_that_compare_did_not_write_stay_unknown(change: dict) -> None:
    options = CKA(kernel=KNN()).identity()["options"] | change
    assert as_stored("cka", "cka", options) == ("cka", options)
    assert sim.measures.stored_measure("cka", options) is None


def test_each_kernel_is_restored_from_its_text() -> None:
    for kind in sim.measures.Kernel.choices().values():
        for change in kind().options:
            assert change in {f.name for f in dataclasses.fields(kind)}
        measure = CKA(kernel=kind())
        assert CKA(**measure.options) == measure
        assert _record.parse_label(measure.full_label)[0] == "cka"
