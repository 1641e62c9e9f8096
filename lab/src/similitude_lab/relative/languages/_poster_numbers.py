"""The accuracies of the poster as checks of our transformer."""

from collections.abc import Mapping

from ...study import Number
from .._poster_cells import LANGUAGES as CELLS
from .._poster_cells import cell


def poster_numbers(arms: Mapping[str, str]) -> tuple[Number, ...]:
    """One check for each cell of each arm; they need the encoders of the poster.

    `arms` maps our name of an arm to that of the poster.
    """
    return tuple(
        Number(
            f"accuracy_transformer_{ours}_{decoder}_{encoder}",
            cell(decoder, encoder, theirs).best[0][0],
            2.0,
            where="the poster's tables",
            scales=("paper",),
            given="poster_encoders",
            missing="the poster's pretrained encoders of English and French are not at "
            "hand",
        )
        for ours, theirs in arms.items()
        for decoder, encoder in CELLS
    )
