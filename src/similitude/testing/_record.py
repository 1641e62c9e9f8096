"""Checks of the record: a frozen dataclass with a name, JSON options and claims."""

import dataclasses
import json
import typing
from typing import Any

from ..errors import InvalidInput
from ..measures import MEASURES, Claims, Measure
from ..transformations import Group, closure


def check_record(measure: Measure) -> None:
    """A measure is a frozen dataclass that can be saved as JSON and restored."""
    record = type(measure)
    params = getattr(record, "__dataclass_params__", None)
    assert params is not None, f"{record.__name__} is not a dataclass"
    assert params.frozen, f"{record.__name__} is not frozen"
    _check_class_data(measure)
    _check_options(measure)
    _check_claims(measure.claims())


def _check_class_data(measure: Measure) -> None:
    assert measure.name.isidentifier(), f"name: {measure.name!r} is not an identifier"
    registered = MEASURES.get(measure.name)
    assert registered is None or type(registered) is type(measure), (
        f"name: {measure.name!r} is the name of another measure"
    )
    assert measure.domain in {"points", "outputs", "softmax"}, (
        f"domain: {measure.domain}"
    )
    assert measure.cost in {"cheap", "moderate", "heavy"}, f"cost: {measure.cost}"
    assert isinstance(measure.extra, str | None), f"extra: {measure.extra!r}"
    refs, version = measure.refs, measure.version
    assert isinstance(refs, tuple), f"refs: {refs!r} is not a tuple"
    assert refs, "refs: empty; give at least one reference"
    assert all(isinstance(key, str) for key in refs), f"refs: {refs!r}"
    assert isinstance(version, int), f"version: {version!r} is not an integer"
    assert version >= 1, f"version: {version!r} is below 1"


def _check_options(measure: Measure) -> None:
    record = type(measure)
    fields = {f.name for f in dataclasses.fields(measure)}
    declared = {
        name
        for name, hint in vars(record).get("__annotations__", {}).items()
        if "ClassVar" not in str(hint)
    }
    assert declared <= fields, (
        f"{sorted(declared - fields)} are annotated, but not options: decorate "
        f"{record.__name__} with @dataclass(frozen=True, kw_only=True)"
    )
    positional = [f.name for f in dataclasses.fields(measure) if not f.kw_only]
    assert not positional, f"{positional} are positional: decorate with kw_only=True"
    for name, value in measure.options.items():
        assert isinstance(value, str | int | float | bool | None), (
            f"option {name}={value!r} is not a JSON scalar"
        )
    written = json.dumps(measure.options, allow_nan=False)
    restored = record(**json.loads(written))
    assert restored == measure, f"{measure.label} changes when saved and restored"
    assert hash(restored) == hash(measure), "equal records have different hashes"
    for name, hint in typing.get_type_hints(record).items():
        if typing.get_origin(hint) is typing.Literal and name in fields:
            _check_refused(measure, name)


def _check_refused(measure: Measure, option: str) -> None:
    try:
        dataclasses.replace(measure, **{option: "no such thing"})
    except InvalidInput:
        return
    raise AssertionError(f"{option}='no such thing' is not refused")


def _check_claims(claims: Any) -> None:
    assert isinstance(claims, Claims), f"claims() returns {type(claims).__name__}"
    assert claims.kind in {"similarity", "distance", "divergence"}, (
        f"kind: {claims.kind}"
    )
    low, high = claims.range
    assert low < high, f"range: [{low}, {high}] is empty"
    for name in ("symmetric", "paired", "stochastic", "differentiable"):
        value = getattr(claims, name)
        assert isinstance(value, bool), f"{name}: {value!r} is not True or False"
    assert claims.triangle in {True, False, None}, f"triangle: {claims.triangle!r}"
    assert isinstance(claims.chance, str | None), f"chance: {claims.chance!r}"
    for name in ("invariant_x", "invariant_y"):
        groups = getattr(claims, name)
        assert isinstance(groups, frozenset), f"{name}: {groups!r} is not a frozenset"
        assert all(isinstance(group, Group) for group in groups), f"{name}: {groups}"
        for group in groups:
            rest = closure(groups - {group})
            assert group not in rest, f"{name}: {group} follows from the others"
