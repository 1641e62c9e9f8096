"""Encoders of texts, trained for one language and one seed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import similitude as sim
from similitude.errors import require

from ._ngrams import NgramProjection, Vocabulary
from ._texts import Strings, Texts

if TYPE_CHECKING:
    from torch import nn

KINDS = ("ngrams", "transformer")


@dataclass(frozen=True)
class EncoderOptions:
    """Sizes and training of the encoders.

    `columns` are the inputs of the MLP on n-grams. `vocabulary`, `tokens` and `layers`
    are those of the transformer. `width` is that of both representations. `epochs`
    and `rates` are for training from random weights, of the MLP and the transformer.
    """

    width: int = 128
    columns: int = 128
    vocabulary: int = 4000
    tokens: int = 40
    layers: int = 2
    dropout: float = 0.3
    epochs: tuple[int, int] = (8, 4)
    rates: tuple[float, float] = (1e-3, 2e-3)
    batch: int = 64


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """A network and the function from texts to its inputs."""

    inputs: Callable[[Strings], np.ndarray]
    module: "nn.Module"


def untrained(
    kind: str, texts: Texts, options: EncoderOptions, seed: int
) -> TextEncoder:
    """An encoder before training; its inputs are fitted to the training texts.

    Weights are random, except those of a transformer with a pretrained encoder.
    """
    from ._pretrained_text import PretrainedText, Tokens, check_width
    from ._text_transformer import TextTransformer

    if kind == "ngrams":
        projection = NgramProjection.fit(texts.train, options.columns)
        columns = projection.directions.shape[1]
        widths = (options.width, options.width)
        network = sim.networks.SmallMLP(columns, widths, activation="gelu", seed=seed)
        return TextEncoder(projection, network.encoder)
    if texts.pretrained is not None:
        pretrained = PretrainedText(texts.pretrained)
        check_width(pretrained, options.width, texts.pretrained)
        return TextEncoder(Tokens(texts.pretrained, options.tokens), pretrained)
    vocabulary = Vocabulary.fit(texts.train, options.vocabulary, options.tokens)
    module = TextTransformer(
        len(vocabulary),
        options.tokens,
        width=options.width,
        layers=options.layers,
        dropout=options.dropout,
        seed=seed,
    )
    return TextEncoder(vocabulary, module)


def linear_head(columns: int, classes: int, seed: int) -> "nn.Module":
    torch = require("torch", feature="training of networks", extra="torch")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        head: nn.Module = torch.nn.Linear(columns, classes)
    return head


def trained(  # noqa: PLR0917 - what, then how, then where
    kind: str,
    texts: Texts,
    classes: int,
    options: EncoderOptions,
    seed: int,
    device: str = "cpu",
) -> TextEncoder:
    """An encoder trained with a linear head on the labels of its own language."""
    from similitude_lab.training import tuning

    encoder = untrained(kind, texts, options, seed)
    network = tuning.RelativeNetwork(
        encoder.module, None, linear_head(options.width, classes, seed)
    ).to(device)
    rate = options.rates[KINDS.index(kind)]
    recipe = tuning.Recipe(
        epochs=options.epochs[KINDS.index(kind)],
        batch=options.batch,
        head_rate=rate,
        encoder_rate=rate,
    )
    x = encoder.inputs(texts.train)
    tuning.fine_tune(network, x, texts.train_labels, recipe, rng=seed)
    return encoder


def embedded(encoder: TextEncoder, texts: Texts) -> dict[str, np.ndarray]:
    """The rows of the training texts, test texts and anchors."""
    from similitude_lab.training import tuning

    return {
        part: tuning.predict(encoder.module, encoder.inputs(getattr(texts, part)))
        .numpy()
        .astype(np.float32)
        for part in ("train", "test", "anchors")
    }
