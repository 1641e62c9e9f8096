"""References: a representation, a model, or the first or last step of training."""

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation

RNG = np.random.default_rng(0)


def rep(model: str, layer: str, step: int | None = None) -> Representation:
    name = f"{model}/{layer}" if step is None else f"{model}/{layer}@{step}"
    values = RNG.normal(size=(20, 3))
    return Representation(name, values, model=model, layer=layer, step=step)


def pairs(reps, reference: str) -> set[frozenset[str]]:
    rows = sim.compare(reps, "cka", reference=reference, permutations=0).rows
    return {frozenset((row.a, row.b)) for row in rows}


def test_a_model_is_compared_layer_by_layer() -> None:
    reps = [rep(m, layer) for m in ("int8", "fp32", "bf16") for layer in ("1", "2")]
    reps.append(rep("bf16", "extra"))
    assert pairs(reps, "fp32") == {
        frozenset(("fp32/1", "int8/1")), frozenset(("fp32/2", "int8/2")),
        frozenset(("fp32/1", "bf16/1")), frozenset(("fp32/2", "bf16/2")),
    }  # fmt: skip


def test_the_name_of_a_representation_comes_first() -> None:
    reps = [Representation(name, RNG.normal(size=(20, 3))) for name in ("a", "b", "c")]
    reps.append(rep("a", "1"))
    assert pairs(reps, "a") == {frozenset(("a", x)) for x in ("b", "c", "a/1")}


@pytest.mark.parametrize(("reference", "end"), [("first", 0), ("last", 20)])
def test_each_step_is_compared_with_the_same_layer_at_one_end(reference, end) -> None:
    reps = [rep(m, "fc", s) for m in ("a", "b") for s in (10, 0, 20)]
    others = {0, 10, 20} - {end}
    assert pairs(reps, reference) == {
        frozenset((f"{m}/fc@{end}", f"{m}/fc@{s}")) for m in ("a", "b") for s in others
    }


def test_models_with_steps_are_compared_at_equal_steps() -> None:
    reps = [rep(m, "fc", s) for m in ("a", "b") for s in (0, 10)]
    assert pairs(reps, "a") == {frozenset((f"a/fc@{s}", f"b/fc@{s}")) for s in (0, 10)}


def test_unknown_references_list_models_and_steps() -> None:
    reps = [rep("a", "fc", 0), rep("a", "fc", 1)]
    with pytest.raises(InvalidInput, match="not among a/fc@0, a/fc@1, a, first, last"):
        pairs(reps, "b")
    with pytest.raises(InvalidInput, match="no other representation has one of its"):
        pairs([rep("a", "1"), rep("b", "2")], "a")


def test_scores_within_classes_have_the_same_reference() -> None:
    reps = [rep(m, layer) for m in ("a", "b") for layer in ("1", "2")]
    classes = np.repeat([0, 1], 10)
    found = sim.compare(reps, "cka", reference="a", within=classes, permutations=0)
    assert {(row.a, row.b) for row in found.rows} == {("a/1", "b/1"), ("a/2", "b/2")}
