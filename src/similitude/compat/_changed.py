"""The warning that a number differs from the one of the old code."""

import warnings


class ChangedNumber(UserWarning):
    """A call returns another number than the code that it replaces.

    Python shows it once per line of the calling code. To hide it::

        warnings.simplefilter("ignore", similitude.compat.ChangedNumber)
    """


def warn_changed(text: str) -> None:
    """Warn at the line that called the public function."""
    message = f"{text} See docs/from_other_packages.md."
    warnings.warn(message, ChangedNumber, stacklevel=3)
