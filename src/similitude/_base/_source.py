"""The source code of this package.

The version does not tell: an editable installation changes under the same version.
"""

import functools
import hashlib
from pathlib import Path


@functools.cache
def source_hash() -> str:
    """A hash of all modules of this package, as they are when it is first asked for."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py"), key=lambda path: path.as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(package).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:12]
