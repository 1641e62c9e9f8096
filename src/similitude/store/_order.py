"""The order of layers: as they run if the store knows it, otherwise by name."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from .._base._natural import natural, natural_layer
from ..representation import Representation

_Key = TypeVar("_Key")


class Places:
    """The place of each element in a forward pass: empty files `order/PLACE-ID`."""

    def __init__(self, store: Path) -> None:
        self._folder = store / "order"

    def read(self) -> dict[str, int]:
        names = self._folder.iterdir() if self._folder.is_dir() else ()
        found = [re.fullmatch(r"([0-9]{1,9})-(.+)", path.name) for path in names]
        places = sorted(((int(m[1]), m[2]) for m in found if m), reverse=True)
        return {element: place for place, element in places}

    def write(self, places: Mapping[str, int]) -> None:
        """Set the places of these elements, and keep those of others."""
        known = self.read()
        for element, place in places.items():
            if known.get(element) != place:
                self.remove(element)
                self._folder.mkdir(exist_ok=True)
                (self._folder / f"{place:06d}-{element}").touch()

    def remove(self, element: str) -> None:
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name.partition("-")[2] == element:
                    path.unlink(missing_ok=True)


def in_order(
    found: Iterable[tuple[_Key, Representation]], places: Mapping[_Key, int]
) -> list[tuple[_Key, Representation]]:
    """Elements by model, layer and step.

    The layers of a model are in running order if the place of each of them is known,
    otherwise in natural order.
    """
    listed, known = list(found), dict[str | None, dict[str, int | None]]()
    for key, rep in listed:
        own = known.setdefault(rep.model, {})
        given = [p for p in (own.get(_layer(rep)), places.get(key)) if p is not None]
        own[_layer(rep)] = min(given, default=None)

    def place(item: tuple[_Key, Representation]) -> tuple[object, ...]:
        rep, own = item[1], known[item[1].model]
        runs = None not in own.values()
        first = own[_layer(rep)] if runs else 0
        step = rep.step or 0
        return natural(rep.model or ""), first, natural_layer(_layer(rep)), step

    return sorted(listed, key=place)


def _layer(rep: Representation) -> str:
    return rep.name if rep.layer is None else rep.layer
