"""The studies by name. The module of a study is imported when it is used.

The file studies.toml of each paper has the texts of its studies, their settings and the
time that they take. A module adds what it computes.
"""

import importlib
import tomllib
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput, did_you_mean

from ._study import Scale, Study

PAPERS = ("challenges", "closeness", "measures", "relative", "rtd")
FILE = "studies.toml"


def _read() -> dict[str, dict[str, Any]]:
    found = {}
    for paper in PAPERS:
        path = Path(__file__).parents[1] / paper / FILE
        for name, facts in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found[name] = facts | {"module": f"{paper}.{facts['module']}"}
            if isinstance(same := facts.get("settings"), str):
                found[name]["settings"] = found[same]["settings"]
    return found


#: Name of the study to its facts: the module, and arguments of `Study`.
FACTS = _read()
#: Name of the study to its module. Each module has a constant STUDY.
STUDIES = {name: facts["module"] for name, facts in FACTS.items()}


def described(
    name: str,
    run: Any,
    draw: Any,
    setting: Any = None,
    **code: Any,
) -> Study:
    """A study with the facts of studies.toml and what its module adds.

    Parameters
    ----------
    name
        Name of the study.
    run, draw
        The functions of `Study`.
    setting
        The type of the settings, or a function that makes them. The file has the scale
        small, and what differs in the others, or the name of a study with the same
        settings. [default: `settings` are given]
    code
        The other arguments of `Study`; an argument replaces a fact of the file.
    """
    facts = {key: value for key, value in FACTS[name].items() if key != "module"}
    if setting is not None:
        facts["settings"] = _settings(setting, **facts.get("settings", {}))
    lists = {key: tuple(facts.pop(key, ())) for key in ("needs", "errata")}
    facts |= lists | {"run": run, "draw": draw, "trains": "trainings" in code} | code
    return Study(name=name, **facts)


def _settings(
    kind: Any, *, small: Any = None, smoke: Any = None, paper: Any = None
) -> dict[Scale, Any]:
    changes: dict[Scale, Any] = {"smoke": smoke, "small": None, "paper": paper}
    return {
        scale: kind(**frozen((small or {}) | (change or {})))
        for scale, change in changes.items()
    }


def frozen(value: Any) -> Any:
    """Lists of a file become tuples: settings can be compared and hashed."""
    if isinstance(value, dict):
        return {name: frozen(one) for name, one in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def find_study(name: str) -> Study:
    """The study of this name; the error for an unknown name shows the nearest names."""
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES)
        raise InvalidInput(
            f"there is no study {name!r}.{hint} `similitude study list` lists all "
            f"{len(STUDIES)}."
        )
    module = importlib.import_module(f"..{STUDIES[name]}", __package__)
    return module.STUDY
