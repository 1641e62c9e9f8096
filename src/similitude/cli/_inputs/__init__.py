"""From what people type to names, representations and measures."""
