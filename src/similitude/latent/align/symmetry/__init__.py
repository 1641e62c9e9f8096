"""Tests of invariance and isometry: which changes of coordinates matter."""

from ._invariance import InvarianceReport as InvarianceReport
from ._invariance import invariance_report as invariance_report
from ._isometry import IsometryReport as IsometryReport
from ._isometry import isometry_report as isometry_report

__all__ = [name for name in dir() if not name.startswith("_")]
