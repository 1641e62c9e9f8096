"""`similitude.plugins` hands on names that exist, and loads each on first use."""

import importlib
import subprocess
import sys

import pytest

from similitude import plugins


@pytest.mark.parametrize("name", plugins.__all__)
def test_names_are_those_of_the_package(name: str) -> None:
    module = importlib.import_module(f"similitude.{plugins._NAMES[name]}")
    assert getattr(plugins, name) is getattr(module, name)
    assert name in str(plugins.__doc__)


def test_checks_do_not_load_the_command_line() -> None:
    code = (
        "import sys\nfrom similitude.plugins import check_at_least\n"
        "print('typer' in sys.modules, 'similitude.engine' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False False\n", done.stderr


def test_unknown_names_raise_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        plugins.nothing  # noqa: B018
