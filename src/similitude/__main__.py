"""`python -m similitude` is the command `similitude`."""

import importlib

if __name__ == "__main__":
    importlib.import_module("similitude_start").main()
