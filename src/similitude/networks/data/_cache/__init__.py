"""The cache: one folder per data set or encoder, with a manifest of checksums."""

from ._building import Builder, building, locked, staging
from ._cached import Cached, cached, folder_of
from ._manifest import Manifest, file_sha256
