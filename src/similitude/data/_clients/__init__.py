"""Downloads with the ordinary clients of package registries."""

from ._apt import apt_lists as apt_lists
from ._apt import unpack_debian_package as unpack_debian_package
from ._client import Progress as Progress
from ._npm import npm_package as npm_package
from ._pip import pip_wheel as pip_wheel
