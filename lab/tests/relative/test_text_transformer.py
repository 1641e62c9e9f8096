"""The transformer for texts: padding, seeds and limits."""

import numpy as np
import pytest
import torch

from similitude import InvalidInput
from similitude_lab.relative.languages._text_transformer import TextTransformer


def rows(ids: list[list[int]], **options: int) -> np.ndarray:
    encoder = TextTransformer(20, 6, width=8, heads=2, **options).eval()
    with torch.no_grad():
        return encoder(torch.tensor(ids)).numpy()


def test_padding_and_other_texts_do_not_change_the_row_of_a_text() -> None:
    alone = rows([[3, 7]])
    padded = rows([[3, 7, 0, 0, 0, 0], [4, 5, 6, 7, 8, 9]])
    np.testing.assert_allclose(padded[0], alone[0], atol=1e-5)


def test_the_order_of_words_matters() -> None:
    assert np.abs(rows([[3, 7]]) - rows([[7, 3]])).max() > 1e-3


def test_a_text_without_words_has_a_finite_row() -> None:
    found = rows([[0, 0, 0], [3, 7, 0]])
    assert np.isfinite(found).all()
    assert np.abs(found[0] - found[1]).max() > 1e-3


def test_the_seed_decides_on_the_weights_and_the_global_state_stays() -> None:
    before = torch.random.get_rng_state()
    first, again, other = (rows([[3, 7]], seed=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(torch.random.get_rng_state(), before)
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3


def test_texts_that_are_too_long_and_widths_that_do_not_divide_raise() -> None:
    with pytest.raises(InvalidInput, match="7 tokens, but this network takes 6"):
        rows([[1] * 7])
    with pytest.raises(InvalidInput, match="give a multiple"):
        TextTransformer(20, 6, width=9, heads=2)
