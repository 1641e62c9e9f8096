"""Options for several machines that do not fit together are one sentence."""

import pytest

from cli.command import run
from similitude.cli._machines import Machines
from similitude.errors import InvalidInput, in_shell

NONE = {"shard": None, "dask": None, "workers": None, "removed": None}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shard": "3/3"}, "--shard 3/3: write I/N with I from 0 to N - 1"),
        ({"shard": "x"}, "--shard x: write I/N"),
        ({"dask": "tcp://a:1", "shard": "0/2"}, "give --shard or --dask, not both"),
        (
            {"dask": "tcp://a:1", "workers": 2},
            "--workers starts processes on this machine",
        ),
        (
            {"removed": "dask"},
            "--backend and --scheduler were removed: use --dask ADDRESS for",
        ),
    ],
)
def test_options_that_exclude_each_other(given: dict, message: str) -> None:
    with in_shell(), pytest.raises(InvalidInput) as caught:
        Machines(**NONE | given)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", ["--backend", "--scheduler"])
def test_former_options_name_their_successors(option: str, capsys) -> None:
    found = run(capsys, "compare", "a.npy", option, "dask")
    assert found.code == 2
    assert "use --dask ADDRESS" in found.err
    assert "--shard I/N" in found.err
