"""One decoder at work: what it is trained on, and what it reads."""

import hashlib
from collections.abc import Mapping

from ...align import class_scores
from ...errors import SimilitudeError
from ...representation import fingerprint
from ._cells import Cell
from ._described import described
from ._heads import Classifier, Decoder
from ._live import live_classifier
from ._spaces import Embeddings, StitchingData, data_of
from ._transforms import Transform


class Bench:
    """One decoder for one seed: its heads are trained when they are first needed."""

    def __init__(
        self,
        spaces: dict[str, Embeddings],
        data: StitchingData | Mapping[str, StitchingData],
        name: str,
        decoder: Decoder,
        seed: int,
    ) -> None:
        self.spaces, self.data, self.seed = spaces, data, seed
        self.name, self.decoder = name, decoder
        self.home = spaces[decoder.home]
        self.labels = data_of(data, decoder.home).train_labels
        self.heads: dict[str, Classifier | SimilitudeError] = {}
        self.head_known_by = described(decoder.head)
        self.live_known_by = described(decoder.live)

    def job(self, encoder: str, transform: Transform) -> str:
        """Of everything that the scores of a cell depend on."""
        task = data_of(self.data, encoder)
        parts = [
            "3",  # of this computation: to be raised when its results change
            self.spaces[encoder].sha256,
            self.home.sha256,
            fingerprint(self.labels),
            fingerprint(task.test_labels),
            f"{task.ordinal} {self.head_known_by} {self.live_known_by}",
            f"{encoder} {self.name} {self.decoder.home} {transform.name} {self.seed}",
            transform.known_by,
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def head(self, transform: Transform) -> Classifier:
        """Shared by all that leave rows absolute; an error is remembered too."""
        kind = transform.name if transform.relative is not None else "absolute"
        if kind not in self.heads:
            try:
                self.heads[kind] = self._train(transform)
            except SimilitudeError as error:
                self.heads[kind] = error
        head = self.heads[kind]
        if isinstance(head, SimilitudeError):
            raise head
        return head

    def _train(self, transform: Transform) -> Classifier:
        if transform.relative is None and self.decoder.live is not None:
            return live_classifier(self.decoder.live)
        rows = transform.decoder_rows(self.home)
        return self.decoder.head.train(rows, self.labels, self.seed)

    def cell(self, encoder: str, transform: Transform, job: str) -> Cell:
        place = (encoder, self.name, self.decoder.home, transform.name, self.seed)
        task = data_of(self.data, encoder)
        try:
            rows = transform.encoder_rows(self.spaces[encoder], self.home)
            guess = self.head(transform)(rows)
        except SimilitudeError as error:
            return Cell(*place, "undefined", str(error), None, None, None, (), job)
        scores = class_scores(guess, task.test_labels, ordinal=task.ordinal)
        numbers = (scores.accuracy, scores.f1, scores.mae)
        return Cell(*place, "ok", "", *numbers, tuple(guess.tolist()), job)
