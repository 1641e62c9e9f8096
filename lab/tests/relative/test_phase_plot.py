"""Panels, dots and hatching of plot_phase match the data."""

from pathlib import Path

import numpy as np
import pytest

from similitude import InvalidInput
from similitude_lab.relative import plot_phase

DIMS, COUNTS = (4, 16), (8, 32, 128)


def table() -> dict[str, np.ndarray]:
    rows = [
        (t, c, d, k, s)
        for t in ("cosine", "robust")
        for c in ("turn", "stretch + shift")
        for d in DIMS
        for k in COUNTS
        for s in (0, 1)
    ]
    names = ("transform", "change", "d", "k", "seed")
    data = {n: np.array([r[i] for r in rows]) for i, n in enumerate(names)}
    data["kept"] = np.random.default_rng(0).uniform(-0.2, 1.2, size=len(rows))
    data["own"] = np.full(len(rows), 90.0)
    data["stitched"] = np.where(data["change"] == "turn", 90.4, 80.0)
    undefined = (data["transform"] == "robust") & (data["k"] == 8)
    for name in ("kept", "stitched"):
        data[name] = np.where(undefined, np.nan, data[name])
    return data


def test_panels_dots_and_hatching_match_the_data(tmp_path: Path) -> None:
    data = table()
    axes, drawn = plot_phase(data)
    assert axes.shape == (2, 2)
    for i, transform in enumerate(("cosine", "robust")):
        for j, change in enumerate(("turn", "stretch + shift")):
            (mesh,) = (
                c for c in axes[i, j].collections if hasattr(c, "get_coordinates")
            )
            shown = np.ma.filled(mesh.get_array().reshape(3, 2), np.nan)
            panel = (data["transform"] == transform) & (data["change"] == change)
            for a, d in enumerate(DIMS):
                for b, k in enumerate(COUNTS):
                    rows = panel & (data["d"] == d) & (data["k"] == k)
                    mean = data["kept"][rows].mean()
                    np.testing.assert_allclose(shown[b, a], np.clip(mean, 0, 1))
                    cell = (drawn["transform"] == transform) & (drawn["d"] == d)
                    cell &= (drawn["change"] == change) & (drawn["k"] == k)
                    np.testing.assert_allclose(drawn["kept"][cell], [mean])
            dots = axes[i, j].collections[-1].get_offsets()
            wanted = 0 if change != "turn" else 6 if transform == "cosine" else 4
            assert (
                len(dots)
                == wanted
                == drawn["exact"][
                    (drawn["transform"] == transform) & (drawn["change"] == change)
                ].sum()
            )
            assert (axes[i, j].patch.get_hatch() is not None) == (transform == "robust")
    assert [t.get_text() for t in axes[-1, 0].get_xticklabels()] == ["4", "16"]
    assert "robust" in axes[1, 0].get_ylabel()
    axes[0, 0].figure.savefig(tmp_path / "phase.png")
    assert (tmp_path / "phase.png").stat().st_size > 5_000


def test_transforms_changes_and_exact_select_panels_and_dots() -> None:
    axes, drawn = plot_phase(table(), transforms=["robust"], changes=["turn"])
    assert axes.shape == (1, 1)
    assert set(drawn["transform"].tolist()) == {"robust"}
    strict = plot_phase(table(), exact=0.1)
    assert not strict.data["exact"].any()


def test_missing_columns_and_unknown_names_raise() -> None:
    data = table()
    for wrong in (
        {"data": {"d": [1]}},
        {"data": {k: v[:0] for k, v in data.items()}},
        {"data": data | {"kept": [1.0]}},
        {"data": data, "transforms": ["angular"]},
        {"data": data, "changes": ["nothing"]},
    ):
        with pytest.raises(InvalidInput):
            plot_phase(**wrong)
