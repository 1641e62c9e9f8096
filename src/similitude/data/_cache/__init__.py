"""The cache of data sets: one folder per set, with a manifest of checksums."""

from ._building import Builder as Builder
from ._building import building as building
from ._building import locked as locked
from ._building import staging as staging
from ._cached import Cached as Cached
from ._cached import cached as cached
from ._cached import folder_of as folder_of
from ._manifest import Manifest as Manifest
