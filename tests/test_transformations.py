"""Groups of transformations: implications, names, random elements."""

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.transformations import Group, closure, find_group, sample_element

G = Group


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        ({G.SIGNED_PERMUTATION}, {G.PERMUTATION, G.SIGN}),
        ({G.DIAGONAL}, {G.SIGN, G.COLUMN_SCALE}),
        ({G.LINEAR}, {G.ROTATION, G.DIAGONAL}),
        ({G.ROTATION, G.TRANSLATION}, {G.ROTATION, G.CONSTANT_SHIFT}),
        ({G.SIGN, G.TRANSLATION}, {G.SIGN, G.CONSTANT_SHIFT}),
    ],
)
def test_sets_of_groups_with_equal_closure(
    whole: set[Group], parts: set[Group]
) -> None:
    assert closure(whole) == closure(parts)


def test_closure_does_not_contain_groups_that_are_not_implied() -> None:
    assert G.SIGN not in closure({G.PERMUTATION, G.COLUMN_SCALE, G.TRANSLATION})
    assert G.TRANSLATION not in closure({G.PERMUTATION, G.CONSTANT_SHIFT})
    assert G.ISOTROPIC_SCALE not in closure({G.ROTATION, G.TRANSLATION})


@pytest.mark.parametrize("group", Group)
def test_random_elements_change_rows_and_are_repeatable(group: Group) -> None:
    x = np.random.default_rng(0).normal(size=(9, 6))
    moved = sample_element((group,), 6, np.random.default_rng(1))(x)
    assert np.abs(moved - x).max() > 0.1
    again = sample_element([group.value], 6, np.random.default_rng(1))(x)
    np.testing.assert_array_equal(again, moved)


@pytest.mark.parametrize("word", ["rotation", "Orthogonal", " reflection"])
def test_find_group_accepts_synonyms(word: str) -> None:
    assert find_group(word) is G.ROTATION


def test_find_group_ignores_case_and_separators_and_suggests_names() -> None:
    for group in Group:
        for sign in "- _":
            assert find_group(group.replace("_", sign).upper()) is group
    with pytest.raises(InvalidInput, match="Did you mean 'diagonal'"):
        find_group("diagnoal")
