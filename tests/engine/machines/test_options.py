"""Options for several machines that do not fit together are one sentence."""

from pathlib import Path

import pytest

from similitude.cli._machines import Machines
from similitude.errors import InvalidInput, in_shell

NONE = {"shard": None, "backend": None, "scheduler": None, "workers": None}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shard": "3/3"}, "--shard 3/3: write I/N with I from 0 to N - 1"),
        ({"shard": "x"}, "--shard x: write I/N"),
        ({"backend": "ray"}, "--backend ray: the only one is dask"),
        ({"scheduler": "tcp://a:1"}, "--scheduler needs --backend dask"),
        ({"backend": "dask"}, "--backend dask needs --scheduler ADDRESS"),
        (
            {"backend": "dask", "scheduler": "tcp://a:1", "shard": "0/2"},
            "give --shard or --backend",
        ),
        (
            {"backend": "dask", "scheduler": "tcp://a:1", "workers": 2},
            "--workers starts processes on this machine",
        ),
    ],
)
def test_options_that_exclude_each_other(given: dict, message: str) -> None:
    with in_shell(), pytest.raises(InvalidInput) as caught:
        Machines(**NONE | given)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_no_option_computes_here(tmp_path: Path) -> None:
    with Machines(**NONE).executor() as executor:
        assert executor is None
