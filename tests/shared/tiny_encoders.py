"""Entries for encoders with tiny wheels, whose code must not be run."""

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

from similitude.networks.data._encoders import Encoder


def write_wheel(folder: Path, content: Mapping[str, bytes]) -> Path:
    """A wheel with these files under tiny_encoder/model."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny_encoder-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_encoder/__init__.py", "raise SystemExit('it was run')")
        for name, data in content.items():
            archive.writestr(f"tiny_encoder/model/{name}", data)
    return path


def tiny_encoder(name: str, wheel: Path, content: Mapping[str, bytes]) -> Encoder:
    """An entry of the catalog for some files of the wheel."""
    return Encoder(
        name=name,
        about="",
        source="PyPI tiny-encoder 1.0",
        license="MIT",
        bytes=10,
        room=1000,
        local="the wheel",
        package="tiny-encoder",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        members={f"tiny_encoder/model/{file}": file for file in content},
        pins={file: hashlib.sha256(data).hexdigest() for file, data in content.items()},
    )
