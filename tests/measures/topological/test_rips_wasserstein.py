"""Wasserstein distance of Rips barcodes against its definition."""

import numpy as np

import similitude as sim
from measures.topological.noisy_clouds import clouds, in_units
from similitude import topology


def test_rips_wasserstein_equals_its_definition() -> None:
    x, y = clouds(0)
    for degree, order in ((0, 1.0), (1, 1.0), (1, 2.0)):
        a, b = (
            topology.rips_barcode_from_distances(in_units(v))[degree] for v in (x, y)
        )
        expected = topology.wasserstein_distance(a, b, order=order, internal=1)
        got = sim.rips_wasserstein(x, y, degree=degree, order=order)
        np.testing.assert_allclose(float(got), expected, rtol=1e-9)
