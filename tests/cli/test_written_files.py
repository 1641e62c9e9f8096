"""Commands replace the files that they write, also where a link was."""

from pathlib import Path

import numpy as np
import pytest

from cli.command import run

WRITERS = {
    "diff --junit": ("diff a.npy b.npy --allow cka=0.5 --junit out.xml", "out.xml"),
    "diff --plot": ("diff a.npy b.npy --plot out.png", "out.png"),
    "diff --report": ("diff a.npy b.npy --report out.html", "out.html"),
    "compare --plot": ("compare a.npy b.npy --plot out.pdf -o r", "out.pdf"),
    "compare --report": ("compare a.npy b.npy --report out.html -o r", "out.html"),
    "latent relative": (
        "latent relative a.npy b.npy --anchors uniform:20 -o out.safetensors",
        "out.safetensors",
    ),
    "latent align": ("latent align a.npy b.npy -m procrustes -o out", "out/map.json"),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_a_link_is_replaced_and_not_followed(
    tmp_path, monkeypatch, capsys, name, link
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 5))
    np.save("a.npy", x)
    np.save("b.npy", x + 0.2 * rng.normal(size=x.shape))
    words, file = WRITERS[name]
    if name == "latent align":
        assert run(capsys, *words.replace("-o out", "-o first").split()).code == 0
        file = f"out/{min(p.name for p in Path('first').iterdir())}"
        Path("out").mkdir()
    victim = Path("victim")
    victim.write_text("mine")
    if link == "symbolic":
        Path(file).symlink_to(victim.resolve())
    else:
        Path(file).hardlink_to(victim)
    said = run(capsys, *words.split())
    if said.code == 2:  # refused: nothing is written
        assert "exist" in said.err or "link" in said.err, said.err
    else:
        assert said.code in (0, 1, 4), said.err
        assert not Path(file).is_symlink()
        assert Path(file).stat().st_size > 4
    assert victim.read_text() == "mine"
    assert not [p for p in tmp_path.rglob(".out*")]
