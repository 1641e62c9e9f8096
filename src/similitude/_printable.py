"""Text of others, as a terminal can show it."""


def printable(text: str, longest: int = 200) -> str:
    """One line that a terminal can show: the rest as escapes, and no more than fits."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."
