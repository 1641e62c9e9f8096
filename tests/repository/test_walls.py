"""Rooms stay within the numbers of the table in CONTRIBUTING.md."""

import re
from pathlib import Path

from repository.lines_of_code import OUTER, ROOT, files, rooms

LONGEST = 300
LINE = re.compile(r"^\| (?:`(\w+)`|(\w[\w ]+)) \| ([\d,]+) \|", re.MULTILINE)


def limits(text: str) -> dict[str, int]:
    """The table under the heading "Walls"."""
    table = text.split("\n## Walls\n")[1].split("\n## ")[0]
    found = {a or b: int(n.replace(",", "")) for a, b, n in LINE.findall(table)}
    assert len(found) == len(LINE.findall(table))
    return found


def beyond(counted: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Rooms and files that are larger than their limits, or have no limit."""
    found = rooms(counted)
    assert found.keys() == allowed.keys()
    return [
        *(f"{r}: {n} of {allowed[r]}" for r, n in found.items() if n > allowed[r]),
        *(f"{name}: {n} of {LONGEST}" for name, n in counted.items() if n > LONGEST),
    ]


def test_rooms_are_within_their_walls() -> None:
    allowed = limits((ROOT / "CONTRIBUTING.md").read_text())
    assert beyond(files(), allowed) == []


def test_walls_of_rooms_leave_little_room() -> None:
    """A wall far above its room would not stop anything."""
    allowed = limits((ROOT / "CONTRIBUTING.md").read_text())
    for room, lines in rooms(files()).items():
        assert allowed[room] <= 1.05 * lines + 40, room
    assert OUTER <= allowed.keys()


def test_a_planted_line_is_noticed(tmp_path: Path) -> None:
    room = tmp_path / "src" / "similitude" / "stats"
    room.mkdir(parents=True)
    file = room / "_null.py"
    file.write_text('"""Text."""\n\n# why\nx = 1\n')
    allowed = {"stats": 1, "library": 1, "core": 1}
    assert beyond(files(tmp_path), allowed) == []
    file.write_text(file.read_text() + "y = 2\n")
    assert beyond(files(tmp_path), allowed) == [
        *("stats: 2 of 1", "library: 2 of 1", "core: 2 of 1")
    ]
    file.write_text("x = 1\n" * 301)
    assert beyond(files(tmp_path), dict.fromkeys(allowed, 400)) == [
        "src/similitude/stats/_null.py: 301 of 300"
    ]
