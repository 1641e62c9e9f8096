"""The run: batches through the model, rows into the store, resumed after a kill."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...representation import Representation
from ...store import Extraction, ResumableWriter, Rows, Store, explain_failed_write
from ._data._batches import Batch, Data
from ._estimate import check_disk, estimate
from ._failures import Place, kept_batches
from ._layers._collector import Collector
from ._layers._patterns import Asked
from ._layers._reducers import Reducer
from ._layers._targets import Target
from ._models._interface import Model, Session
from ._passes import first_passes, rows_of_batch
from ._reporter import Reporter
from ._request import Request, labels_of, rows_per_sample
from ._same import Nature, differences, floor_of, nature_of

_NEAR = 1e-6  # a relative difference of rows that is worth a sentence


@dataclass(frozen=True, kw_only=True)
class Job:
    """One pass of a model over data."""

    model: Model
    data: Data
    first: Batch
    request: Request
    key: str  # of the request, to find the rows of an interrupted run
    reducer_of: Callable[[str], Reducer | None]
    batch_axis: int | Mapping[str, int] | None
    reporter: Reporter

    told: set[str] = field(default_factory=set, init=False, compare=False)

    def stale(
        self,
        session: Session,
        asked: Sequence[Asked],
        store: Store,
        candidates: Sequence[tuple[str, dict[str, Any]]],
    ) -> set[str]:
        """Modules whose stored rows are not those of the model.

        Their elements are removed, because the rows are computed again.
        """
        targets = self._targets(session, asked)
        nature = self._nature(session, targets)
        elements = {
            element: target
            for element, manifest in candidates
            for target in targets
            if self._extraction(target).model_dump() == manifest["extraction"]
        }
        given = self.model, session, self.data, store, elements
        apart = differences(*given, nature=nature)
        gone = {e: value for e, value in apart.items() if value > floor_of(self.model)}
        for element, value in gone.items():
            store.remove(element)
            self.reporter.say(
                f"{self.request.name}: the stored rows of {elements[element].name!r} "
                f"differ from those of this model by {value:.2g}; they are computed "
                f"again and replace the old element."
            )
        if (near := max(apart.values(), default=0.0)) > _NEAR and not gone:
            self.reporter.say(
                f"{self.request.name}: stored rows differ from those of this model by "
                f"{near:.2g}, as on another device; they are kept."
            )
        return {elements[element].module for element in gone}

    def _nature(self, session: Session, targets: Sequence[Target]) -> Nature:
        name, model = self.request.name, self.model
        found = nature_of(name, model, session, self.first, targets)
        for note in {*found.notes} - self.told:
            self.reporter.say(note)
        self.told.update(found.notes)
        return found

    def run(
        self,
        session: Session,
        asked: Sequence[Asked],
        store: Store,
        aliases: Mapping[str, list[str]],
    ) -> None:
        """Find the tensors, run all batches that are not on the disk, and commit."""
        targets = self._targets(session, asked)
        self._nature(session, targets)
        survey = self.request.survey
        rows = self._rows(targets)
        share = max(survey.sizes) / survey.samples
        self.reporter.say(estimate(list(rows.values()), share, survey.samples))
        stored = {t.name for t in targets if store.find(self._extraction(t))}
        with store.resumable(self.key) as writer:
            with explain_failed_write(store.path, lambda: kept_batches(0)):
                kept = writer.start(rows, stored)
            if kept:
                self.reporter.say(
                    f"resumed: {kept} of {len(survey.sizes)} batches are on the disk"
                )
            check_disk(list(rows.values()), store.path, kept / len(survey.sizes))
            self._batches(session, targets, writer, kept)
            with explain_failed_write(
                store.path, lambda: kept_batches(len(survey.sizes))
            ):
                for target in targets:
                    if target.name not in stored or kept < len(survey.sizes):
                        self._commit(writer, target, aliases.get(target.module, []))

    def _targets(self, session: Session, asked: Sequence[Asked]) -> list[Target]:
        return first_passes(
            self.model,
            session,
            asked,
            self.first,
            reducers=self.reducer_of,
            batch_axes=self.batch_axis,
            samples=self.request.survey.samples,
        )

    def _rows(self, targets: Sequence[Target]) -> dict[str, Rows]:
        found = {}
        for target in targets:
            per_sample = rows_per_sample(
                target.reducer, target.shape, self.request.survey
            )
            count = int(per_sample.sum())
            found[target.name] = Rows(count, target.width, target.dtype)
        return found

    def _batches(
        self,
        session: Session,
        targets: Sequence[Target],
        writer: ResumableWriter,
        kept: int,
    ) -> None:
        survey, collector = self.request.survey, Collector(targets)
        done = _counts(survey.sizes, survey.tokens)
        ends = np.cumsum(survey.sizes)
        if kept == len(survey.sizes):
            return
        unit = "samples" if survey.tokens is None else "tokens"
        with self.reporter.counting(unit) as report:
            report("extract", done[kept], done[-1])
            for number, batch in enumerate(self.data.read(kept), start=kept):
                end = int(ends[number])
                place = Place(number, survey.ids[end - batch.size : end])
                rows = rows_of_batch(
                    self.model, session, batch, collector, place, kept=number
                )
                with explain_failed_write(writer.store, place.kept):
                    writer.append(rows)
                report("extract", done[number + 1], done[-1])

    def _extraction(self, target: Target) -> Extraction:
        fields = {
            **self.request.fields,
            "layer": {"path": target.path, "call": target.call},
            "reducer": target.reducer.to_json(),
            "batches": self.request.batches(target),
            "stored_dtype": target.dtype,
        }
        return Extraction.model_validate(fields)

    def _commit(
        self, writer: ResumableWriter, target: Target, aliases: Sequence[str]
    ) -> str:
        request = self.request
        ids, blocks = labels_of(target.reducer, target.shape, request.survey)
        rep = Representation(
            f"{request.name}/{target.name.lstrip('/')}"
            if target.name
            else request.name,
            np.empty((len(ids), 1), dtype=np.float32),  # the rows are on the disk
            ids=ids,
            blocks=blocks,
            model=request.name,
            layer=target.name,
            step=request.step,
            baseline=request.baseline,
            twin_of=request.twin_of,
            meta=request.meta(target, aliases),
        )
        return writer.commit(
            target.name,
            rep,
            extraction=self._extraction(target),
            reducer=target.reducer.label,
            data=request.survey.fingerprint,
        )


def _counts(sizes: Sequence[int], tokens: np.ndarray | None) -> list[int]:
    """The number of samples or tokens before each batch, and the total."""
    if tokens is None:
        return [0, *np.cumsum(sizes).tolist()]
    before = np.concatenate([[0], np.cumsum(tokens)])
    return before[[0, *np.cumsum(sizes).tolist()]].tolist()
