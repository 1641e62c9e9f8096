"""Which encoder is tested with which decoder: models with models, twins with twins."""

from collections.abc import Sequence

from ...errors import InvalidInput, either
from ...representation import Representation

UNTRAINED = "untrained"


def stitched_pairs(
    reps: Sequence[Representation], *, within: bool = False
) -> frozenset[tuple[str, str]]:
    """Pairs of an encoder and the home of a decoder, by name, for `stitching_table`.

    Layers of one model are stitched with each other only if `within`. Twins are a
    baseline: untrained ones are stitched with each other, like the networks; any other
    twin is tested with the decoder of its own network.
    """
    mains = [rep for rep in reps if rep.baseline is None]
    if len(mains) < 2:
        got = f"only {mains[0].name}" if mains else "none"
        raise InvalidInput(f"stitching needs two or more encoders; got {got}.")
    if not within and mains[0].model and len({rep.model for rep in mains}) == 1:
        option = either(python="within=True", shell="--within-models")
        raise InvalidInput(
            f"all encoders are layers of {mains[0].model}; {option} stitches layers of "
            f"one model with each other."
        )
    return frozenset(
        (encoder.name, home.name)
        for encoder in reps
        for home in reps
        if _is_pair(encoder, home, within=within)
    )


def _is_pair(encoder: Representation, home: Representation, *, within: bool) -> bool:
    if home.baseline not in {None, UNTRAINED}:
        return False
    if encoder.baseline not in {None, UNTRAINED}:
        return home.baseline is None and encoder.twin_of in {None, home.name}
    if encoder.baseline != home.baseline:
        return False
    other = encoder.model is None or encoder.model != home.model
    return encoder is home or other or within
