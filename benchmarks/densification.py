"""Time the densification loss and a loop, forward and backward.

    python benchmarks/densification.py [--json]

40 sub-batches of 16 points in 768 dimensions, as in the published fine-tuning, one
thread, float32. The loop does the same as the reference implementations on a CPU: for
each sub-batch it builds an n x n x d tensor of differences in autograd, then gathers
the entries of a minimum spanning tree (scipy). Values and gradients are compared before
timing. Times are CPU seconds. The bound is one read of the points and one write of
their gradient.
"""

from collections.abc import Callable

import numpy as np
import scipy
import torch

from common.harness import command, medians, report
from similitude.topology import batched_spanning_trees, densification_loss

CLOUDS, POINTS, WIDTH, BETA = 40, 16, 768, 3.0


def loop(z: torch.Tensor) -> torch.Tensor:
    """Loop over sub-batches, with all pairs in the autograd graph."""
    total = z.new_zeros(())
    for cloud in z:
        differences = cloud[:, None, :] - cloud[None, :, :]
        distances = differences.square().sum(dim=2).clamp_min(1e-12).sqrt()
        tree = scipy.sparse.csgraph.minimum_spanning_tree(distances.detach().numpy())
        rows, columns = (torch.as_tensor(side) for side in tree.nonzero())
        total = total + (distances[rows, columns] - BETA).abs().sum()
    return total / len(z)


def cdist_loop(z: torch.Tensor) -> torch.Tensor:
    """A faster loop: torch.cdist instead of the tensor of differences."""
    total = z.new_zeros(())
    for cloud in z:
        distances = torch.cdist(cloud, cloud)
        tree = scipy.sparse.csgraph.minimum_spanning_tree(distances.detach().numpy())
        rows, columns = (torch.as_tensor(side) for side in tree.nonzero())
        total = total + (distances[rows, columns] - BETA).abs().sum()
    return total / len(z)


def ours(z: torch.Tensor) -> torch.Tensor:
    return densification_loss(z, None, BETA)


def forward_backward(
    loss: Callable[[torch.Tensor], torch.Tensor], z: torch.Tensor
) -> torch.Tensor:
    z.grad = None
    value = loss(z)
    value.backward()
    return value


def median(func: Callable[[], object]) -> float:
    """Median time of one run, from fifteen timings of five short runs."""

    def five() -> None:
        for _ in range(5):
            func()

    return medians(five, repeats=15)[0] / 5


def trees(points: np.ndarray) -> dict[str, float]:
    """Time batched Prim and a loop over scipy, from given distances."""
    distances = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)

    def loop() -> None:
        for w in distances:
            scipy.sparse.csgraph.minimum_spanning_tree(w)

    return {
        "batched_prim": median(lambda: batched_spanning_trees(distances)),
        "csgraph_loop": median(loop),
    }


def main() -> None:
    options = command(__doc__).parse_args()
    torch.set_num_threads(1)
    points = np.random.default_rng(0).normal(size=(CLOUDS, POINTS, WIDTH))
    z = torch.tensor(points, dtype=torch.float32, requires_grad=True)
    value, gradient = forward_backward(ours, z).item(), z.grad.clone()
    for peer in (loop, cdist_loop):
        np.testing.assert_allclose(forward_backward(peer, z).item(), value, rtol=1e-5)
        np.testing.assert_allclose(z.grad, gradient, atol=1e-5)
    found = {
        name: median(lambda f=f: forward_backward(f, z))
        for name, f in (("ours", ours), ("loop", loop), ("cdist_loop", cdist_loop))
    }
    found["bound"] = median(lambda: z.detach().clone())
    found |= trees(points)
    ratios = {
        "loop / ours": found["loop"] / found["ours"],
        "cdist_loop / ours": found["cdist_loop"] / found["ours"],
        "ours / bound": found["ours"] / found["bound"],
        "csgraph_loop / batched_prim": found["csgraph_loop"] / found["batched_prim"],
    }
    report({"seconds": found, "ratios": ratios}, show, as_json=options.json)


def show(found: dict[str, dict[str, float]]) -> None:
    print(f"{CLOUDS} clouds of {POINTS} points in {WIDTH} dimensions, one thread")
    for name, value in found["seconds"].items():
        print(f"  {name:<14} {1e3 * value:9.3f} ms")
    for name, value in found["ratios"].items():
        print(f"  {name:<28} {value:7.1f}")


if __name__ == "__main__":
    main()
