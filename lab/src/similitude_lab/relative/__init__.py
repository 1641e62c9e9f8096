"""Experiments of "Relative representations: topological and geometric perspectives"."""
