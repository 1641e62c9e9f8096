"""The errors a caller meets, and nothing else.

Every message names the argument, says what was received and what to do about it.
"""


class SimilitudeError(Exception):
    """Base of every error raised on purpose by this package."""


class InvalidInput(SimilitudeError, ValueError):
    """The question is malformed: wrong shape, non-finite values, an unknown option."""


class Undefined(SimilitudeError, ArithmeticError):
    """The question is well-formed, but the quantity does not exist for these data.

    For instance the correlation with a constant, or canonical correlations of two
    representations whose ranks leave no room for anything but perfect fits.
    """


class MissingExtra(SimilitudeError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional dependency: pip install 'similitude[{extra}]'"
        )
