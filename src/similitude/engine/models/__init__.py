"""Comparisons of models in one pass over data, without storing activations."""
