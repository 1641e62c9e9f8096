"""Seconds to write a report, and until Chromium paints it.

    python benchmarks/report.py [--json] [--models K] [--measures M]

The rows are invented (tests/report/sample_results.py), so only the report is timed:
processor seconds to write the page, its size, and in headless Chromium the wall-clock
time of the first contentful paint, the time until all charts are drawn, the time of a
change of the measure, and the number of elements. The first paint of 100 models under
10 measures must take less than 3 s.
"""

import importlib.util
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from common.harness import command, report

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "report"
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
DRAWN = "performance.timing.loadEventEnd - performance.timing.navigationStart"
SWITCH = """() => {
  const select = document.getElementById('measure');
  select.selectedIndex = select.options.length - 1;
  const start = performance.now();
  select.dispatchEvent(new Event('change'));
  return performance.now() - start;
}"""


def load(name: str) -> ModuleType:
    """A helper of the tests. Their folder has the name of this script."""
    spec = importlib.util.spec_from_file_location(name, SAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def painted(path: Path) -> dict[str, float]:
    """Times of one page in Chromium, in seconds."""
    with load("chromium").launched() as browser:
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.goto(path.as_uri(), wait_until="load")
        page.wait_for_timeout(500)
        return {
            "first_paint": page.evaluate(PAINT) / 1000,
            "drawn": page.evaluate(DRAWN) / 1000,
            "switch_measure": page.evaluate(SWITCH) / 1000,
            "elements": page.evaluate("document.querySelectorAll('*').length"),
        }


def measured(models: int, measures: int) -> dict[str, Any]:
    results = load("sample_results").many_models(models, measures)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        start = time.process_time()
        results.report(path)
        written = time.process_time() - start
        return {
            "models": models,
            "measures": measures,
            "rows": len(results.rows),
            "write_cpu_seconds": written,
            "megabytes": path.stat().st_size / 1e6,
            **painted(path),
        }


def show(found: dict[str, Any]) -> None:
    for name, value in found.items():
        text = f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
        print(f"{name:20} {text:>10}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--models", type=int, default=100, help="number of models")
    parser.add_argument("--measures", type=int, default=10, help="at most 10")
    options = parser.parse_args()
    report(measured(options.models, options.measures), show, as_json=options.json)


if __name__ == "__main__":
    main()
