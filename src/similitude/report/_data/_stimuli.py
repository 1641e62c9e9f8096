"""The stimuli of one pair, for the page."""

import base64
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...engine import Stimuli
from ...engine.stimuli import alike_words, moved_words
from ._items import shown

LOWEST, HIGHEST = 20, 5  # rows of the table
_ALPHA = 0.05
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_SIDE = 56  # pixels of a thumbnail


def stimuli_of(found: Stimuli | None) -> dict[str, Any]:
    """The table, both questions, groups, and the neighbors of each stimulus."""
    if found is None:
        return {}
    order = found.order.tolist()
    table = order[:LOWEST] + order[LOWEST:][-HIGHEST:]
    group = [-1] * len(found)
    for g in reversed(range(len(found.groups))):
        for row in found.groups[g].members:
            group[row] = g
    examples = [row for one in found.groups for row in one.members[:5]]
    near = [view.neighbors[i].tolist() for view in found.views for i in table]
    wanted = [*table, *examples, *(row for rows in near for row in rows)]
    pictures = _pictures(found, dict.fromkeys(wanted))
    return {
        "pair": [shown(found.a), shown(found.b)],
        "measure": found.measure,
        "count": len(found),
        "lowest": min(LOWEST, len(found)),
        "table": table,
        "ids": [shown(str(name)) for name in found.ids],
        "texts": [_text(found, i, pictures) for i in range(len(found))],
        "scores": [float(score) for score in found.scores],
        "chance": None if found.alike is None else found.alike.chance.tolist(),
        "moved": None if found.moved is None else found.moved.q.tolist(),
        "words": [alike_words(found, _ALPHA), moved_words(found, _ALPHA)],
        "group": group,
        "groups": [
            {
                "near": shown(one.near),
                "far": shown(one.far),
                "size": one.size,
                "score": one.score,
                "examples": list(one.members[:5]),
            }
            for one in found.groups
        ],
        "views": [
            {
                "neighbors": view.neighbors.tolist(),
                "x": view.places[:, 0].tolist(),
                "y": view.places[:, 1].tolist(),
            }
            for view in found.views
        ],
        "pictures": pictures,
    }


def _text(found: Stimuli, i: int, pictures: Mapping[int, str]) -> str:
    """The facts about a stimulus, without the path of a picture that is shown."""
    entries = [str(values[i]) for values in found.fields.values()]
    texts = [one for one in entries if i not in pictures or not _is_image(one)]
    return shown(", ".join(texts))


def _is_image(path: str) -> bool:
    return path.lower().endswith(_IMAGES)


def _pictures(found: Stimuli, rows: Iterable[int]) -> dict[int, str]:
    """Small copies of the image files that a field names, as data addresses."""
    columns = [values for values in found.fields.values() if _is_image(str(values[0]))]
    if not columns:
        return {}
    try:
        from PIL import Image
    except ImportError:  # the extra "images"; paths are shown as texts
        return {}
    made = {}
    for row in rows:
        path = Path(str(columns[0][row]))
        try:
            with Image.open(path) as image:
                image.thumbnail((_SIDE, _SIDE))
                file = io.BytesIO()
                image.convert("RGB").save(file, "JPEG", quality=80)
        except (OSError, ValueError, Image.DecompressionBombError):
            continue  # its path is shown
        code = base64.b64encode(file.getvalue()).decode()
        made[row] = f"data:image/jpeg;base64,{code}"
    return made
