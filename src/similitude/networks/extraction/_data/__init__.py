"""Data as batches, their fingerprints and preprocessing."""
