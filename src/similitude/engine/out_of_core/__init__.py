"""Scores of representations that do not fit into the memory budget."""
