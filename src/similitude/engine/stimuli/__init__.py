"""Scores of single stimuli of one pair, and groups of stimuli that differ."""

from ._groups import Group as Group
from ._groups import groups_of as groups_of
from ._list import Stimuli as Stimuli
from ._list import list_stimuli as list_stimuli
from ._list import measure_of as measure_of
from ._sources import find_sources as find_sources
from ._text import alike_words as alike_words
from ._text import moved_words as moved_words

__all__ = [name for name in dir() if not name.startswith("_")]
