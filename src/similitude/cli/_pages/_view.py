"""`similitude view`: the page of a results folder on this computer."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from ... import engine
from ...errors import InvalidInput, check_extra
from .._option import argument, option
from .._say import say
from ._folders import Stitched, read


def view(
    results: Annotated[
        Path, argument("RESULTS", "Results folder of `compare -o DIR`.")
    ] = Path("similitude-results"),
    *,
    stitching: Stitched = None,
    port: Annotated[
        int, option("N", "Port. [default: a free one]", min=0, max=65535)
    ] = 0,
    no_browser: Annotated[
        bool, option("--no-browser", "Do not open a browser.")
    ] = False,
) -> None:
    """Show the HTML page live while a comparison runs.

    The page is served on 127.0.0.1, to this computer only. Stop it with Ctrl-C.
    """
    check_extra("similitude view", "report")
    if engine.Folder(results).content() == "cells":
        raise InvalidInput(
            f"{results} holds a stitching table; use `similitude report`, or give it "
            f"with --stitching, after the results of `compare`."
        )
    from ...report import ViewServer

    table = None if stitching is None else read(stitching, None)[1]
    with ViewServer(results, port=port, stitching=table) as server:
        say(f"{server.url} shows {results}. Stop with Ctrl-C.")
        sys.stdout.flush()
        if not no_browser and _has_display():
            webbrowser.open(server.url)
        server.serve_forever(poll_interval=0.2)


def _has_display() -> bool:
    """Whether a window can open; a browser of text would take over the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
