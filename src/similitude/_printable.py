"""Untrusted text, made safe to print on a terminal."""


def printable(text: str, longest: int = 200) -> str:
    """One line of at most `longest` characters; unprintable characters are escaped."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."
