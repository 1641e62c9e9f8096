"""The floor of the package: arrays, seeds, settings, records, text, workers, checks."""
