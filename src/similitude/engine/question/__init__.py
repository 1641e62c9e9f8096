"""The question of a comparison: representations, twins, joined rows, measures."""
