"""`python -m similitude` is the command `similitude`."""

import importlib
import os
import sys

if __name__ == "__main__":
    # Python has put the current folder first. Its files may have come with the data, so
    # they must not replace typer or numpy. Only a folder that contains this package
    # itself stays, because similitude_start is there.
    package = os.path.dirname(os.path.abspath(__file__))
    if not sys.flags.safe_path and sys.path[0] != os.path.dirname(package):
        del sys.path[0]
    importlib.import_module("similitude_start").main()
