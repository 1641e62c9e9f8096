"""The random numbers of attacks, from the seed of the run and the name of a case."""

import os
import zlib

import numpy as np

VARIABLE = "SIMILITUDE_ATTACK_SEED"


class Silent(AssertionError):
    """A wrong answer without a word: the worst result of an attack."""


def generator(*names: object) -> np.random.Generator:
    """Another seed (`make attack SEED=7`) gives other damage, moments and sizes."""
    keys = [zlib.crc32(str(name).encode()) for name in names]
    return np.random.default_rng([int(os.environ.get(VARIABLE, "0")), *keys])


def flipped(whole: bytes, rng: np.random.Generator) -> bytes:
    """One changed bit, or one changed byte."""
    changed = bytearray(whole)
    byte = rng.integers(1, 256) if rng.integers(4) == 0 else 1 << rng.integers(8)
    changed[rng.integers(len(whole))] ^= int(byte)
    return bytes(changed)
