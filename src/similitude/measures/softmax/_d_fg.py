"""d_fg: distance between representations, with an upper bound from d_LLV."""

from dataclasses import dataclass
from typing import Any

from numpy.random import SeedSequence

from ... import identifiability
from ..._base._array import Array, Score
from ..._base._seed import Rng
from ..._base._validate import Count
from ...inputs import SoftmaxModel
from ...transformations import MODEL_EQUIVALENCE
from .._claims import Claims
from ._base import PreparedModel, SoftmaxMeasure, with_input_sets

__all__ = ["DFG", "d_fg"]


@dataclass(frozen=True, kw_only=True)
class DFG(SoftmaxMeasure):
    """Distance between embeddings and unembeddings; see `similitude.d_fg`."""

    name = "d_fg"
    refs = ("nielsen2025when",)

    draws: Count = 200
    subset_draws: Count = 1_000

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, 1.0),
            triangle=None,
            invariant=MODEL_EQUIVALENCE,
            stochastic=True,
            differentiable=False,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> PreparedModel:
        return with_input_sets(x, self.draws, seed)

    def compare(self, p: PreparedModel, q: PreparedModel) -> Array:
        return p.score(self._fg(p, q).value)

    def details(self, p: PreparedModel, q: PreparedModel) -> dict[str, Any]:
        """d_f, d_g, whether all subsets of labels were used, and both bounds."""
        fg = self._fg(p, q)
        return {
            "d_f": fg.d_f.value,
            "d_g": fg.d_g,
            "exact": fg.exact,
            "num_subsets": fg.d_f.num_subsets,
            "d_llv": fg.llv.value,
            "published_bound": fg.llv.published_bound,
            "derived_bound": fg.llv.derived_bound,
        }

    def _fg(self, p: PreparedModel, q: PreparedModel) -> identifiability.FGDistance:
        return identifiability.fg_distance(
            p.model,
            q.model,
            input_sets=p.input_sets,
            subset_draws=self.subset_draws,
            rng=p.seed,
        )


def d_fg(
    x: SoftmaxModel,
    y: SoftmaxModel,
    /,
    *,
    draws: int = 200,
    subset_draws: int = 1_000,
    rng: Rng | None = None,
) -> Score:
    r"""Distance between representations in coordinates defined by labels and inputs.

    .. math::

        d = \max\bigl(\max_J d_{SVD}(L_J^T f, L_J'^T f'),\;
            d_{SVD}(N^T g, N'^T g')\bigr), \qquad
        d_{SVD}(z, w) = 1 - \frac{1}{M} \|\mathrm{corr}(z, w)\|_*

    where

    - :math:`L_J` has the columns :math:`g(y_j) - g(y_0)` and N has the columns
      :math:`f(x_j) - f(x_0)`, for the pivots and inputs that `d_llv` chooses;
    - J runs over the subsets of M labels, without the pivot and the left-out label;
    - :math:`\|\cdot\|_*` is the sum of singular values.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels, K >= M + 2.
    draws
        Number of random input sets for `d_llv`.
    subset_draws
        Number of random subsets of labels, used if there are more than 10,000 subsets.
        The value is then a lower estimate, and `details` has ``exact=False``.
    rng
        Seed of both draws.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]. `similitude.identifiability.fg_distance` returns both parts and the
        chosen labels and inputs.

    Notes
    -----
    Invariant under model equivalence, (f, g) to (A f, A^-T g + b).

    Not to be confused with: `d_llv`, a distance between distributions that bounds it;
    mean canonical correlations. If embeddings and unembeddings are transformed
    independently, these are 1 even for models that never agree.

    References
    ----------
    nielsen2025when

    Examples
    --------
    In one dimension it is ``1 - |correlation|``, here of the embeddings:
    1 - 8 / sqrt 70.

    >>> from similitude import SoftmaxModel
    >>> g = [[0.0], [1.0], [3.0]]
    >>> x = SoftmaxModel([[0.0], [1.0], [2.0], [3.0]], g)
    >>> y = SoftmaxModel([[0.0], [1.0], [2.0], [5.0]], g)
    >>> round(float(d_fg(x, y, draws=2, rng=0)), 4)
    0.0438
    """
    return DFG(draws=draws, subset_draws=subset_draws)(x, y, rng)
