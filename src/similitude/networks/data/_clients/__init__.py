"""Downloads with the ordinary clients of package registries."""

from ._apt import apt_lists, unpack_debian_package
from ._client import Progress
from ._registries import npm_package, pip_wheel
