"""Parsing of command-line arguments into names, representations and measures."""
