"""Lists of names on the command line."""


def split(words: list[str]) -> list[str]:
    """Split names at commas; options may also be repeated."""
    return [
        name for word in words for part in word.split(",") if (name := part.strip())
    ]
