"""The files of measures, and the names of their options."""

import inspect
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import similitude as sim
from similitude import measures
from similitude._base._record import Record, listed_values
from similitude.measures import MEASURES, Measure
from similitude.measures._normalize import NORMALIZE

ROOT = Path(measures.__file__).parent
RECORDS = sorted({*map(type, MEASURES.values()), sim.measures.DeconfoundedCKA}, key=str)

# One name for each concept. A new option with the same meaning uses the same name.
OPTION_NAMES = {
    "aggregate": "how several numbers are reduced to one",
    "alpha": "position between two extremes, from 0 to 1",
    "batch": "number of rows in a batch",
    "by": "quantity that a threshold refers to",
    "center": "whether column means are removed",
    "compat": "implementation that is reproduced",
    "confounder": "array that both sides depend on",
    "cross_validated": "whether held-out rows are scored",
    "degree": "degree of homology",
    "draws": "number of random draws",
    "estimator": "how a quantity is estimated",
    "folds": "number of folds",
    "form": "scale of the output",
    "fraction": "fraction of the median distance",
    "inner": "dissimilarity of two rows",
    "input_sets": "sets of inputs, or their number",
    "k": "number of neighbors or of places",
    "kernel": "similarity of two rows",
    "mass": "share of the units that is matched",
    "metric": "metric that defines neighbors",
    "normalize": "unit in which a side is compared",
    "order": "exponent of a norm",
    "outer": "comparison of two sets of dissimilarities",
    "quantile": "level of a quantile",
    "query_rows": "number of rows whose neighbors are compared",
    "reduce": "how several terms are reduced to one",
    "ridge": "penalty",
    "shrinkage": "penalty in units of the variance",
    "sigma": "bandwidth",
    "steps": "number of steps of an iteration",
    "subset_draws": "number of random subsets, if `draws` counts something else",
    "t": "inverse width of a potential, or steps of a diffusion",
    "threshold": "share that is kept",
    "variant": "competing definitions",
    "weight": "weight of a term",
}


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_each_measure_is_in_the_file_with_its_name(record: type[Measure]) -> None:
    module = sys.modules[record.__module__]
    path = Path(inspect.getfile(record))
    assert path.stem == f"_{record.name}"
    assert path.parent.parent == ROOT
    assert module.__all__ == [record.__name__, record.name]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_option_names_are_in_the_common_list(record: type[Measure]) -> None:
    records = [record]
    for hint in record._hints().values():
        records += [type(v) for v in listed_values(hint) if isinstance(v, Record)]
    assert {f.name for r in records for f in fields(r)} <= OPTION_NAMES.keys()


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda m: m.name)
def test_family_is_the_folder(measure: Measure) -> None:
    assert measure.family == Path(inspect.getfile(type(measure))).parent.name


def test_family_of_a_third_party_measure_is_other() -> None:
    class Other(sim.measures.CKA):
        """Defined here."""

    assert Other().family == "other"


def test_every_family_has_a_one_line_title() -> None:
    for family in {m.family for m in MEASURES.values()}:
        title = sys.modules[f"similitude.measures.{family}"].__doc__
        assert title is not None
        assert title.endswith(".")
        assert "\n" not in title


def test_no_folder_has_more_than_15_files() -> None:
    for folder in {path.parent for path in ROOT.rglob("*.py")}:
        assert len(list(folder.glob("*.py"))) <= 15, folder


def test_measures_share_one_set_of_normalize_values() -> None:
    offered = {
        value
        for measure in MEASURES.values()
        for value in listed_values(measure._hints().get("normalize"))
    }
    assert offered == NORMALIZE
