"""Experiments of "Challenges in explaining representational similarity"."""
