"""The code and the commands in the documents run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import similitude as sim
from similitude.cli._measures import _markdown
from similitude.store import open_store, read_files

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COMPARE = (ROOT / "docs" / "compare.md").read_text()


def blocks(text: str) -> list[str]:
    """The indented blocks of a Markdown page."""
    found = re.findall(r"(?:^(?:    .*)?\n)+", text, flags=re.M)
    return [re.sub(r"^    ", "", b, flags=re.M) for b in found if b.strip()]


def test_python_blocks_of_the_readme_run(tmp_path: Path, monkeypatch, capsys) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 5))
    names = {
        "x": x,
        "y": x[:, :3] + rng.normal(size=(60, 3)),
        "labels_x": rng.integers(3, size=60),
        "labels_y": rng.integers(3, size=60),
        "z": x**2,
        "layers": [x, x**2, x[:, :2]],
        "reps": {"a": x, "b": x**2},
        "twins": {"a": x[::-1], "b": rng.normal(size=(60, 2))},
        "others": {"a": x + 0.1},
        "layers_of_a": {"one": x, "two": x**2},
        "layers_of_b": {"one": x[:, :2], "two": x**3},
    }
    monkeypatch.chdir(tmp_path)
    starts = ("import", "found", "rbf")
    ran = [b for b in blocks(README) if b.lstrip().startswith(starts)]
    assert len(ran) == 3
    for block in ran:
        exec(block, names)
    assert "cka" in capsys.readouterr().out
    assert set(names["rbf"].details(*names["prepared"][:2])) == {"sigma_x", "sigma_y"}


def test_undefined_message_in_the_readme_is_current() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 100, 60))
    with pytest.raises(sim.Undefined) as caught:
        sim.mean_cca(x, y)
    (block,) = (b for b in blocks(README) if b.lstrip().startswith("Undefined:"))
    assert " ".join(block.split()) == f"Undefined: {caught.value}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The files that the commands in the documents use."""
    path = tmp_path_factory.mktemp("readme")
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    x = np.eye(3)[labels] @ rng.normal(size=(3, 4)) * 3 + rng.normal(size=(60, 4))
    np.save(path / "a.npy", x)
    np.save(path / "b.npy", x**2)
    save_file({"h": x[:, :3]}, path / "c.safetensors")
    np.save(path / "labels.npy", labels)
    (path / "outputs").mkdir()
    for shift, name in enumerate(("m1", "m2")):
        np.save(path / "outputs" / f"{name}.npy", np.roll(labels, shift))
    np.save(path / "images.npy", x)
    for name in ("m1", "m2"):
        layers = rng.normal(size=(2, 60, 5))
        np.savez(path / f"{name}.npz", first=layers[0], second=layers[1])
    config = re.search(r"^    permutations = 99.*?fraction.*?$", COMPARE, re.M | re.S)
    assert config is not None
    (path / "run.toml").write_text(re.sub(r"^    ", "", config[0], flags=re.M))
    for name in ("reps", "twins", "others"):
        (path / name).mkdir()
        for seed in ("one", "two"):
            np.save(path / name / f"{seed}.npy", x + rng.normal(size=x.shape))
    for name in ("results", "similitude-results"):
        sim.compare(path / "reps", "rsa", permutations=0, out=path / name)
    store = open_store(path / "mystore", create=True)  # commands may run in any order
    for file in sorted((path / "reps").iterdir()):
        store.put(read_files(file)[0])
    return path


@pytest.mark.parametrize(
    "line",
    [
        line
        for page in (README, COMPARE)
        for block in blocks(page)
        for line in block.splitlines()
        if line.startswith("similitude ")
    ],
)
def test_shell_commands_in_the_documents_run(line: str, folder: Path) -> None:
    command = str(Path(sys.executable).parent / "similitude")
    line = line.replace("similitude", command, 1)
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr


def test_make_targets_in_the_documents_exist() -> None:
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M)
    )
    for page in ("README.md", "CONTRIBUTING.md", ".ci/run", "docs/benchmarks.md"):
        named = re.findall(r"(?:^|`)\s*make ([a-z-]+)", (ROOT / page).read_text(), re.M)
        assert set(named) <= targets, page


def test_measures_page_is_up_to_date() -> None:
    """`make tables` generates the page; it is not edited by hand."""
    assert (ROOT / "docs" / "measures.md").read_text() == _markdown.page()
    for name in sim.MEASURES:
        assert f"| `{name}` |" in _markdown.page()


def test_benchmarks_share_a_command_line_and_sections_name_their_command() -> None:
    """Each script has a one-sentence summary, and each section names its command."""
    texts = {p.name: p.read_text() for p in (ROOT / "benchmarks").rglob("*.py")}
    for name, text in texts.items():
        if "__main__" in text:
            assert "command(__doc__)" in text, name  # it adds --help and --json
            assert re.match(r'"""[^\n]+\.\n', text), name
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    for script, options in re.findall(r"`python benchmarks/(\S+\.py)([^`]*)`", page):
        for option in re.findall(r"--[a-z-]+", options):
            assert f'"{option}"' in texts[script] + texts["harness.py"], script
    for section in page.split("\n## ")[1:]:
        assert "`python benchmarks/" in section, section.splitlines()[0]
