"""The page docs/calibration.md, from the results of the scripts."""

from typing import Any

from scipy.stats import binom

from .coverage_page import NOT_RUN, UNLIKELY, coverage, table

TOO_MANY = "too many at"
_HEAD = """\
# Calibration

This page answers three questions by simulations whose true answer is known. Are
p-values too small? Do 95 % intervals contain the true value? How often are the verdicts
of `diff`, `stimuli` and `migrate` wrong? [Conformance](conformance.md) asks whether the
scores themselves are right.

`make trust` generates this page and resumes if it is stopped; do not edit it.
[Time](#time) has its processor seconds. `make trust QUICK=1` uses fewer runs, and
writes its page to `trust/quick`. A count is called too large, or a coverage too low,
if a binomial variable of its nominal level is as extreme with a probability below 1 in
1,000. Older and longer runs are in [Benchmarks](benchmarks.md#coverage).
"""


_P = """\
`python benchmarks/trust/p_values.py FOLDER --draws {draws}`. Pairs of unrelated
representations of {rows} rows are drawn: normal, heavy-tailed, clustered and discrete
values in turn. A valid p is at or below a level in at most that share of draws; smaller
shares are cautious. p is from {orders} permutations or, "by moments", from the exact
moments of all permutations. There are too many small p in {wrong} of {tests} tests.
Rows that depend on each other (blocks, time series) were not drawn.
"""

_DIFF = """\
`python benchmarks/diff_errors.py`. Faults are planted in networks with random weights
({kinds}). A layer is named if its relative error is above 3 noise floors, so faults of
1 to 3 floors are not found, by design.
"""

_EARLIER = f"{NOT_RUN}\n[Diff](diff.md#errors) has an earlier run.\n"

_GATE = """\
The gate (`--allow`) is asked about a change whose true score is exactly the limit. Both
"pass" and "fail" are then errors, each of which a 95 % interval makes in 2.5 % of runs,
and "open" is the right answer. In the lines "far inside", "pass" is the right answer.
"""

_STIMULI = """\
`python benchmarks/stimuli.py --runs {runs} --seeds {seeds}`. In each run, two seeds of
one network (digits, hidden layers of {widths}; the first is compared) are compared on
300 images, and five other seeds are the baselines. "false alarms" are runs without a
planted difference in which any stimulus is reported (q < 0.05). Then 20 rows are
exchanged in pairs of different digits. The next columns are the mean numbers of these
rows and of other rows that are reported, and of these rows among the 25 lowest scores
of noisy copies. A planted group of 20 neighbors is found as one group in {groups} of
{group_runs} runs.
"""

_LIMITS = """\
These numbers are for this network. Fewer rows are found in narrow networks, whose seeds
differ more, and in last layers: see [Statistics](statistics.md).
"""

_MIGRATE = """\
`python benchmarks/migrate_errors.py --runs {runs}`. A map is fitted to 500 of 2,000
rows, and 200 queries measure its recall. "covers" is the share of intervals that
contain the recall of the same map over all other rows. "passes" counts the verdict
`--keep-at-least` at a limit of exactly the true recall: such a verdict is an error,
which is expected in 2.5 % of runs. The limit for rows paired at random is 0.05. The
interval is for one map over queries; the spread over new draws of fitted rows is not
claimed. `benchmarks/migrate.py` adds lines of encoders, if their files are there.
"""

_TIME = """\
Processor seconds for the lines of this page and of
[Conformance](conformance.md). Starting the scripts is not counted. Lines of earlier
runs may have no time; then a part takes longer than its seconds here.
"""


def page(found: dict[str, Any]) -> str:
    sections = {
        "p under the null": p_values(found["p"]),
        "Coverage of intervals": coverage(found["coverage"]),
        "Errors of `diff`": diff(found["diff"]),
        "Errors of `stimuli`": stimuli(found["stimuli"]),
        "Errors of `migrate`": migrate(found["migrate"], found["encoders"]),
        "Time": seconds(found["seconds"]),
    }
    parts = [f"## {title}\n\n{text}" for title, text in sections.items()]
    return "\n".join([_HEAD, *parts])


def p_values(found: list[dict[str, Any]]) -> str:
    """`benchmarks/trust/p_values.py`: shares of p at or below each level."""
    if not found:
        return NOT_RUN
    by_measure = {one["measure"]: one for one in found}
    rows, wrong = [], 0
    for name, one in sorted(by_measure.items()):
        for kind, words in (("", ""), ("moment_", ", by moments")):
            if not one.get(f"{kind}draws"):
                continue
            draws, counts = one[f"{kind}draws"], one[f"{kind}counts"]
            high = [
                level
                for level, count in counts.items()
                if binom.sf(count - 1, draws, float(level)) < UNLIKELY
            ]
            shares = [f"{count / draws:.4f}" for count in counts.values()]
            verdict = f"{TOO_MANY} {', '.join(high)}" if high else "ok"
            wrong += bool(high)
            rows.append([f"`{name}`{words}", str(draws), *shares, verdict])
    levels = [f"p <= {level}" for level in found[0]["counts"]]
    text = _P.format(**found[0], wrong=wrong, tests=len(rows))
    return f"{text}\n{table(['measure', 'draws', *levels, 'verdict'], rows)}"


def diff(found: dict[str, Any] | None) -> str:
    """`benchmarks/diff_errors.py`: the named layer, and the gate."""
    if not found:
        return _EARLIER
    parts = [_layers(found), _GATE]
    if "limits" not in found:
        return "\n".join([*parts, _EARLIER])
    gates = [
        [
            *(row["measure"], f"{row['limit']:.4f}", str(row["n"])),
            *(str(row.get(key, 0)) for key in ("pass", "fail", "inconclusive")),
        ]
        for row in found["limits"]
    ]
    head = ["limit of", "value", "rows", "pass", "fail", "open"]
    return "\n".join([*parts, table(head, gates)])


def _layers(found: dict[str, Any]) -> str:
    """Which layer is named first, with and without a planted fault."""
    if not {"faults", "no fault"} <= found.keys():
        return f"{_DIFF.format(kinds='four kinds')}\n{_EARLIER}"
    faults, quiet = found["faults"], found["no fault"]
    counts = {
        "a fault above 10 noise floors: the right layer is named": (
            f"{faults['named']} of {faults['above 10 floors']}"
        )
    }
    for floors, (named, planted) in faults["by floors"].items():
        text = f"a weak fault of {floors} floors: the right layer is named"
        counts[text] = f"{named} of {planted}"
    counts["the same network in other batches and threads: a layer is named"] = (
        f"{quiet['a layer named']} of {quiet['runs']} (largest change: "
        f"{quiet['largest change in floors']:.1f} floors)"
    )
    kinds = ", ".join(f"{count} x {name}" for name, count in faults["kinds"].items())
    rows = map(list, counts.items())
    return f"{_DIFF.format(kinds=kinds)}\n{table(['the layer', 'count'], rows)}"


def stimuli(found: dict[str, Any] | None) -> str:
    """`benchmarks/stimuli.py`: false alarms, and planted changes that are found."""
    if not found:
        return f"{NOT_RUN}\n[Statistics](statistics.md) has an earlier run.\n"
    runs, widths = found["runs"], " and ".join(map(str, found["widths"]))
    rows = [
        [
            *(f"`{name}`", f"{one['false_alarms']} of {runs}"),
            *(f"{one[key]:.1f}" for key in ("found", "false", "lowest")),
        ]
        for name, one in found.items()
        if isinstance(one, dict)
    ]
    head = ["measure", "false alarms", "of 20 found", "others", "among the 25 lowest"]
    numbers = found | {"widths": widths, "group_runs": runs // 5}
    return "\n".join([_STIMULI.format(**numbers), table(head, rows), _LIMITS])


def migrate(found: list[dict[str, Any]] | None, encoders: list[dict[str, Any]]) -> str:
    """Coverage over random splits, and what becomes of wrong pairs."""
    every = [*(found or []), *_of_encoders(encoders)]
    if not every:
        return NOT_RUN
    rows = [
        [
            *(one["case"], f"{one['recall']:.3f}"),
            *(_share(one["covers"], one["runs"]), f"{one['passes']} of {one['runs']}"),
        ]
        for one in every
    ]
    text = _MIGRATE.format(runs=every[0]["runs"] if found else 300)
    text += (
        "" if found else f"\nCases without encoders: {NOT_RUN[0].lower()}{NOT_RUN[1:]}"
    )
    return f"{text}\n{table(['case', 'true recall', 'covers', 'passes'], rows)}"


def _share(count: int | None, runs: int) -> str:
    if count is None:
        return "-"
    low = " (too low)" if binom.cdf(count, runs, 0.95) < UNLIKELY else ""
    return f"{100 * count / runs:.1f} %{low}"


def _of_encoders(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Splits of `benchmarks/migrate.py`, in the form of `migrate_errors.py`.

    Lines that have this form already are kept without their splits.
    """
    splits: dict[str, list[list[float]]] = {}
    for name, value in (item for line in lines for item in line.items()):
        if name.startswith("coverage"):
            splits.setdefault(name.split(", ")[1], []).extend(value)
    counted = [line for line in lines if "case" in line]
    return counted + [
        {
            "case": f"WordLlama to MiniLM, map the {side}",
            "recall": sum(true for true, _, _ in each) / len(each),
            "covers": sum(low <= true <= high for true, low, high in each),
            "passes": sum(low >= true for true, low, _ in each),
            "runs": len(each),
        }
        for side, each in splits.items()
    ]


def seconds(found: dict[str, tuple[float, int, int]]) -> str:
    """Processor seconds of each part, and their sum if all lines are measured."""
    rows = [
        [part, f"{value:,.0f}" if timed else "not measured", f"{timed} of {lines}"]
        for part, (value, timed, lines) in found.items()
    ]
    whole = sum(value for value, _, _ in found.values())
    if found and all(timed == lines > 0 for _, timed, lines in found.values()):
        rows.append(["all", f"{whole:,.0f} ({whole / 60:.0f} minutes)", ""])
    return f"{_TIME}\n{table(['part', 'processor seconds', 'lines measured'], rows)}"
