"""Golden transcripts: what commands print, and their exit codes.

`python tests/old_files/transcripts.py write` writes `transcripts/`, and `diff` prints
the differences. An intended difference is listed in `transcripts/CHANGES.md`, with the
sentence that wants it.
"""

import difflib
import json
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import similitude as sim
from old_files.commands import HERE, Said, copy_some, inside, run

GOLDEN = Path(__file__).parent / "transcripts"

SCENES = {
    "version": "--version",
    "help": "--help",
    # comparisons
    "compare-two-files": "compare inputs/a.npy inputs/b.npy",
    "compare-json": "compare inputs/a.npy inputs/b.npy -m procrustes,rsa "
    "--permutations 9 --json",
    "compare-latex": "compare inputs/a.npy inputs/b.npy inputs/c.npy -m rsa --latex",
    "compare-kernels": "compare inputs/a.npy inputs/b.npy --permutations 9 "
    "-m 'cka(kernel=rbf,fraction=0.5),cka(kernel=knn,k=5),cka(kernel=diffusion)'",
    "compare-baselines": "compare inputs/a.npy inputs/b.npy inputs/c.npy -m cka "
    "--baseline untrained=inputs/twins --baseline seed=inputs/d.npy --long",
    "compare-layers": "compare inputs/m1.npz inputs/m2.npz -m cka --permutations 0",
    "compare-within": "compare inputs/a.npy inputs/b.npy -m cka "
    "--within inputs/labels.npy --permutations 9",
    "compare-outputs": "compare --outputs inputs/outputs --targets inputs/labels.npy",
    "compare-run-file": "compare inputs/a.npy inputs/b.npy --config inputs/run.toml",
    "compare-store": "compare store-files -m rsa --permutations 0 --rows 0:50",
    "compare-shard": "compare inputs/a.npy inputs/b.npy inputs/c.npy "
    "-m cka,procrustes,rsa --permutations 9 -o results-shards --shard 1/3",
    "compare-steps": "compare store-steps -m procrustes --reference first",
    "compare-missing-file": "compare inputs/a.npy inputs/none.npy",
    "compare-unknown-measure": "compare inputs/a.npy inputs/b.npy -m chrun",
    "compare-unknown-kernel": "compare inputs/a.npy inputs/b.npy -m 'cka(kernel=rbv)'",
    "compare-unknown-option": "compare inputs/a.npy inputs/b.npy --permutation 3",
    "compare-other-rows": "compare inputs/a.npy inputs/x.npz",
    # results folders
    "show-statistics": "show results-statistics",
    "show-baselines": "show results-baselines --long",
    "show-kernels": "show results-kernels",
    "show-layers-latex": "show results-layers --latex",
    "show-within-json": "show results-within --json",
    "show-unfinished": "show results-unfinished",
    "show-shards": "show results-shards",
    "show-stitching": "show stitching",
    "show-stimuli": "show results-statistics --stimuli a b -m procrustes",
    "show-no-folder": "show inputs",
    "report": "report results-statistics -o page.html",
    # models
    "layers": "layers net.py:make --shape 4",
    "layers-onnx-json": "layers inputs/net.onnx --data inputs/x.npz --json",
    "extract": "extract net.py:make --data inputs/x.npz -o new --layers first",
    "extract-unknown-layer": "extract net.py:make --data inputs/x.npz -o new "
    "--layers middle",
    "diff-pass": "diff golden net.py:make --data inputs/x.npz --outputs last "
    "--allow relative_error=0.01",
    "diff-fail": "diff net.py:make net.py:make=inputs/step10.safetensors "
    "--data inputs/x.npz --no-repeats --allow relative_error=0.1",
    "diff-inconclusive-json": "diff store-torch golden --allow cka=0.9 --json",
    # latent spaces
    "latent-align": "latent align inputs/a.npy inputs/b.npy",
    "latent-align-json": "latent align inputs/a.npy inputs/b.npy -m affine --json",
    "latent-relative": "latent relative inputs/a.npy inputs/b.npy -a uniform:8 "
    "-o rows.npz",
    "latent-stitch": "latent stitch inputs/a.npy inputs/b.npy "
    "--labels inputs/labels.npy -t robust --seeds 0 -a 20 -o new",
    "migrate": "migrate inputs/old.parquet inputs/new.parquet -k 5",
    "migrate-fail": "migrate inputs/old.parquet inputs/new.parquet -k 5 "
    "--keep-at-least 0.99",
    "migrate-apply": "migrate apply migrate inputs/old.parquet -o mapped.parquet",
    # facts
    "measures": "measures",
    "measures-invariant": "measures --invariant-to linear --long",
    "measures-one": "measures rsa",
    "cite": "cite cka procrustes",
    "advise": "advise inputs/a.npy inputs/m1.npz",
    "doctor": "doctor",
    # stores and data
    "store-list": "store list store-files",
    "store-show": "store show store-files",
    "store-verify": "store verify store-onnx",
    "store-rm-unknown": "store rm store-files none",
    "data-list": "data list",
    "data-verify": "data verify mnist",
    "data-path-missing": "data path cifar10",
    # the laboratory
    "study-list": "study list",
    "study-show": "study show closeness/kl-table",
    "study-dry-run": "study run closeness/kl-table --scale smoke --dry-run",
    "study-unknown": "study show closeness/none",
}

# What differs between machines, days and versions, and what stands for it.
RULES = (
    (r"similitude: compiling kernels \(first use only\)\n", ""),
    (r"\b[0-9a-f]{12,64}\b", "<HASH>"),
    (rf"\b{re.escape(sim.__version__)}\b", "<VERSION>"),
    (r"\b\d[\d.,]* (?:ms|s|min|h)\b", "<TIME>"),
    (r'("(?:seconds|memory_budget|blocks)": )[\d.e+-]+', r"\1<NUMBER>"),
    (r"(?s)^\nVersions\n.*?\nSelf-test\n", "<ENVIRONMENT>\nSelf-test\n"),
    (r"[ \t]+\n", "\n"),
)


def normalized(text: str, folder: Path) -> str:
    for place in (str(folder.resolve()), str(folder)):
        text = text.replace(place, "<FOLDER>")
    if text.startswith("{"):
        text = json.dumps(rounded(json.loads(text)), indent=1) + "\n"
    for pattern, standing in RULES:
        text = re.sub(pattern, standing, text)
    return text


def rounded(found: Any) -> Any:
    """Floats with six digits; other machines have other last digits."""
    if isinstance(found, dict):
        return {key: rounded(value) for key, value in found.items()}
    if isinstance(found, list):
        return [rounded(value) for value in found]
    if isinstance(found, float):
        return 0.0 if abs(found) < 1e-12 else float(f"{found:.6g}")
    return found


def transcript(name: str) -> str:
    """The command, its exit code, and what it prints."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "museum"
        named = [p for p in HERE.iterdir() if p.name in f"inputs cache {SCENES[name]}"]
        copy_some(named, folder)
        with inside(folder), sim.config(cache_dir=Path("cache")):
            found: Said = run(*shlex.split(SCENES[name]))
        out, err = (normalized(text, folder) for text in (found.out, found.err))
    lines = [f"$ similitude {SCENES[name]}", f"exit code {found.code}"]
    lines += ["--- stdout", *out.splitlines(), "--- stderr", *err.splitlines()]
    return "\n".join(lines) + "\n"


def difference(name: str, found: str) -> str:
    """A unified diff between the golden transcript and this one; empty if equal."""
    path = GOLDEN / f"{name}.txt"
    golden = path.read_text("utf-8") if path.exists() else ""
    lines = difflib.unified_diff(
        golden.splitlines(keepends=True),
        found.splitlines(keepends=True),
        f"golden {name}",
        "today",
    )
    return "".join(lines)


def main() -> None:
    if sys.argv[1:] not in (["write"], ["diff"]):
        sys.exit("usage: python tests/old_files/transcripts.py write|diff")
    GOLDEN.mkdir(exist_ok=True)
    for name in SCENES:
        found = transcript(name)
        if sys.argv[1] == "write":
            (GOLDEN / f"{name}.txt").write_text(found, "utf-8")
        else:
            sys.stdout.write(difference(name, found))
    for path in GOLDEN.glob("*.txt"):
        if path.stem not in SCENES and sys.argv[1] == "write":
            path.unlink()


if __name__ == "__main__":
    main()
