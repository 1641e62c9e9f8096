"""Every test starts without figures and closes its own."""

from plots.conftest import _closed_figures as _closed_figures
