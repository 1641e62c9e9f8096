"""The examples run, and their output supports their conclusions."""

import re
import subprocess
import sys
from pathlib import Path

import similitude as sim
from similitude.store import open_store

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_untrained_baseline_changes_the_conclusion() -> None:
    script = EXAMPLES / "trained_and_untrained.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True
    )
    before, after = done.stdout.split("After training")
    number = r"\s+(-?\d\.\d{3})"
    cka = re.search(rf"^cka{number}.*<1e-6$", before, re.M)
    assert cka is not None  # the smallest p that is printed
    assert 0.35 < float(cka[1]) < 0.65
    trained = re.search(rf"^cka{number}.*<1e-6{number}{number}$", after, re.M)
    assert trained is not None
    score, floor, ceiling = map(float, trained.groups())
    assert floor == float(cka[1])
    assert floor < score < ceiling
    # Without the images, untrained networks are not similar.
    without = [
        re.search(rf"^deconfounded_cka{number}", part, re.M) for part in (before, after)
    ]
    assert abs(float(without[0][1])) < 0.1
    assert float(without[1][1]) > 0.5
    assert "Without baselines, the conclusion would be" in " ".join(after.split())
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_demo_says_what_it_does_before_slow_imports() -> None:
    """The text is printed before torch and scikit-learn are found to be missing."""
    code = (
        "import runpy, sys; sys.modules.update(dict.fromkeys(('torch', 'sklearn'))); "
        f"sys.argv = ['demo']; runpy.run_path({str(EXAMPLES / 'demo')!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stdout.startswith("How similar are the layers of six small networks")
    assert "Loading torch and scikit-learn" in done.stdout


def test_the_demo_prints_seven_findings_and_writes_a_report(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "demo"), "--epochs", "2"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    steps = ("Loading torch", "Training six", "Comparing 24", "Stitching", "Writing")
    places = [done.stdout.index(step) for step in steps]
    assert places == sorted(places)
    assert "24 layers on 300 held-out images; 276 pairs" in " ".join(
        done.stdout.split()
    )
    assert re.search(r"^cka +1 +0\.\d\d +0\.\d\d", done.stdout, re.M)
    numbered = re.findall(r"^ (\d)\. ", done.stdout, re.M)
    assert numbered == [str(i) for i in range(1, 8)]
    assert max(len(line.rstrip()) for line in done.stdout.splitlines()) <= 80
    saved = sim.Results.load(tmp_path / "demo" / "results")
    assert len(saved.names) == 24
    assert len(saved) == 276 * 6
    assert all(row.baselines for row in saved.rows if row.measure == "cka")
    assert done.stdout.rstrip().endswith(f"Report: {Path('demo', 'report.html')}")
    report = (tmp_path / "demo" / "report.html").read_text()
    for text in ("Six networks trained on digits", "Zero-shot stitching", "cnn-2"):
        assert text in report
    assert (tmp_path / "demo" / "layers.png").stat().st_size > 10_000
    store = open_store(tmp_path / "demo" / "store")
    assert len(store.select()) == 48  # 24 layers and their untrained twins
