"""Experiments on the measures of the library."""
