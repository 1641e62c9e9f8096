"""The files of a folder of checkpoints: names, partial runs, finished models."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from similitude.errors import SimilitudeError
from similitude.store import locked, write_atomically

from ..data import CloseDistName
from ._manifest import Manifest, read_manifest
from ._models import SUFFIX, find_model
from ._setting import Setting, seed_ranges

OPTIMIZER = ".optimizer.safetensors"
MANIFEST = ".json"
PARTIAL = ".partial"
LOCK = ".lock"


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

    def stem(self, setting: Setting, seed: int, steps: int | None = None) -> Path:
        return self.path / str(setting.name(seed, self.date, steps=steps))

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
        if not self.path.is_dir():
            return []
        before, after = self.stem(setting, 0).name.split("_seed0_")
        pattern = re.compile(
            rf"{re.escape(before)}_seed[\d,-]+_{re.escape(after)}"
            rf"{re.escape(PARTIAL + MANIFEST)}"
        )
        found = [p for p in sorted(self.path.iterdir()) if pattern.fullmatch(p.name)]
        return [
            (path.with_name(path.name.removesuffix(MANIFEST)), read_manifest(path))
            for path in found
        ]

    def write_metrics(self, stem: Path, manifest: Manifest) -> None:
        """Write the losses of one seed with the authors' name and keys."""
        document = {
            "train_loss": manifest.train_loss[0],
            "test_loss": manifest.test_loss[0],
            "final_test_loss": manifest.final_test_loss[0],
            "final_test_accuracy": manifest.final_test_accuracy[0],
        }
        content = json.dumps(document, indent=1).encode()
        path = self.metrics / f"{stem.name}_metrics.json"
        write_atomically(path, lambda file: file.write(content))

    def remove_partial(self, stem: Path) -> None:
        """Remove an interrupted run. Without its manifest, its tensors are useless."""
        Path(f"{stem}{MANIFEST}").unlink(missing_ok=True)
        self.remove_tensors(stem, keep=None)

    def remove_tensors(self, stem: Path, keep: str | None) -> None:
        """Remove files of tensors to which the manifest does not refer."""
        for path in self.path.iterdir():
            name = path.name
            is_partial = name.startswith(f"{stem.name}-") and name.endswith(SUFFIX)
            if is_partial and name != keep:
                path.unlink(missing_ok=True)

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
        if not self.path.is_dir():
            return
        for path in sorted(self.path.iterdir()):
            name, word, rest = path.name.partition(PARTIAL)
            stem = self.path / f"{name}{PARTIAL}"
            if not word or name.startswith(".") or rest == MANIFEST:
                continue
            if not Path(f"{stem}{MANIFEST}").exists():
                with suppress(SimilitudeError), self.locked(stem):  # not in use
                    path.unlink(missing_ok=True)

    def remove_unfinished_writes(self, stem: Path) -> None:
        """Remove temporary files of a process that was killed while it wrote."""
        for folder in (self.path, self.metrics):
            if folder.is_dir():
                for path in folder.iterdir():
                    if path.name.startswith(f".{stem.name}"):
                        path.unlink(missing_ok=True)
