"""Print the Python, numpy, scipy and BLAS that tests run with, in one line.

`python -m repository.versions pythons` prints the Python versions that pyproject.toml
claims, as an output of a GitHub workflow.
"""

import json
import platform
import re
import sys
import tomllib
from pathlib import Path

CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def claimed(project: Path = PROJECT) -> list[str]:
    """The Python versions among the classifiers of a pyproject.toml."""
    lines = tomllib.loads(project.read_text("utf-8"))["project"]["classifiers"]
    found = [CLASSIFIER.fullmatch(line) for line in lines]
    return [match[1] for match in found if match]


def in_use() -> str:
    import numpy as np
    import scipy
    from threadpoolctl import threadpool_info

    # One library of linear algebra belongs to numpy, another one to scipy.
    blas = {
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    packages = f"numpy {np.__version__}, scipy {scipy.__version__}"
    return f"Python {platform.python_version()}, {packages}, {', '.join(sorted(blas))}"


if __name__ == "__main__":
    if sys.argv[1:] == ["pythons"]:
        sys.stdout.write(f"pythons={json.dumps(claimed())}\n")
    else:
        sys.stdout.write(f"{in_use()}\n")
