"""Check what a measure claims: for ours in the tests, for yours in your own.

>>> from similitude import CKA
>>> from similitude.testing import check_measure
>>> check_measure(CKA(estimator="biased"))
"""

import warnings
from collections.abc import Callable

from ..measures import Measure
from ._execution import (
    check_all_pairs,
    check_details,
    check_dtypes,
    check_gradients,
    check_inputs_kept,
    check_libraries,
    check_permute,
    check_seed,
    check_two_steps,
)
from ._hard import check_hard_cases, check_offset_and_scale, check_refusals
from ._invariances import check_invariances
from ._record import check_record
from ._values import (
    check_pairing,
    check_range,
    check_self,
    check_symmetry,
    check_triangle,
)

#: Every check, in the order in which `check_measure` runs them.
CHECKS: tuple[Callable[[Measure], None], ...] = (
    check_record,
    check_range,
    check_self,
    check_symmetry,
    check_pairing,
    check_triangle,
    check_invariances,
    check_two_steps,
    check_seed,
    check_inputs_kept,
    check_all_pairs,
    check_permute,
    check_details,
    check_libraries,
    check_gradients,
    check_dtypes,
    check_hard_cases,
    check_offset_and_scale,
    check_refusals,
)


def check_measure(measure: Measure) -> None:
    """Check every claim of `measure`, and that what it does not claim is not so.

    Range, symmetry, pairing, the triangle inequality, invariances of each argument and
    the absence of all others, agreement of all ways to compute the score, of array
    libraries and of dtypes, gradients, hard cases, refusals. Libraries that are not
    installed are left out.

    Raises
    ------
    AssertionError
        With one line for each check that failed.
    """
    failed = []
    for check in CHECKS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check(measure)
        except Exception as error:
            what = " ".join(str(error).split())
            if not isinstance(error, AssertionError):
                what = f"{type(error).__name__}: {what}"
            failed.append(f"{check.__name__}: {what}")
    if failed:
        lines = "\n  ".join(failed)
        raise AssertionError(f"{measure.label} fails its contract:\n  {lines}")
