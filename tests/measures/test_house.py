"""Where measures are, and what their options are called."""

import inspect
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import similitude as sim
from similitude import measures
from similitude._record import listed_values
from similitude.measures import MEASURES, Measure
from similitude.measures._normalize import NORMALIZE

ROOT = Path(measures.__file__).parent
RECORDS = sorted({*map(type, MEASURES.values()), sim.DeconfoundedCKA}, key=str)

# One word for each concept. A new option takes one of these if it means the same.
WORDS = {
    "aggregate": "how many numbers become one",
    "alpha": "a place between two ends, from 0 to 1",
    "batch": "rows at once",
    "by": "what a threshold counts",
    "center": "whether column means are removed",
    "compat": "whose code is repeated",
    "confounder": "what both sides are functions of",
    "cross_validated": "whether held-out rows are scored",
    "degree": "of homology",
    "draws": "number of random draws",
    "estimator": "how a quantity is estimated",
    "folds": "number of folds",
    "form": "scale of the output",
    "fraction": "of the median distance",
    "inner": "dissimilarity of two rows",
    "input_sets": "sets of inputs, or their number",
    "k": "number of neighbors or of places",
    "kernel": "similarity of two rows",
    "metric": "who is near",
    "normalize": "unit of a side",
    "order": "exponent of a norm",
    "outer": "comparison of two sets of dissimilarities",
    "quantile": "level of a quantile",
    "reduce": "how many terms become one",
    "ridge": "penalty",
    "shrinkage": "penalty in units of the variance",
    "sigma": "bandwidth",
    "steps": "number of steps of an iteration",
    "subset_draws": "number of random subsets, where `draws` counts something else",
    "t": "inverse width of a potential",
    "threshold": "share that is kept",
    "variant": "competing definitions",
    "weight": "of a term",
}


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_each_measure_has_a_file_of_its_name(record: type[Measure]) -> None:
    module = sys.modules[record.__module__]
    path = Path(inspect.getfile(record))
    assert path.stem == f"_{record.name}"
    assert path.parent.parent == ROOT
    assert module.__all__ == [record.__name__, record.name]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_options_have_agreed_words(record: type[Measure]) -> None:
    assert {f.name for f in fields(record)} <= WORDS.keys()


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda m: m.name)
def test_family_is_the_folder(measure: Measure) -> None:
    assert measure.family == Path(inspect.getfile(type(measure))).parent.name


def test_family_of_a_third_party() -> None:
    class Other(sim.CKA):
        """Defined here."""

    assert Other().family == "other"


def test_every_family_has_a_title_of_one_line() -> None:
    for family in {m.family for m in MEASURES.values()}:
        title = sys.modules[f"similitude.measures.{family}"].__doc__
        assert title is not None
        assert title.endswith(".")
        assert "\n" not in title


def test_no_folder_has_more_than_15_files() -> None:
    for folder in {path.parent for path in ROOT.rglob("*.py")}:
        assert len(list(folder.glob("*.py"))) <= 15, folder


def test_normalize_has_one_set_of_values() -> None:
    offered = {
        value
        for measure in MEASURES.values()
        for value in listed_values(measure._hints().get("normalize"))
    }
    assert offered == NORMALIZE
