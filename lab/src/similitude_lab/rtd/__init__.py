"""Experiments of "Representation Topology Divergence"."""
