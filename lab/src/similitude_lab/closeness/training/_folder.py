"""The files of a folder of checkpoints: names, partial runs, finished models."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from similitude.errors import SimilitudeError
from similitude.store import locked, write_atomically

from ..._text import write_text
from ..data import CloseDistName, read_close_dist_checkpoint
from ._manifest import Manifest, read_manifest
from ._models import find_model
from ._setting import Setting, seed_ranges

OPTIMIZER = ".optimizer.safetensors"
MANIFEST = ".json"
PARTIAL = ".partial"
LOCK = ".lock"
METRICS = ("train_loss", "test_loss", "final_test_loss", "final_test_accuracy")


class Folder:
    """Checkpoints of all settings, with one date.

    Parameters
    ----------
    path
        Folder of the checkpoints.
    date
        The date in the names of the files.
    metrics
        Folder of the losses. [default: ``metrics`` next to `path`]
    """

    def __init__(self, path: Path, date: str, metrics: Path | None = None) -> None:
        self.path, self.date = Path(path), date
        self.metrics = self.path.parent / "metrics" if metrics is None else metrics

    def stem(self, setting: Setting, seed: int, *, trained: bool = True) -> Path:
        return self.path / str(setting.name(seed, self.date, trained=trained))

    def find(self, name: CloseDistName) -> Path | None:
        return find_model(self.path, name)

    def is_finished(self, setting: Setting, seed: int) -> bool:
        """Whether the trained model exists, ours or the authors'.

        Weights are written before the manifest. Weights without a manifest are
        accepted: somebody copied them.
        """
        return self.find(setting.name(seed, self.date)) is not None

    def partial_stem(self, setting: Setting, seeds: Sequence[int]) -> Path:
        stem = self.stem(setting, seeds[0])
        name = stem.name.replace(f"_seed{seeds[0]}_", f"_seed{seed_ranges(seeds)}_", 1)
        return self.path / f"{name}{PARTIAL}"

    def partial_runs(self, setting: Setting) -> list[tuple[Path, Manifest]]:
        """Stems and manifests of interrupted runs of this setting."""
        before, after = self.stem(setting, 0).name.split("_seed0_")
        found = self.path.glob(f"{before}_seed*_{after}{PARTIAL}{MANIFEST}")
        return [(path.with_suffix(""), read_manifest(path)) for path in sorted(found)]

    @property
    def dates(self) -> list[str]:
        """The dates in the names of our files, the latest first."""
        found = {path.name[:10] for path in self.path.glob("????-??-??trained_*.json")}
        return sorted(found, reverse=True)

    def write_authors_file(self, setting: Setting, seed: int) -> Path:
        """Write the weights of a finished model as the authors do: `torch.save`."""
        import torch

        name = setting.name(seed, self.date)
        path, source = self.path / str(name), self.find(name)
        if source is not None and source != path:
            state = dict(read_close_dist_checkpoint(source).state)
            write_atomically(path, lambda file: torch.save(state, file))
        return path

    def write_metrics(self, stem: Path, manifest: Manifest) -> None:
        """Write the losses of one seed with the authors' name and keys."""
        document = {name: getattr(manifest, name)[0] for name in METRICS}
        path = self.metrics / f"{stem.name}_metrics.json"
        write_text(path, json.dumps(document, indent=1))

    @contextmanager
    def locked(self, stem: Path) -> Iterator[None]:
        """Let one process at a time train a run; the file is empty and is removed."""
        lock = Path(f"{stem}{LOCK}")
        busy = SimilitudeError(
            f"another process trains {stem.name}; wait for it, or use another folder."
        )
        with locked(lock, busy):
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)

    def remove_orphans(self) -> None:
        """Remove files of runs that were killed before or after all checkpoints."""
        for path in sorted(self.path.glob(f"[!.]*{PARTIAL}*")):
            stem = self.path / f"{path.name.partition(PARTIAL)[0]}{PARTIAL}"
            if not Path(f"{stem}{MANIFEST}").exists():
                with suppress(SimilitudeError), self.locked(stem):  # not in use
                    path.unlink(missing_ok=True)

    def remove_unfinished_writes(self, stem: Path) -> None:
        """Remove temporary files of a process that was killed while it wrote."""
        for folder in (self.path, self.metrics):
            for path in folder.glob(f".{stem.name}*"):
                path.unlink(missing_ok=True)
