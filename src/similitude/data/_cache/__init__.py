"""The cache: one folder per data set or encoder, with a manifest of checksums."""

from ._building import Builder as Builder
from ._building import building as building
from ._building import locked as locked
from ._building import staging as staging
from ._cached import Cached as Cached
from ._cached import cached as cached
from ._cached import folder_of as folder_of
from ._manifest import Manifest as Manifest
from ._manifest import file_sha256 as file_sha256
