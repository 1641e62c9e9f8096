"""Mass attracts mass: why densification draws the parts of a class together."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from similitude.errors import require
from similitude.plots import COLORS
from similitude.topology import beta_connected, densification_loss

from ..study import Config, Figures, StudyResult, described, mean_interval, table_of
from ..study.panels import curve_with_band, subplots

BETA, GAP, SPREAD, RATE = 1.0, 6.0, 0.4, 0.2
RINGS = (1, 2, 3)  # widths of the extension of the heavy part, in units of beta
SAMPLES = 200  # that estimate the probability of a connected sample


@dataclass(frozen=True)
class Setting:
    """Points of the class, share of its heavy part, size of a sample, and steps."""

    points: int
    share: float
    sample: int
    steps: int
    seeds: int
    times: int = 11


def two_parts(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """A class of two parts: most points are around 0, the others GAP away."""
    heavy = round(setting.share * setting.points)
    points = SPREAD * rng.standard_normal((setting.points, 2))
    points[heavy:, 0] += GAP
    return points


def measured(
    points: np.ndarray, heavy: np.ndarray, size: int, seed: int
) -> dict[str, float]:
    """Share of connected samples, and of points outside of extensions of the core.

    The core is a ball around the median of the heavy part. A sample with a point in the
    core, a point outside of its extension by l beta, and fewer than l points between
    them is not connected. `violations` counts samples against this rule.
    """
    distance = np.linalg.norm(points - np.median(points[heavy], axis=0), axis=1)
    rows = np.random.default_rng(seed).integers(len(points), size=(SAMPLES, size))
    connected = beta_connected(points[rows], BETA)
    found = {"connected": connected.mean(), "violations": 0.0}
    inside = distance[rows] <= BETA
    for ring in RINGS:
        far = distance[rows] > (1 + ring) * BETA
        between = (~inside & ~far).sum(axis=1)
        apart = inside.any(axis=1) & far.any(axis=1) & (between < ring)
        found["violations"] += float((apart & connected).sum())
        found[f"outside_{ring}"] = float((distance > (1 + ring) * BETA).mean())
    return found


def largest_outside(connected: float, core: float, size: int, ring: int) -> float:
    """The largest mass outside of an extension that the rule allows.

    By the multinomial law of the numbers of points in the core, between, and outside.
    """

    def apart(outside: float) -> float:
        between = max(0.0, 1 - core - outside)
        return sum(
            math.comb(size, k)
            * between**k
            * ((1 - between) ** (size - k) - core ** (size - k) - outside ** (size - k))
            for k in range(min(ring, size))
        )

    grid = np.linspace(0, 1 - core, 200)
    allowed = [value for value in grid if apart(float(value)) <= 1 - connected]
    return float(max(allowed, default=0.0))


def densified(setting: Setting, seed: int) -> dict[str, np.ndarray]:
    """Descend the densification loss of random samples, and measure on the way."""
    torch = require("torch", feature="training of networks", extra="torch")
    from ..training._loop import descent, train

    rng = np.random.default_rng(seed)
    first = two_parts(setting, rng)
    heavy = np.arange(len(first)) < round(setting.share * len(first))
    z = torch.tensor(first, requires_grad=True)
    sides = [np.flatnonzero(heavy), np.flatnonzero(~heavy)]

    def sample(step: int) -> Any:
        chosen = rng.choice(np.arange(len(first)), setting.sample, replace=False)
        return torch.from_numpy(chosen)

    def loss(rows: Any) -> Any:
        return densification_loss(z[rows], None, BETA, penalty="hinge")

    rows = []
    every = setting.steps // (setting.times - 1)

    def keep(step: int, *_: Any) -> None:
        if step % every == 0:
            now = z.detach().numpy()
            rows.append({"step": step, **measured(now, heavy, setting.sample, seed)})

    keep(0)
    train(
        (sample(step) for step in range(setting.steps)),
        descent(loss, torch.optim.SGD([z], lr=RATE)),
        after=lambda step, *_: keep(step + 1),
    )
    last = z.detach().numpy().copy()
    moved = [np.linalg.norm((last - first)[part].mean(axis=0)) for part in sides]
    found = {name: np.array(column) for name, column in table_of(rows).items()}
    return found | {"first": first, "last": last, "moved": np.array(moved)}


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    seeds = rng.integers(2**31, size=setting.seeds).tolist()
    config.parts.expect(len(seeds))
    compute = partial(densified, setting)
    parts = [config.parts.keep(f"seed-{i}", compute, s) for i, s in enumerate(seeds)]
    heavy, light = np.array([part["moved"] for part in parts]).T
    outside = np.array([part["outside_2"] for part in parts])
    values = {
        "connected_before": float(np.mean([p["connected"][0] for p in parts])),
        "connected_after": float(np.mean([p["connected"][-1] for p in parts])),
        "outside_before": float(outside[:, 0].mean()),
        "outside_after": float(outside[:, -1].mean()),
        "light_moved": float(light.mean()),
        "heavy_moved": float(heavy.mean()),
        "low_advantage": mean_interval(light - heavy).low,
        "sample": float(setting.sample),
        "violations": float(sum(p["violations"].sum() for p in parts)),
    }
    names = ("step", "connected", *(f"outside_{ring}" for ring in RINGS))
    curves = [
        {"seed": at, **{name: part[name][i] for name in names}}
        for at, part in enumerate(parts)
        for i in range(len(part["step"]))
    ]
    shifts = [
        {"seed": at, "part": part, "shift": float(moved[at])}
        for at in range(len(parts))
        for part, moved in (("heavy", heavy), ("light", light))
    ]
    points = parts[0]
    return StudyResult(
        values=values,
        tables={
            "curves": table_of(curves),
            "shifts": table_of(shifts),
            "points": {
                "x": points["first"][:, 0].round(4),
                "y": points["first"][:, 1].round(4),
                "x_after": points["last"][:, 0].round(4),
                "y_after": points["last"][:, 1].round(4),
            },
        },
    )


def draw(result: StudyResult) -> Figures:
    figure, (left, middle, right) = subplots(1, 3, figsize=(12.0, 3.6))
    points, curves = result.frame("points"), result.frame("curves")
    for end, color, label in (("", "0.7", "before"), ("_after", COLORS[0], "after")):
        x, y = points[f"x{end}"], points[f"y{end}"]
        left.scatter(x, y, s=5, color=color, label=label)
    left.set(title="points of one class, in units of beta", ylim=(-3, 3))
    left.legend(loc="upper center", ncols=2)
    steps = curves.unique("step")
    seeds = [curves.where(seed=seed) for seed in curves.unique("seed")]
    names = {"connected": "samples that are connected"}
    names |= {f"outside_{ring}": f"mass beyond {ring} beta" for ring in RINGS}
    for color, (name, label) in zip(COLORS, names.items(), strict=False):
        rows = np.array([seed[name] for seed in seeds])
        curve_with_band(middle, steps, rows, color=color, label=label)
    middle.set(xlabel="step", ylabel="share", title="mass attracts mass")
    middle.legend(fontsize=8)
    grid = np.linspace(0, 1, 41)
    size = int(result.values["sample"])
    for ring, color in zip(RINGS, COLORS[1:], strict=False):
        limits = [largest_outside(float(c), 0.5, size, ring) for c in grid]
        right.plot(grid, limits, color=color, label=f"beyond {ring} beta")
    right.set(
        xlabel=f"probability that {size} points are connected",
        ylabel="largest mass",
        title="the bound, if the core has half of the mass",
    )
    right.legend(fontsize=8)
    return {"mass": figure}


STUDY = described("relative/mass", run, draw, Setting)
