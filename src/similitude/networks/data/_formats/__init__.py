"""Readers of published file formats. None of them runs code from a file."""
