"""The record itself: frozen, named, made of JSON scalars."""

import dataclasses
import json

from ..measures import Measure


def check_record(measure: Measure) -> None:
    """A measure is a frozen dataclass that can be written down and read back."""
    record = type(measure)
    assert dataclasses.is_dataclass(measure), f"{record.__name__} is not a dataclass"
    assert record.__dataclass_params__.frozen, "not frozen"  # type: ignore[attr-defined]
    for name, value in measure.options.items():
        assert isinstance(value, str | int | float | bool | None), (
            f"option {name}={value!r} is not a JSON scalar"
        )
    assert record(**json.loads(json.dumps(measure.options))) == measure, (
        f"{measure.label} does not survive being written and read"
    )
    assert hash(measure) == hash(record(**measure.options)), "equal, with other hashes"
    assert measure.name.isidentifier(), f"{measure.name!r} is not a name"
    assert measure.domain in {"points", "outputs", "softmax"}, measure.domain
    assert measure.cost in {"cheap", "moderate", "heavy"}, measure.cost
    assert measure.refs, "there is no reference"
    low, high = measure.claims().range
    assert low < high, f"the range [{low}, {high}] is empty"
