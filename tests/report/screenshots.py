"""Pictures of reports, to look at: `make screenshots` writes them to screenshots/.

One pair, two models of six layers, and 100 models, each in light, dark, narrow and as
it prints on A4. Checkpoints, outputs and a stitching table are drawn in light.
"""

import tempfile
from pathlib import Path
from typing import Any

from similitude import Results

from . import chromium
from .sample_results import (
    checkpoints,
    many_models,
    one_pair,
    two_models,
    with_outputs,
)

OUT = Path("screenshots")
MODES: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1100, "height": 900}},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 800}},
}


def main() -> None:
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium.launched() as browser:
        samples: dict[str, tuple[Results, tuple[str, ...]]] = {
            "one-pair": (one_pair(Path(folder) / "pair"), tuple(MODES)),
            "two-models": (two_models(Path(folder) / "two"), tuple(MODES)),
            "hundred-models": (many_models(), tuple(MODES)),
            "checkpoints": (checkpoints(), ("light",)),
            "outputs": (with_outputs(), ("light",)),
        }
        for name, (results, modes) in samples.items():
            path = (OUT / f"{name}.html").resolve()
            results.report(path)
            for mode in modes:
                page = browser.new_page(**MODES[mode])
                page.goto(path.as_uri())
                page.screenshot(path=OUT / f"{name}-{mode}.png", full_page=True)
                if mode == "light":
                    page.pdf(path=OUT / f"{name}-print.pdf", format="A4")
                    _print_preview(page, OUT / f"{name}-print.png")
                page.close()


def _print_preview(page: Any, path: Path) -> None:
    """The page as it prints, at the width of A4 without its margins."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 688, "height": 970})
    page.screenshot(path=path, full_page=True)


if __name__ == "__main__":
    main()
