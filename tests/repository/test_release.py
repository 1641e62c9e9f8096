"""What a release consists of: distributions, citation, workflows, hooks."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import similitude

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_for_other_services_are_valid(schema: str, files: list[Path]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_workflows_only_call_the_makefile() -> None:
    assert len(WORKFLOWS) == 2
    for path in WORKFLOWS:
        lines = re.findall(r"run: (.*)", path.read_text())
        assert lines
        for line in lines:
            assert line == ".ci/run" or line.removeprefix("make ") in targets(), line


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
