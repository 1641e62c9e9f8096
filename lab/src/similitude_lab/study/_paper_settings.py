"""The settings of the papers, in one table, and what we could not repeat."""

from typing import Any

#: Studies whose scale paper was run to its end, or read from existing results.
RUN_HERE = ("closeness/trained-synthetic", "closeness/width")

OURS = "The study is ours; no paper has its setting."
NO_EXPERIMENT = "The poster makes the statement without an experiment."
POSTER_ENCODERS = (
    "The poster fine-tunes pretrained encoders. Ours begin with random weights, except "
    "transformers if the folder of --data has encoders/en and encoders/fr."
)

#: Study -> options of the paper by their name in our setting, and sentences.
PAPER_SETTINGS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "challenges/dissimilar-pair": ({"divisors": (16, 32, 64, 128, 256)}, ()),
    "closeness/cifar10-reps": (
        {"network": "ResNetCIFAR10", "steps": 20_000, "batch": 32, "rate": 1e-4},
        (),
    ),
    "closeness/constructed": ({"labels": (4, 5, 6, 10, 18), "steps": 250}, ()),
    "closeness/distillation": (
        {
            **{"training.width": 512, "per_arm": 1000, "teachers": 5, "students": 5},
        },
        (),
    ),
    "closeness/kl-table": ({"lengths": tuple(range(1, 21)), "runs": 3}, ()),
    "closeness/loss-vs-mcca": (
        {"network": "ResNetCIFAR10", "steps": 20_000, "batch": 32, "rate": 1e-4},
        (),
    ),
    "closeness/synthetic-data": (
        {},
        ("The numbers of points are those of the paper.",),
    ),
    "closeness/trained-synthetic": (
        {"points": 20_000, "steps": 15_000, "seeds": 20, "norms": (0, 20)},
        (),
    ),
    "closeness/width": ({"points": 20_000, "steps": 15_000, "seeds": 20}, ()),
    "measures/mini-resi": ({}, (OURS,)),
    "measures/null": ({}, (OURS,)),
    "measures/sensitivity": ({}, (OURS,)),
    "relative/densified": (
        {"texts.encoders.width": 768, "texts.anchors": 768, "tuning.weight": 0.02},
        (POSTER_ENCODERS,),
    ),
    "relative/generalization": ({}, (NO_EXPERIMENT,)),
    "relative/images": ({}, ("The poster has encoders of texts; images are ours.",)),
    "relative/mass": ({}, (NO_EXPERIMENT,)),
    "relative/phase-diagram": ({}, (NO_EXPERIMENT,)),
    "relative/poster-tables": ({}, ("It has the published tables only.",)),
    "relative/stitching": (
        {"texts.encoders.width": 768, "texts.anchors": 768},
        (POSTER_ENCODERS,),
    ),
    "rtd/autoencoder": ({"width": 512, "weight": 1.0}, ()),
    "rtd/cka-layers": ({"rows": 500, "units": 16_384}, ()),
    "rtd/clusters": ({"imd_runs": 100}, ()),
    "rtd/disentanglement": (
        {},
        ("The paper does not give the position of the slices and the shift.",),
    ),
    "rtd/dynamics": (
        {
            "trainings[0].epochs": 100,
            "trainings[0].batch": 128,
            "batches": 5,
            "batch": 500,
        },
        ("The paper does not give weight decay and augmentation.",),
    ),
    "rtd/ensembles": (
        {
            **{"classical[0].epochs": 100, "classical[0].multiplier": 1.0},
            **{"len(classical)": 4, "batches": 5, "batch": 500},
        },
        ("The paper does not give weight decay and augmentation.",),
    ),
    "rtd/layers": ({"trainings[0].epochs": 100, "batches": 5, "batch": 500}, ()),
    "rtd/nas-map": (
        {"cells": 90},
        ("The paper has trained models of NAS-Bench-NLP; give them with --data.",),
    ),
    "rtd/rings": ({"imd_runs": 100}, ()),
    "rtd/shift": (
        {"networks[0].epochs": 100, "batches": 5, "batch": 500},
        ("The paper does not give weight decay and augmentation.",),
    ),
    "rtd/transfer": (
        {
            "pretraining.epochs": 100,
            "fine_tuning.epochs": 50,
            "batches": 5,
            "batch": 500,
        },
        ("CIFAR-100 is read from a folder of yours, with --data.",),
    ),
}
