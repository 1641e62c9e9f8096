"""Minimal work of each measure, for n stimuli and d columns on both sides.

Work is operations of matrix products, values to sort and bytes to read. Decompositions
by LAPACK are counted as operations, although they never reach the rate of a matrix
product. Measures that are not listed here have their own benchmarks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    double: float = 0.0  # operations of float64 products
    single: float = 0.0  # operations of float32 products
    sorted_values: float = 0.0
    read_bytes: float = 0.0

    def seconds(self, machine: dict[str, Any]) -> float:
        return (
            self.double / machine["gemm_float64"]
            + self.single / machine["gemm_float32"]
            + self.sorted_values / machine["sort_values"]
            + self.read_bytes / machine["read_bytes"]
        )

    def bottleneck(self, machine: dict[str, Any]) -> str:
        """The kind of work that takes longest."""
        shares = {
            "GEMM": self.double / machine["gemm_float64"]
            + self.single / machine["gemm_float32"],
            "sort": self.sorted_values / machine["sort_values"],
            "read": self.read_bytes / machine["read_bytes"],
        }
        return max(shares, key=lambda name: shares[name])


def _products(n: int, d: int) -> Work:
    """X'X, Y'Y (symmetric) and X'Y; or both Gram matrices and their inner product."""
    return Work(double=min(4 * n * d * d, 2 * n * n * d + 2 * n * n))


def _cross(n: int, d: int) -> Work:
    return Work(double=2 * n * d * d)


def _bases(n: int, d: int) -> Work:
    """X'X and Y'Y, of which half is computed, and X'Y; d x d matrices are not counted.

    Two QR decompositions would be 4 n d^2 each, in addition to X'Y.
    """
    d = min(n, d)
    return Work(double=4 * n * d * d)


def _nuclear_norm(n: int, d: int) -> Work:
    """X'Y and its singular values."""
    d = min(n, d)
    return Work(double=2 * n * d * d + 8 / 3 * d**3)


def _rotation(n: int, d: int) -> Work:
    """X'Y, its singular vectors, and the rotated rows."""
    d = min(n, d)
    return Work(double=4 * n * d * d + 20 * d**3)


def _distances(n: int, d: int) -> Work:
    """All pairs i < j of both sides."""
    return Work(double=2 * n * n * d)


def _ranked_distances(n: int, d: int) -> Work:
    return Work(double=2 * n * n * d, sorted_values=n * n)


def _neighbors(n: int, d: int) -> Work:
    """All inner products of both sides; single precision is enough."""
    return Work(single=4 * n * n * d)


def _profiles(n: int, d: int) -> Work:
    """Both similarity matrices twice, and their product computed from factors."""
    return Work(double=10 * n * n * d)


def _regression(n: int, d: int) -> Work:
    """X'X, of which half is computed, and X'Y."""
    d = min(n, d)
    return Work(double=3 * n * d * d)


def _read(n: int, d: int) -> Work:
    return Work(read_bytes=2 * 8 * n * d)


def _labels(n: int, d: int) -> Work:
    """Predicted and true classes of both sides."""
    return Work(read_bytes=4 * 8 * n)


def _eigenvalues(n: int, d: int) -> Work:
    return Work(single=4 * n * n * d, double=2 * 4 / 3 * n**3)


def _walks(n: int, d: int) -> Work:
    """Distances of both sides, and two steps of their random walks."""
    return Work(double=4 * n * n * d + 4 * n**3)


def _ordered_neighbors(n: int, d: int) -> Work:
    """Distances of both sides, and all of them in order."""
    return Work(double=4 * n * n * d, sorted_values=2 * n * n)


BOUNDS: dict[str, Callable[[int, int], Work]] = {
    "cka": _products,
    "cka(kernel=knn)": _neighbors,
    "cka(kernel=diffusion)": _walks,
    "minibatch_cka": lambda n, d: Work(double=4 * n * min(d, 256) * d),
    "distance_correlation": _distances,
    "mean_cca": _bases,
    "svcca": _bases,
    "pwcca": _bases,
    "eigenspace_overlap": _bases,
    "gulp": _bases,
    "procrustes": _nuclear_norm,
    "size_and_shape": _nuclear_norm,
    "shape_metric": _bases,
    "aligned_cosine": _rotation,
    "linear_regression": _regression,
    "permutation_procrustes": _cross,
    "hard_correlation_match": _cross,
    "soft_correlation_match": _cross,
    "soft_matching": _cross,
    "soft_matching(mass=0.5)": _cross,
    "effective_dimension_difference": lambda n, d: Work(double=2 * n * d * min(n, d)),
    "rsa": _ranked_distances,
    "rsm_norm_difference": _distances,
    "uniformity_difference": _distances,
    "mutual_knn": _neighbors,
    "knn_jaccard": _neighbors,
    "rank_similarity": _neighbors,
    "lcs_knn": _neighbors,
    "cycle_knn": _neighbors,
    "second_order_cosine": _neighbors,
    "cknna": _neighbors,
    "information_imbalance": lambda n, d: Work(
        single=2 * n * n * d, double=2 * n * n * d
    ),
    "id_correlation": lambda n, d: Work(single=8 * n * n * d),
    "neighbor_agreement": _ordered_neighbors,
    "retrieval_mrr": _profiles,
    "matching_accuracy": _profiles,
    "imd": _eigenvalues,
    "jensen_shannon": _read,
    "capa": _read,
    "kl_divergence": _read,
    "disagreement": _labels,
    "error_consistency": _labels,
    "accuracy_difference": _labels,
    "magnitude_difference": _read,
    "concentricity_difference": _read,
}
