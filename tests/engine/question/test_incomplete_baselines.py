"""A baseline that some pairs do not have is named, and not asked for again."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import Representation, Results

RNG = np.random.default_rng(0)
SHARED = RNG.normal(size=(40, 4))
ADVICE = "add an untrained twin"


def layers(model: str, count: int, baseline: str | None = None) -> list[Representation]:
    start = f"{model} ({baseline})" if baseline else model
    return [
        Representation(
            f"{start}/{i}",
            SHARED @ RNG.normal(size=(4, 5)) + RNG.normal(size=(40, 5)),
            model=start,
            layer=str(i),
            baseline=baseline,
            twin_of=f"{model}/{i}" if baseline else None,
        )
        for i in range(count)
    ]


MODELS = [*layers("mlp", 3), *layers("gpt", 2)]  # 10 pairs


@pytest.mark.parametrize(
    ("twins", "note"),
    [
        (layers("mlp", 3, "untrained"), "untrained: 3 of 10 pairs; gpt has no twin."),
        (
            layers("mlp", 1, "untrained"),
            "untrained: 0 of 10 pairs; mlp/1, mlp/2, gpt have no twin.",
        ),
        (layers("gpt", 2, "untrained"), "untrained: 1 of 10 pairs; mlp has no twin."),
        (
            [*layers("mlp", 3, "untrained"), *layers("gpt", 1, "untrained")],
            "untrained: 6 of 10 pairs; gpt/1 has no twin.",
        ),
        (layers("mlp", 3, "seed"), "seed: 9 of 10 pairs; gpt has no twin."),
        ([*layers("mlp", 3, "untrained"), *layers("gpt", 2, "untrained")], None),
    ],
)
def test_an_incomplete_baseline_is_named_and_not_asked_for(
    twins: list[Representation], note: str | None, tmp_path: Path
) -> None:
    found = sim.compare([*MODELS, *twins], "cka", out=tmp_path)
    expected = () if note is None else (note,)
    assert found.notes == Results.load(tmp_path).notes == expected
    assert note is None or note in found.table(width=200)
    assert ADVICE not in " ".join(found.table().split())


def test_without_baselines_the_table_asks_for_them() -> None:
    assert ADVICE in " ".join(sim.compare(MODELS, "cka").table().split())


def test_pairs_with_a_reference_are_counted() -> None:
    twins = layers("mlp", 3, "untrained")
    found = sim.compare([*MODELS, *twins], "cka", reference="gpt/0")
    assert found.notes == ("untrained: 0 of 4 pairs; gpt has no twin.",)
