"""The sections of a page, and the reasons why others are missing."""

from typing import Any

from ...engine import Results

HEADINGS = {
    "matrix": "All pairs",
    "layers": "Layers against layers",
    "map": "Map of the representations",
    "dynamics": "Training dynamics",
    "pair": "The chosen pair",
    "topology": "Topology of the chosen pair",
    "agreement": "Where measures agree",
    "functional": "Functional and geometric measures",
    "stimuli": "Stimuli",
    "spaces": "Each space by itself",
    "stitching": "Stitching",
}


def sections(
    data: dict[str, Any], results: Results, *, stitching: bool, spaces: bool
) -> tuple[dict[str, str], list[str]]:
    """The headings of the sections that have data, and one sentence per other one."""
    items, measures = data["items"], data["measures"]
    functional = {one["functional"] for one in measures}
    models = {
        model or name for model, name in zip(items["model"], items["name"], strict=True)
    }
    correlations = data["agreement"]["correlations"]
    steps = {step for step in items["step"] if step is not None}
    reasons = {
        "matrix": len(items["name"]) < 3 and "there is only one pair.",
        "layers": (
            len(steps) > 1
            and len(models) == 1
            and "all representations are checkpoints of one run; see the dynamics."
        )
        or (
            len(models) == len(items["name"])
            and "no model has several layers. Put the layers of a model into one "
            "folder, or give them model and layer."
        ),
        "map": all("reason" in one for one in data["maps"])
        and (data["maps"][0]["reason"] if data["maps"] else "there are no scores."),
        "dynamics": len(steps) < 2
        and "the representations have no step. similitude compare --step "
        "PATTERN reads it from names; extract(step=...) sets it in Python.",
        "pair": not results.rows and "there are no scores.",
        "topology": not data["topology"]["rows"]
        and "no topological measure was computed. List them: similitude measures.",
        "agreement": not any(
            rho is not None for i, line in enumerate(correlations) for rho in line[:i]
        )
        and "rank correlations need two measures and four or more pairs.",
        "functional": functional != {True, False}
        and "they need outputs of the models and representations: similitude "
        "compare --outputs.",
        "stimuli": not data["stimuli"]
        and "no stimuli were listed: similitude compare --stimuli --report FILE.",
        "spaces": not spaces
        and "no representations were given: similitude report RESULTS --spaces PATH.",
        "stitching": not stitching
        and "no stitching table was given: similitude latent stitch -o DIR, then "
        "similitude report RESULTS --stitching DIR.",
    }
    if data["aggregated"]:
        for key in ("layers", "dynamics", "topology", "functional"):
            reasons[key] = reasons[key] and "this page shows means over groups."
    present = {key: HEADINGS[key] for key, reason in reasons.items() if not reason}
    if "dynamics" in present:  # the question of a run of checkpoints
        present = {"dynamics": present["dynamics"]} | present
    absent = [f"{HEADINGS[key]}: {why}" for key, why in reasons.items() if why]
    absent = absent if results.rows else []
    return present, absent
