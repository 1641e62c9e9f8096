"""One decoder for one seed: it is trained once and scored on every encoder."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from ..._base import _config, _parallel
from ...errors import SimilitudeError
from ...representation import fingerprint
from ..align import class_scores
from ._cells import Cell
from ._heads import Classifier, Decoder
from ._identity import identity
from ._spaces import Embeddings, StitchingData, data_of, run_encoder
from ._transforms import Transform


class KeptRows:
    """Transformed test rows that decoders and seeds share, up to a size in bytes."""

    def __init__(self) -> None:
        self.rows: dict[tuple[Any, ...], np.ndarray] = {}
        self.left = _config.current().memory_budget // 4

    def get(self, transform: Transform, space: Embeddings, home: Embeddings) -> Any:
        # Relative rows do not depend on the decoder.
        sides = (space,) if transform.relative is not None else (space, home)
        key = (transform.name, *map(id, sides))
        if key not in self.rows:
            rows = transform.encoder_rows(space, home)
            if (size := rows.nbytes) > self.left:
                return rows
            self.rows[key], self.left = rows, self.left - size
        return self.rows[key]


class DecoderRun:
    """One decoder for one seed; its heads are trained on first use."""

    def __init__(
        self,
        spaces: dict[str, Embeddings],
        data: StitchingData | Mapping[str, StitchingData],
        name: str,
        decoder: Decoder,
        seed: int,
        *,
        kept: KeptRows,
    ) -> None:
        self.spaces, self.data, self.seed, self.kept = spaces, data, seed, kept
        self.name, self.decoder = name, decoder
        self.home = spaces[decoder.home]
        self.labels = data_of(data, decoder.home).train_labels
        self.heads: dict[str, Classifier | Exception] = {}
        self.head_identity = identity(decoder.head)
        self.live_identity = identity(decoder.live)

    def one_thread(self, *, in_cell: bool) -> AbstractContextManager[Any]:
        """Heads and maps are small: several threads would wait for each other.

        An existing decoder may be large, so only the rest of its cells uses one thread.
        """
        live = self.decoder.live is not None
        return _parallel.one_thread() if live == in_cell else nullcontext()

    def job(self, encoder: str, transform: Transform) -> str:
        """Hash everything that the scores of a cell depend on."""
        task = data_of(self.data, encoder)
        parts = [
            "3",  # version of this computation: raise it if results change
            self.spaces[encoder].sha256,
            self.home.sha256,
            fingerprint(self.labels),
            fingerprint(task.test_labels),
            f"{task.ordinal} {self.head_identity} {self.live_identity}",
            f"{encoder} {self.name} {self.decoder.home} {transform.name} {self.seed}",
            transform.identity,
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def head(self, transform: Transform) -> Classifier:
        """Return the trained head, or raise its error again.

        Transforms that keep rows absolute share one head.
        """
        kind = transform.name if transform.relative is not None else "absolute"
        if kind not in self.heads:
            try:
                self.heads[kind] = self._train(transform)
            except (MemoryError, OSError):
                raise
            except Exception as error:  # heads may be code of the user
                self.heads[kind] = error
        head = self.heads[kind]
        if isinstance(head, Exception):
            raise head
        return head

    def _train(self, transform: Transform) -> Classifier:
        if transform.relative is None and self.decoder.live is not None:
            return partial(_classes_of, self.decoder.live)
        rows = transform.decoder_rows(self.home)
        return self.decoder.head.train(rows, self.labels, self.seed)

    def cell(self, encoder: str, transform: Transform, job: str) -> Cell:
        key = (encoder, self.name, self.decoder.home, transform.name, self.seed)
        task = data_of(self.data, encoder)
        try:
            with self.one_thread(in_cell=True):
                rows = self.kept.get(transform, self.spaces[encoder], self.home)
                head = self.head(transform)
            guess = head(rows)
        except SimilitudeError as error:
            return Cell(*key, "undefined", str(error), None, None, None, (), job)
        except (MemoryError, OSError):
            raise  # the machine failed, not the cell
        except Exception as error:  # one cell must not end thousands of others
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            return Cell(*key, "failed", reason, None, None, None, (), job)
        scores = class_scores(guess, task.test_labels, ordinal=task.ordinal)
        numbers = (scores.accuracy, scores.f1, scores.mae)
        return Cell(*key, "ok", "", *numbers, tuple(map(int, guess)), job)


def _classes_of(decoder: Callable[[Any], Any], rows: np.ndarray) -> np.ndarray:
    """The classes of rows by an existing decoder, which is not trained."""
    if hasattr(decoder, "state_dict"):
        out = run_encoder(decoder, rows, 512)
    else:
        out = np.asarray(decoder(rows))
    return out if out.ndim == 1 else out.argmax(axis=1)
