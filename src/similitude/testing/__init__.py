"""Contract tests for measures, also for measures outside this package.

>>> from similitude.measures import CKA
>>> from similitude.testing import check_measure
>>> check_measure(CKA(estimator="biased"))
"""

import traceback
import warnings
from collections.abc import Callable

from ..measures import Measure
from . import (
    _arrays,
    _devices,
    _execution,
    _gradients,
    _hard,
    _invariances,
    _record,
    _stimuli,
    _values,
)

__all__ = ["CHECKS", "check_measure", "failures"]

#: Every check, in the order in which `check_measure` runs them.
CHECKS: tuple[Callable[[Measure], None], ...] = (
    *(_record.check_record, _arrays.check_inputs_kept, _execution.check_two_steps),
    *(_execution.check_seed, _values.check_range, _values.check_self),
    *(_values.check_symmetry, _values.check_pairing, _values.check_triangle),
    *(_invariances.check_invariances, _execution.check_all_pairs),
    *(_execution.check_leave_out, _execution.check_permute, _execution.check_null),
    *(_execution.check_null_moments, _stimuli.check_per_stimulus),
    *(_arrays.check_details, _arrays.check_libraries, _devices.check_device),
    *(_gradients.check_gradients, _arrays.check_dtypes, _hard.check_hard_cases),
    *(_hard.check_offset_and_scale, _hard.check_refusals),
)


def check_measure(measure: Measure) -> None:
    """Check all claims of `measure`; invariances that are not claimed must fail.

    The checks cover range, symmetry, pairing, the triangle inequality, and the
    invariances of each argument (for softmax models: parts of model equivalence). All
    ways to compute the score, all array libraries and all dtypes must agree. Gradients,
    hard cases and invalid inputs are checked too. torch and array-api-strict are used
    if they are installed; gradients need torch.

    Raises
    ------
    AssertionError
        One line per failed check.
    """
    if not isinstance(measure, Measure):
        raise AssertionError(f"pass an instance of Measure; got {measure!r}")
    failed = failures(measure, CHECKS[:1])  # the other checks need a valid record
    if not failed:
        failed = failures(measure, CHECKS[1:])
    if failed:
        lines = "\n  ".join(failed)
        raise AssertionError(f"{type(measure).__name__} fails its contract:\n  {lines}")


def failures(
    measure: Measure, checks: tuple[Callable[[Measure], None], ...]
) -> list[str]:
    """One line per failed check; checks with equal messages share a line."""
    found: dict[str, list[str]] = {}
    for check in checks:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check(measure)
        except Exception as error:
            found.setdefault(_message(error), []).append(check.__name__)
    return [f"{', '.join(names)}: {message}" for message, names in found.items()]


def _message(error: Exception) -> str:
    message = " ".join(str(error).split())
    if isinstance(error, AssertionError):
        return message
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {message} ({last.filename}:{last.lineno})"
