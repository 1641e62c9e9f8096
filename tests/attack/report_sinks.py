"""Hostile texts in every place of a report, in Chromium: no script, no request."""

import resource
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from report import chromium

SECONDS, ENVIRONMENT = 240, {"OMP_NUM_THREADS": "1"}
PATIENCE = 20_000  # milliseconds for one action
TEXTS = {
    "script": "<script>alert(1)</script>",
    "closing": "</script><script>alert(1)</script>",
    "comment": "<!--<script>",
    "attribute": '" onmouseover=alert(1) x="',
    "single quote": "' onfocus=alert(1) autofocus '",
    "image": "<img src=x onerror=alert(1)>",
    "svg": "<svg/onload=alert(1)>",
    "link": "javascript:alert(1)",
    "style": "</style><style>*{background:url(//evil.example)}",
    "template": "${alert(1)}{{alert(1)}}",
    "separators": "a\u2028b\u2029\u202e",
}
SINKS = ("name", "model", "layer", "key", "fact", "id", "baseline", "label", "title")


def cases(full: bool) -> list[str]:
    found = [f"{sink} | {text}" for sink in SINKS for text in TEXTS]
    return found if full else []


def check(case: str, folder: Path) -> None:
    sink, text = case.split(" | ")
    given = dict.fromkeys(SINKS, "plain") | {sink: TEXTS[text]}
    path = folder / "report.html"
    try:
        _results(given).report(path, title=given["title"])
    except sim.InvalidInput as error:  # refused, as a name of several lines
        assert str(error).isprintable(), error
        return
    said: list[str] = []
    asked: list[str] = []
    _, browser = _browser()
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda one: (said.append("dialog"), one.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri(), wait_until="load")
        _use(page)
        assert page.locator("script").count() == 2, "another script element"
        assert page.locator("img").count() == 0, "an image"
    assert not said, said
    assert asked == [path.as_uri()], asked


def _use(page: Any) -> None:
    """Open all details, and choose every option: what is hidden now is not a sink."""
    for summary in page.locator("summary:visible").all():
        summary.click()
    chosen = 0
    for select in page.locator("select:visible").all():
        for option in select.locator("option").all():
            select.select_option(option.get_attribute("value"))
            chosen += 1
    assert chosen >= 8, f"only {chosen} options; the page has other controls"


def _results(given: dict[str, str]) -> Any:
    x = np.random.default_rng(0).normal(size=(7, 12, 3))
    ids = [f"{given['id']}{i}" for i in range(12)]
    reps = [
        sim.Representation(
            f"{given['name']}{i}",
            x[i],
            model=f"{given['model']}{i // 2}",
            layer=f"{given['layer']}{i % 2}",
            ids=ids,
            meta={given["key"]: given["fact"]},
        )
        for i in range(6)
    ]
    twins = {rep.name: sim.Representation(rep.name, x[6], ids=ids) for rep in reps}
    measures = {given["label"]: "cka", "other": "procrustes"}
    return sim.compare(
        reps, measures, baselines={given["baseline"]: twins}, permutations=3
    )


@cache
def _browser() -> tuple[Any, Any]:
    """Also what would close the browser when it is collected."""
    # Chromium reserves more addresses than the other attacks may.
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    chromium.check_installed()
    opened = chromium.launched()
    return opened, opened.__enter__()
