"""The studies by name. The module of a study is imported when it is used."""

import importlib

from similitude.errors import InvalidInput, did_you_mean

from ._study import Study

#: Name of the study to its module. Each module has a constant STUDY.
STUDIES = {
    "challenges/dissimilar-pair": "challenges._dissimilar_pair",
    "closeness/cifar10-reps": "closeness.studies._cifar10_reps",
    "closeness/constructed": "closeness.studies._constructed",
    "closeness/distillation": "closeness.studies.distillation._distillation",
    "closeness/kl-table": "closeness.studies._kl_table",
    "closeness/loss-vs-mcca": "closeness.studies._loss_vs_mcca",
    "closeness/synthetic-data": "closeness.studies._synthetic_data",
    "closeness/trained-synthetic": "closeness.studies._trained_synthetic",
    "closeness/width": "closeness.studies._width",
    "measures/mini-resi": "measures._mini_resi",
    "measures/null": "measures._null",
    "measures/sensitivity": "measures._sensitivity",
    "relative/densified": "relative.languages._densified",
    "relative/generalization": "relative.images._generalization",
    "relative/images": "relative.images._images",
    "relative/mass": "relative._mass",
    "relative/phase-diagram": "relative._phase_diagram",
    "relative/poster-tables": "relative._poster_tables",
    "relative/stitching": "relative.languages._stitching",
    "rtd/autoencoder": "rtd._autoencoder",
    "rtd/cka-layers": "rtd._cka_layers",
    "rtd/clusters": "rtd._clusters",
    "rtd/disentanglement": "rtd.disentanglement._disentanglement",
    "rtd/dynamics": "rtd.convnets._dynamics",
    "rtd/ensembles": "rtd.convnets._ensembles",
    "rtd/layers": "rtd.convnets._layers",
    "rtd/nas-map": "rtd.nas_map._nas_map",
    "rtd/rings": "rtd._rings",
    "rtd/shift": "rtd.shift._shift",
    "rtd/transfer": "rtd.transfer._transfer",
}


def find_study(name: str) -> Study:
    """The study of this name; the error for an unknown name shows the nearest names."""
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES)
        raise InvalidInput(
            f"there is no study {name!r}.{hint} `similitude study list` lists all "
            f"{len(STUDIES)}."
        )
    module = importlib.import_module(f"..{STUDIES[name]}", __package__)
    study: Study = module.STUDY
    return study
