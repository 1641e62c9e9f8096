"""Seeds as reusable values: both sides of a comparison can draw the same rows."""

from typing import Any

import numpy as np

from ..errors import InvalidInput

Rng = int | np.random.Generator | np.random.SeedSequence


def key_of(seed: np.random.SeedSequence) -> int | tuple[tuple[int, ...], ...]:
    """The seed as JSON: its integer, or its entropy words and spawn key."""
    if isinstance(seed.entropy, int) and not seed.spawn_key:
        return seed.entropy
    entropy: Any = seed.entropy
    words = tuple(int(word) for word in np.atleast_1d(entropy))
    return words, tuple(int(word) for word in seed.spawn_key)


def as_seed(rng: Rng) -> np.random.SeedSequence:
    """Convert the `rng` argument to a seed that can be used more than once.

    A generator is advanced by one draw, so a second call gives a different seed. An
    integer or a seed sequence always gives the same seed.
    """
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(2**32, size=4).tolist())
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return np.random.SeedSequence(int(rng))
    raise InvalidInput(
        f"rng must be a non-negative integer, a numpy Generator or a SeedSequence; "
        f"got {rng!r}. No global seed is used: pass rng=0 for a repeatable draw."
    )
