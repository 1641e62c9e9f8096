"""Networks in a cache stay readable: names of folders and files are those of before.

cached_networks.json was written before both kinds of training became one. If a request
changes on purpose, networks in all caches are trained again; then write it anew with

    python lab/tests/training/test_cached_networks.py
"""

import json
from pathlib import Path

from similitude_lab.closeness.studies import _image_models
from similitude_lab.closeness.training._manifest import model_of
from similitude_lab.study import STUDIES, find_study

RECORD = Path(__file__).with_name("cached_networks.json")
IMAGE_MODELS = ("closeness/cifar10-reps", "closeness/loss-vs-mcca")


def shared() -> dict[str, list[str]]:
    """The folders of the training runs that each study shares, by scale."""
    found = {}
    for name in STUDIES:
        study = find_study(name)
        for scale, setting in study.settings.items():
            folders = [one.digest()[:24] for one in study.trainings(setting)]
            if folders:
                found[f"{name} {scale}"] = folders
    return found


def closeness() -> dict[str, dict[str, object]]:
    """The first file and the manifest's request of the image models of each M."""
    found = {}
    for name in IMAGE_MODELS:
        for scale, setting in find_study(name).settings.items():
            for dim, seeds in setting.seeds:
                plan = _image_models._experiment(setting, dim, seeds)
                (one,) = plan.settings()
                found[f"{name} {scale} {dim}"] = {
                    "file": str(one.name(0, _image_models.DATE)),
                    "seeds": list(plan.variations.random_seeds),
                    "dataset": one.dataset.model_dump(),
                    "train": one.train.model_dump(),
                    "model": model_of(one).model_dump(),
                }
    return found


def requests() -> dict[str, object]:
    return {"shared": shared(), "closeness": closeness()}


def test_networks_in_the_cache_keep_their_names() -> None:
    recorded = json.loads(RECORD.read_text())
    now = json.loads(json.dumps(requests()))
    assert now["shared"] == recorded["shared"]
    assert now["closeness"] == recorded["closeness"]


if __name__ == "__main__":
    RECORD.write_text(json.dumps(requests(), indent=1) + "\n")
