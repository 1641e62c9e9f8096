"""Printed text as words and numbers: words are compared exactly, numbers roughly."""

import re

import numpy as np

NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def words_and_numbers(text: str) -> tuple[list[str], list[float]]:
    numbers = [float(found.replace(",", "")) for found in NUMBER.findall(text)]
    return NUMBER.sub("#", text).split(), numbers


def assert_same_text(text: str, expected: str) -> None:
    """Equal words, and numbers that are close: processors round differently."""
    words, numbers = words_and_numbers(text)
    expected_words, expected_numbers = words_and_numbers(expected)
    assert words == expected_words
    np.testing.assert_allclose(numbers, expected_numbers, rtol=0.1, atol=0.05)
