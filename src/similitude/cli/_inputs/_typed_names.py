"""From what people type to names."""


def split(words: list[str]) -> list[str]:
    """Repeated options and comma-separated ones mean the same."""
    return [
        name for word in words for part in word.split(",") if (name := part.strip())
    ]
