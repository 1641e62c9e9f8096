"""Groups of transformations: what implies what, words for them, random elements."""

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
        ({G.LINEAR}, {G.ORTHOGONAL, G.DIAGONAL}),
        ({G.ORTHOGONAL, G.TRANSLATION}, {G.ORTHOGONAL, G.CONSTANT_SHIFT}),
        ({G.SIGN, G.TRANSLATION}, {G.SIGN, G.CONSTANT_SHIFT}),
    ],
)
def test_these_generate_the_same(whole: set[Group], parts: set[Group]) -> None:
    assert closure(whole) == closure(parts)


def test_what_does_not_follow() -> None:
    assert G.SIGN not in closure({G.PERMUTATION, G.COLUMN_SCALE, G.TRANSLATION})
    assert G.TRANSLATION not in closure({G.PERMUTATION, G.CONSTANT_SHIFT})
    assert G.ISOTROPIC_SCALE not in closure({G.ORTHOGONAL, G.TRANSLATION})


@pytest.mark.parametrize("group", Group)
def test_an_element_moves_rows_and_can_be_drawn_again(group: Group) -> None:
    x = np.random.default_rng(0).normal(size=(9, 6))
    moved = sample_element((group,), 6, np.random.default_rng(1))(x)
    assert np.abs(moved - x).max() > 0.1
    again = sample_element([group.value], 6, np.random.default_rng(1))(x)
    np.testing.assert_array_equal(again, moved)


@pytest.mark.parametrize("word", ["rotation", "Orthogonal", " reflection"])
def test_a_word_is_found(word: str) -> None:
    assert find_group(word) is G.ORTHOGONAL


def test_spelling_of_names_is_forgiven() -> None:
    for group in Group:
        for sign in "- _":
            assert find_group(group.replace("_", sign).upper()) is group
    with pytest.raises(InvalidInput, match="Did you mean 'diagonal'"):
        find_group("diagnoal")
