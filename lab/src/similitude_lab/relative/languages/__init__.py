"""Stitching and densification of text classifiers across languages."""
