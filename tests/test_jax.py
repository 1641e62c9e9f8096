"""JAX, if it is installed: arrays in, arrays out, gradients by jax.grad.

JAX is not a dependency, not even of the tests. Its default is float32, and the tests
keep this default.
"""

import numpy as np
import pytest

from similitude import MEASURES
from similitude.testing._battery import related

jax = pytest.importorskip("jax", reason="jax is not installed")
X, Y = related(np.random.default_rng(0), 40, 5, 4)


@pytest.mark.parametrize(
    "name", [n for n, m in MEASURES.items() if m.domain == "points"]
)
def test_jax_arrays_give_jax_scores_and_gradients(name: str) -> None:
    measure = MEASURES[name]
    got = measure(jax.numpy.asarray(X), jax.numpy.asarray(Y))
    assert isinstance(got, jax.Array)
    assert got.shape == ()
    np.testing.assert_allclose(float(got), float(measure(X, Y)), rtol=1e-3)
    if measure.claims().differentiable:
        gradient = jax.grad(lambda x: measure(x, jax.numpy.asarray(Y)))(
            jax.numpy.asarray(X)
        )
        step = np.random.default_rng(1).normal(size=X.shape)
        up, down = (float(measure(X + h * step, Y)) for h in (1e-5, -1e-5))
        slope = float(np.sum(np.asarray(gradient) * step))
        np.testing.assert_allclose(slope, (up - down) / 2e-5, rtol=1e-2, atol=1e-3)


def test_disagreement_of_jax_labels() -> None:
    labels = jax.numpy.asarray([0, 1, 2])
    got = MEASURES["disagreement"](labels, labels[::-1])
    np.testing.assert_allclose(float(got), 2 / 3, rtol=1e-6)
