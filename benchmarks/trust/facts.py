"""Identities between measures, and conventions in which packages differ."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One sentence with its numbers, and whether it holds."""

    text: str
    holds: bool = True


def facts() -> dict[str, list[Fact]]:
    """By title of the section; each is computed when the page is written."""
    return {}
