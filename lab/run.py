#!/usr/bin/env python
"""The commands of the authors' run.py: python run.py -h."""

import sys

from similitude_lab.closeness.commands import run_py

if __name__ == "__main__":
    run_py(sys.argv[1:])
