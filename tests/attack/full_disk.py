"""A disk that becomes full: one line that says what is kept; then the same command.

A limit of the file size stands for the disk: both make a write fail or stop halfway.
"""

import re
import resource
from pathlib import Path

from attack import kills
from attack.command import survived
from attack.forked import forked
from attack.seeds import Silent

SECONDS, ENVIRONMENT = 200, {"OMP_NUM_THREADS": "1"}
ROOM = (0, 3_000, 5_000, 9_000, 20_000, 80_000)
KINDS = ("compare", "compare with workers", "stitch", "store", "report")


def cases(full: bool) -> list[str]:
    if full:
        return [f"{kind} {room}" for kind in KINDS for room in ROOM]
    return ["store 5000", "report 9000"]  # tests of the engine have a full disk


def check(case: str, folder: Path) -> None:
    name, room = case.rsplit(" ", 1)
    expected, *_ = kills.uninterrupted(name, folder)
    out = folder / "out"
    kills.remove(out)
    limit = (int(room), resource.RLIM_INFINITY)
    said = forked(
        *kills.command(name, folder, out),
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    if name == "store" and said.code == 2:  # the ids of the elements that were added
        added = said.out.splitlines()
        assert all(re.fullmatch(r"r\d-[0-9a-f]{12}", line) for line in added), said
        assert not added or f"error: {out}: " in said.err, said
        assert not added or f" {len(added)} of " in said.err, said
        said = said._replace(out="")
    if name == "stitch":  # it says at its start where it writes
        announced, found, rest = said.err.partition(", run the same command again.\n")
        assert not found or "\n" not in announced, said
        assert not found or announced.startswith(f"Cells: {out}; "), said
        said = said._replace(err=rest if found else announced)
    survived(said)
    if said.code == 2:
        assert re.search("File too large|No space left", said.err), said
        if name == "report":
            assert said.err.startswith(f"error: {out}: "), said
            assert not out.exists(), "a part of the page"
        elif name == "store" and not (out / "store.json").exists():
            assert said.err.startswith(f"error: {out / 'store.json'}: "), said
        else:
            assert "kept" in said.err, said
            assert "same command" in said.err, said
    again = forked(*kills.command(name, folder, out))
    assert again.code == 0, again
    if kills.content(name, out) != expected:
        raise Silent("the resumed run gives another table")
