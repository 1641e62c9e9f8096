"""The built documentation: complete, offline, and usable in a browser.

`make docs` builds the site and runs these tests. `make test` does not: it has no site.
"""

import doctest
import json
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from documentation.extensions import FOLDER, extension
from documentation.test_api_reference import look_up, public_paths
from report import chromium
from similitude import MEASURES

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(not SITE.exists(), reason="there is no site: run `make docs`"),
]
# One example per kind of input that users have.
DOORS = {
    "plot_0_two_models",
    "plot_x_two_embedding_files",
    "plot_7_quantization",
    "plot_3_checkpoints",
    "plot_y_a_table_for_a_paper",
    "plot_z_the_table_of_a_paper",
}
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src"}
LOADING |= {"source": "src", "video": "src", "audio": "src", "object": "data"}


class Resources(HTMLParser):
    """Addresses that a browser loads with the page, targets of links, and ids."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {str(values[key]) for key in ("id", "name") if values.get(key)}
        if tag in LOADING and values.get(LOADING[tag]):
            self.loaded.append(str(values[LOADING[tag]]))
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))


def resources(text: str) -> Resources:
    parser = Resources()
    parser.feed(text)
    return parser


def remote_in_style(text: str) -> list[str]:
    found = re.findall(r"(?:@import\s+|url\()\s*['\"]?([^'\")\s;]+)", text)
    return [address for address in found if is_remote(address)]


def is_remote(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda p: p.stem)
def test_examples_in_docstrings_of_extensions(path: Path) -> None:
    assert doctest.testmod(extension(path.stem)).failed == 0


@pytest.fixture(scope="module")
def pages() -> dict[Path, Resources]:
    found = {path: resources(path.read_text()) for path in SITE.rglob("*.html")}
    assert len(found) > 60, "run `make docs`"
    return found


def test_pages_load_nothing_from_other_hosts(pages: dict[Path, Resources]) -> None:
    remote = {
        str(path.relative_to(SITE)): [a for a in page.loaded if is_remote(a)]
        for path, page in pages.items()
    }
    assert {path: found for path, found in remote.items() if found} == {}
    styles = {
        path.name: remote_in_style(path.read_text()) for path in SITE.rglob("*.css")
    }
    assert len(styles) > 2
    assert {name: found for name, found in styles.items() if found} == {}


def test_remote_addresses_are_detected() -> None:
    page = resources(
        '<script src="https://cdn.org/a.js"></script><link href="//x.org/a.css">'
        '<a href="https://link.org">is not loaded</a><img src="local.png">'
    )
    remote = [address for address in page.loaded if is_remote(address)]
    assert remote == ["https://cdn.org/a.js", "//x.org/a.css"]
    style = "@import 'https://a.org/b.css'; p {background: url(local.png)}"
    assert remote_in_style(style) == ["https://a.org/b.css"]


def test_links_inside_the_site_exist(pages: dict[Path, Resources]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = path.parent / unquote(address.path) if address.path else path
            target = target.resolve()
            if not target.exists():
                broken.append(f"{path.relative_to(SITE)}: {link}")
            elif address.fragment and target in pages:
                if unquote(address.fragment) not in pages[target].ids:
                    broken.append(f"{path.relative_to(SITE)}: {link}")
    assert broken == []


def test_public_names_have_an_entry(pages: dict[Path, Resources]) -> None:
    ids = set().union(*(page.ids for page in pages.values()))
    documented = set()
    for path in ids:
        if re.fullmatch(r"similitude(_lab)?(\.\w+)+", path):
            try:
                documented.add(id(look_up(path)))
            except (ImportError, AttributeError):  # a method or a field
                continue
    missing = [path for path in public_paths() if id(look_up(path)) not in documented]
    assert missing == []


def test_examples_have_output_and_notebooks() -> None:
    scripts = sorted((SITE.parents[2] / "examples" / "gallery").glob("plot_*.py"))
    assert len(scripts) == 14
    assert {script.stem for script in scripts} >= DOORS
    for script in scripts:
        (notebook,) = (SITE / "_downloads").rglob(f"{script.stem}.ipynb")
        cells = json.loads(notebook.read_text())["cells"]
        assert {cell["cell_type"] for cell in cells} == {"code", "markdown"}
        page = (SITE / "gallery" / f"{script.stem}.html").read_text()
        assert "sphx-glr-script-out" in page or "sphx-glr-single-img" in page


def test_printed_lines_of_examples_fit_into_their_page() -> None:
    """A longer line is cut off, and a reader has to scroll to its end."""
    for page in sorted((SITE / "gallery").glob("plot_*.html")):
        printed = r"sphx-glr-script-out.*?<pre>(.*?)</pre>"
        for output in re.findall(printed, page.read_text(), re.S):
            lines = unescape(re.sub(r"<[^>]*>", "", output)).splitlines()
            assert max(map(len, lines), default=0) <= 100, page.stem


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium.check_installed()
    with chromium.launched() as found:
        yield found


def open_page(browser: Any, name: str, **options: Any) -> tuple[Any, list[str]]:
    """The page, and a list of errors and of requests to other hosts."""
    problems: list[str] = []
    page = browser.new_context(**options).new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda m: problems.append(m.text) if m.type in ("error", "warning") else None,
    )
    page.on("request", lambda r: problems.append(r.url) if is_remote(r.url) else None)
    page.goto(f"file://{SITE / name}")
    return page, problems


def test_answers_hide_the_other_measures(browser: Any) -> None:
    page, problems = open_page(browser, "which_measure.html")
    rows = page.locator("#which-table tr[id]:visible")
    assert rows.count() == len(MEASURES)
    page.select_option("select[name=domain]", "points")
    page.select_option("select[name=ignores]", "rotation")
    page.select_option("select[name=needs]", "interval")
    assert page.locator("#which-cka").is_visible()
    assert not page.locator("#which-rtd").is_visible()
    assert page.locator(".which-family:visible").count() < 5
    assert 0 < rows.count() < 5
    count = page.locator("#which-count").inner_text()
    assert count == f"{rows.count()} of {len(MEASURES)} measures match."
    page.click("text=Clear answers")
    page.wait_for_function(
        f"document.querySelectorAll('#which-table tr[id]:not([hidden])').length"
        f" == {len(MEASURES)}"
    )
    assert problems == []


def test_without_scripts_the_whole_table_is_shown(browser: Any) -> None:
    page, _ = open_page(browser, "which_measure.html", java_script_enabled=False)
    assert page.locator("#which-table tr[id]:visible").count() == len(MEASURES)
    assert not page.locator("#which-questions").is_visible()


@pytest.mark.parametrize(
    "name", ["families/kernel_alignment.html", "topology_algorithm.html"]
)
def test_formulas_are_drawn_offline(browser: Any, name: str) -> None:
    page, problems = open_page(browser, name)
    page.wait_for_selector("mjx-container")
    page.wait_for_function("document.querySelectorAll('mjx-container').length > 15")
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    assert problems == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["index", "compare", "benchmarks", "reproductions"])
def test_pages_do_not_scroll_sideways(browser: Any, name: str, width: int) -> None:
    size = {"width": width, "height": 800}
    page, problems = open_page(browser, f"{name}.html", viewport=size)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width
    assert problems == []
