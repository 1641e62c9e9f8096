"""Every public name is in the API reference."""

import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import similitude
import similitude_lab
from documentation.extensions import FOLDER, extension

FAMILIES = FOLDER.parent / "families"


def public_paths() -> set[str]:
    """Functions and classes of public modules, by the names that users see.

    This search does not use the module that generates the reference.
    """
    found = {f"similitude.{name}" for name in similitude.__all__}
    for info in (
        *pkgutil.walk_packages(similitude.__path__, "similitude."),
        *pkgutil.walk_packages(similitude_lab.__path__, "similitude_lab."),
    ):
        if "._" in info.name or ".cli" in info.name:
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            is_ours = inspect.isclass(value) or inspect.isfunction(value)
            if (
                not name.startswith("_")
                and is_ours
                and value.__module__.startswith("similitude")
            ):
                found.add(f"{info.name}.{name}")
    return found


def documented_objects() -> dict[int, str]:
    """Objects with an entry in the reference, by identity."""
    pages = list(extension("api_pages").pages().values())
    families = extension("family_pages")
    pages += [families.generated(family) for family in families.families()]
    found = {}
    for page in pages:
        module = re.search(r"^\.\. currentmodule:: (\S+)", page, re.M)
        entries = re.findall(
            r"^\.\. (?:autofunction|autoclass|autoexception):: (\S+)", page, re.M
        )
        data = re.findall(r"^\.\. py:data:: (\S+)", page, re.M)
        entries += [f"{module[1]}.{name}" for name in data] if module else []
        for path in entries:
            found[id(look_up(path))] = path
    return found


def look_up(path: str) -> object:
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def test_every_public_name_is_in_the_reference() -> None:
    documented = documented_objects()
    missing = [path for path in public_paths() if id(look_up(path)) not in documented]
    assert missing == []


def test_the_search_for_public_names_finds_them() -> None:
    paths = public_paths()
    assert len(paths) > 450
    assert {
        "similitude.cka",
        "similitude.measures.CKA",
        "similitude.compare",
        "similitude.MEASURES",
        "similitude.stats.difference",
        "similitude.latent.stitching.stitching_table",
    } <= paths
    assert not any(isinstance(look_up(path), ModuleType) for path in paths)


def test_a_missing_name_would_be_found(monkeypatch) -> None:
    monkeypatch.setattr(similitude.stats, "new_name", lambda: None, raising=False)
    similitude.stats.new_name.__module__ = "similitude.stats"
    documented = documented_objects()
    names = extension("public_names").public_names()
    assert "similitude.stats.new_name" in {name.path for name in names}
    assert id(similitude.stats.new_name) in documented


def test_every_family_has_a_page_with_its_measures() -> None:
    families = extension("family_pages")
    for family, records in families.families().items():
        text = (FAMILIES / f"{family}.md").read_text()
        assert text.count(families.MARK) == 1
        assert "$$" in text or family in {"spectral", "statistics", "topological"}
        generated = families.generated(family)
        for record in records:
            assert f"\n.. autofunction:: similitude.{record.name}\n" in generated
    pages = {path.stem for path in FAMILIES.glob("*.md")}
    assert pages == set(families.families())
