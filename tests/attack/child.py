"""The child process of the sandbox: reads cases from stdin, and answers with problems.

The answers go to the original stdout. What a case prints goes to two files.
"""

import faulthandler
import json
import os
import resource
import sys
import traceback
import warnings
from importlib import import_module
from pathlib import Path

from attack import command

MEMORY = 2**35  # bytes of address space: an allocation beyond it fails


def main(name: str, folder: Path) -> None:
    answers = os.fdopen(os.dup(1), "w")
    command.redirect(folder)
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    for kind in (RuntimeWarning, UserWarning, FutureWarning):
        warnings.simplefilter("always", kind)  # not only once per line of code
    module = import_module(name)
    for line in sys.stdin:
        try:
            module.check(line.rstrip("\n"), folder)
            problem = ""
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            problem = f"{type(error).__name__} at {where}: {error}" or "?"
        answers.write(json.dumps(problem) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
