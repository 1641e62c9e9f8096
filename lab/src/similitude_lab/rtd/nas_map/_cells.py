"""Random recurrent cells: small graphs of linear maps, gates and activations."""

from dataclasses import dataclass

import numpy as np

#: Operations of a node, with the number of inputs.
OPERATIONS = {
    "linear": 2,
    "sum": 2,
    "product": 2,
    "blend": 3,
    "tanh": 1,
    "sigmoid": 1,
    "leaky_relu": 1,
}
WORD, STATE = 0, 1  # numbers of the inputs of a cell; its nodes follow
FEWEST, MOST = 4, 10  # nodes of a cell


@dataclass(frozen=True)
class Setting:
    """Number and training of the cells; words and batches of a comparison."""

    cells: int
    vocabulary: int
    width: int
    steps: int
    text: str = "debian_descriptions"
    batch: int = 32
    length: int = 24
    words: int = 100
    batches: int = 10


@dataclass(frozen=True)
class Node:
    """One operation. Inputs are numbers: the word, the state, or earlier nodes."""

    operation: str
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """Nodes in the order of their computation. The last one gives the next state."""

    nodes: tuple[Node, ...]

    def __str__(self) -> str:
        """One term per node, as in ``linear(0 1) tanh(2)``."""
        terms = (f"{n.operation}({' '.join(map(str, n.inputs))})" for n in self.nodes)
        return " ".join(terms)


def random_cell(rng: np.random.Generator) -> Cell:
    """A random cell that uses the word and the state.

    The first node is a linear map of the word and the state. Each later node takes the
    node before it, and random other values, so that every node has an effect.
    """
    nodes = [Node("linear", (WORD, STATE))]
    for at in range(1, int(rng.integers(FEWEST, MOST + 1))):
        operation = str(rng.choice(list(OPERATIONS)))
        others = rng.integers(at + 1, size=OPERATIONS[operation] - 1)
        nodes.append(Node(operation, (at + 1, *map(int, others))))
    return Cell(tuple(nodes))
