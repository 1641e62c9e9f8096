"""Layers: patterns of names, parts of outputs, and reducers to rows."""
