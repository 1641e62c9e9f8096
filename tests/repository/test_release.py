"""What a release consists of: distributions, citation, workflows, hooks."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from email.message import Message
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.version import Version

import similitude
from repository.release import problems
from repository.versions import claimed, in_use

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

_SPEC = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
_HOOK = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_HOOK)
outside = _HOOK.outside
TEMPLATES = ROOT / ".github" / "ISSUE_TEMPLATE"
FORMS = sorted(path for path in TEMPLATES.glob("*.yml") if path.name != "config.yml")


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
        ("vendor.github-issue-forms", FORMS),
        ("vendor.github-issue-config", [TEMPLATES / "config.yml"]),
    ],
)
def test_files_for_other_services_are_valid(schema: str, files: list[Path]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def own_make() -> dict[str, str]:
    """The environment without `make test`, whose flags another make would take over."""
    inherited = ("MAKE", "MFLAGS")
    return {k: v for k, v in os.environ.items() if not k.startswith(inherited)}


def test_workflows_only_call_the_makefile() -> None:
    assert len(WORKFLOWS) == 2
    for path in WORKFLOWS:
        lines = re.findall(r"run: (.*)", path.read_text())
        assert lines
        for line in lines:
            words = [w for w in line.split()[1:] if w != "-s" and "=" not in w]
            assert line == ".ci/run" or words[0] in targets(), line


def test_the_workflow_tests_the_versions_of_the_classifiers() -> None:
    """`make pythons` writes the matrix; both packages and requires-python agree."""
    workflow = yaml.safe_load((WORKFLOWS[0].parent / "test.yml").read_text())
    jobs = workflow["jobs"]
    assert jobs["test"]["strategy"]["matrix"] == {
        "python": "${{ fromJSON(needs.pythons.outputs.pythons) }}"
    }
    assert jobs["pythons"]["steps"][-1]["run"].startswith("make -s pythons >>")
    command = ["make", "-s", "pythons"]
    printed = subprocess.run(command, cwd=ROOT, env=own_make(), capture_output=True)
    name, _, found = printed.stdout.decode().strip().partition("=")
    assert (name, json.loads(found)) == ("pythons", claimed(ROOT / "pyproject.toml"))
    assert claimed(ROOT / "lab" / "pyproject.toml") == claimed(ROOT / "pyproject.toml")
    lowest = min(map(Version, claimed(ROOT / "pyproject.toml")))
    for project in (ROOT / "pyproject.toml", ROOT / "lab" / "pyproject.toml"):
        assert f'requires-python = ">={lowest}"' in project.read_text()
    newest = jobs["newest"]["steps"][1]["with"]["python-version"]
    assert Version(newest) == max(map(Version, claimed(ROOT / "pyproject.toml")))


def test_the_workflow_has_jobs_for_macos_and_windows() -> None:
    """And one in which both are simulated."""
    workflow = yaml.safe_load((WORKFLOWS[0].parent / "test.yml").read_text())
    matrix = workflow["jobs"]["systems"]["strategy"]["matrix"]
    assert matrix == {"system": ["macos-latest", "windows-latest"]}
    assert workflow["jobs"]["simulated"]["steps"][-1]["run"] == "make systems"


@pytest.mark.parametrize(
    ("python", "first", "environment"),
    [
        ("python3", None, ".venv"),
        ("python3", "0.0", ".venv-{version}"),
        (sys.executable, None, ".venv-{version}"),
        (sys.executable, "{version}", ".venv"),
    ],
)
def test_one_environment_per_python(
    tmp_path: Path, python: str, first: str | None, environment: str
) -> None:
    """No target runs in an environment of another Python than PYTHON."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "lab/pyproject.toml", "constraints.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    words = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    asked = subprocess.run(words, capture_output=True, text=True).stdout.strip()
    if first is not None:
        (tmp_path / ".venv").mkdir()
        kept = f"home = /usr/bin\nversion = {first.format(version=asked)}.7\n"
        (tmp_path / ".venv" / "pyvenv.cfg").write_text(kept)
    command = ["make", "-n", f"PYTHON={python}", "quick"]
    done = subprocess.run(
        command, cwd=tmp_path, env=own_make(), capture_output=True, text=True
    )
    line = done.stdout.splitlines()[-1]
    assert f" {environment.format(version=asked)}/bin/python -m pytest" in line


def test_the_first_line_of_make_test_says_what_is_tested() -> None:
    recipe = (ROOT / "Makefile").read_text()
    assert re.search(r"^test: versions  ##", recipe, re.M)
    assert re.search(r"^quick: versions  ##", recipe, re.M)
    expected = f"Python {platform.python_version()}, numpy {np.__version__}, scipy "
    assert in_use().startswith(expected)
    assert "\n" not in in_use()


def test_the_hooks_are_the_commands_of_make_lint() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for tool in re.findall(r"entry: \.venv/bin/(\w+)", hooks):
        assert f"$(BIN)/{tool}" in (ROOT / "Makefile").read_text()


def test_a_release_is_built_and_checked_by_twine() -> None:
    """twine belongs to `make dist`, which installs it; a tag runs `make dist`."""
    recipe = (
        (ROOT / "Makefile").read_text().partition("\ndist:")[2].partition("\n\n")[0]
    )
    assert "twine check --strict dist/*" in recipe
    assert recipe.count("hatchling build") == 2  # library and lab
    tagged = [path for path in WORKFLOWS if 'tags: ["v*"]' in path.read_text()]
    assert ["- run: make dist" in path.read_text() for path in tagged] == [True]


def test_the_citation_names_the_version() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    assert f"version: {similitude.__version__}\n" in text


@pytest.mark.parametrize("address", [None, "https://host.test/a/b", "https://h/a/"])
def test_links_of_the_readme_work_outside_of_the_repository(address) -> None:
    """They lead to files of this version, or are text without an address."""
    text = (ROOT / "README.md").read_text()
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all((ROOT / target).exists() for target in targets if ":" not in target)
    found = re.findall(r"\]\(([^)\s]+)\)", outside(text, address, "0.1.0"))
    if address is None:
        assert found == []
    else:
        start = f"{address.rstrip('/')}/blob/v0.1.0/"
        assert f"{start}docs/compare.md" in found
        assert f"{start.replace('blob', 'raw')}docs/_static/demo.png" in found
        assert len(found) == len(targets)


@pytest.mark.parametrize(
    ("text", "urls", "sentence"),
    [
        ("[a](docs/a.md)", {}, "the link docs/a.md of the description is relative"),
        ("", {"Repository": "https://h/a"}, "Repository is not in the metadata"),
        ("see https://example.org/x", {}, "example.org is a placeholder"),
    ],
)
def test_make_dist_finds_what_would_not_work(text, urls, sentence) -> None:
    found = Message()
    found.set_payload(text)
    assert any(sentence in line for line in problems(found, urls))


def test_the_source_distribution_builds_the_same_wheel(tmp_path: Path) -> None:
    """It has what the library needs, and neither the lab nor results."""
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    (wheel,) = tmp_path.glob("*.whl")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
        packed.extractall(tmp_path / "unpacked", filter="data")
    assert {"LICENSE", "README.md", "CITATION.cff", "pyproject.toml"} <= names
    assert "src/similitude/__init__.py" in names
    folders = {name.partition("/")[0] for name in names if "/" in name}
    assert folders == {"benchmarks", "docs", "examples", "src", "tests"}
    (source,) = (tmp_path / "unpacked").iterdir()
    again = tmp_path / "again"
    subprocess.run(
        [*build[:-1], str(again), "-t", "wheel"],
        cwd=source,
        check=True,
        capture_output=True,
    )
    assert (again / wheel.name).read_bytes() == wheel.read_bytes()
