"""The models of a comparison, and the twins that are their baselines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidInput
from ...representation import Representation
from ..extraction import StreamedBatch, StreamedLayer, fresh_twin

TWIN_SEED = 1000  # of the first untrained twin

Twins = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Member:
    """A model, or the twin of the model `name` for a baseline."""

    model: Any
    name: str
    baseline: str | None = None

    @property
    def key(self) -> str:
        return self.name if self.baseline is None else f"{self.name} ({self.baseline})"

    def representation(
        self, layer: StreamedLayer, values: Any, rows: StreamedBatch
    ) -> Representation:
        name = f"{self.name}/{layer.layer.lstrip('/')}" if layer.layer else self.name
        return Representation(
            name if self.baseline is None else f"{name} ({self.baseline})",
            values,
            ids=rows.ids,
            blocks=rows.blocks,
            model=self.name,
            layer=layer.layer,
            baseline=self.baseline,
            twin_of=None if self.baseline is None else name,
            meta={} if layer.rows is None else {"rows": layer.rows},
        )


def members(
    models: Sequence[Any], baselines: Twins | None, *, untrained: bool
) -> dict[str, Member]:
    """All models, followed by their twins, with distinct keys."""
    named = _named(models)
    twins = {name: dict(given) for name, given in (baselines or {}).items()}
    if untrained:
        twins["untrained"] = {
            name: fresh_twin(model, TWIN_SEED + number, name)
            for number, (name, model) in enumerate(named.items())
        }
    found = [Member(model, name) for name, model in named.items()]
    for baseline, given in twins.items():
        if unknown := [name for name in given if name not in named]:
            raise InvalidInput(
                f"baselines[{baseline!r}] names {unknown[0]!r}, which is not compared; "
                f"choose from {', '.join(named)}."
            )
        both = [name for name in named if name in given]
        found += [Member(given[name], name, baseline) for name in both]
    return {member.key: member for member in found}


def representations_of(
    layers: Sequence[StreamedLayer], rows: StreamedBatch, every: Mapping[str, Member]
) -> list[Representation]:
    """The rows of each layer, as a representation of its model."""
    return [
        every[layer.model].representation(layer, values, rows)
        for layer, values in zip(layers, rows.rows, strict=True)
    ]


def _named(models: Sequence[Any]) -> dict[str, Any]:
    if len(models) == 1 and isinstance(models[0], Mapping):
        return {str(name): model for name, model in models[0].items()}
    kinds = [getattr(m, "default_name", type(m).__name__) for m in models]
    seen: Counter[str] = Counter()
    named = {}
    for kind, model in zip(kinds, models, strict=True):
        seen[kind] += 1
        named[f"{kind}-{seen[kind]}" if kinds.count(kind) > 1 else kind] = model
    return named
