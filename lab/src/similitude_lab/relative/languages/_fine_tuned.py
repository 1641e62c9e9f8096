"""Fine-tuning through the robust relative layer, with or without densification."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.errors import require
from similitude.latent.align import anchors as choose
from similitude.latent.align.relative import Robust
from similitude.topology import DeathTimes, death_times

from ...training import ClassBatches
from ._encoders import KINDS, EncoderOptions, TextEncoder, linear_head, trained
from ._encoders import untrained as random_encoder
from ._texts import Texts

Arrays = dict[str, np.ndarray]
BASE = "base."  # before the names of the weights before fine-tuning


@dataclass(frozen=True)
class Tuning:
    """Fine-tuning: epochs for n-grams and the transformer; one step has all classes.

    `per_class` is that of the poster. `weight` is larger (0.02 on the poster), because
    there are fewer steps. It is 0 for fine-tuning without densification; all else is
    the same.
    """

    epochs: tuple[int, int] = (10, 2)
    head_rate: float = 5e-3
    encoder_rate: float = 1e-3
    weight: float = 0.1
    per_class: int = 16
    refresh: int = 5


@dataclass(frozen=True, eq=False)
class Run:
    """One language and seed of one kind of network."""

    kind: str
    texts: Texts
    classes: int
    anchors: int
    encoders: EncoderOptions
    tuning: Tuning
    seed: int
    draw: int  # seed of the anchors and clouds, the same for both languages
    device: str = "cpu"

    def before(self) -> Arrays:
        """Train the encoder on absolute rows; then fine-tune without densification."""
        how = (self.encoders, self.seed, self.device)
        encoder = trained(self.kind, self.texts, self.classes, *how)
        state = encoder.module.state_dict()
        weights = {
            f"{BASE}{name}": value.cpu().numpy().copy() for name, value in state.items()
        }
        return weights | self._fine_tuned(encoder, None)

    def densified(self, base: Mapping[str, np.ndarray], beta: float) -> Arrays:
        """Fine-tune the same encoder with densification."""
        torch = require("torch", feature="training of networks", extra="torch")
        options = self.encoders
        encoder = random_encoder(self.kind, self.texts, options, self.seed)
        encoder.module.load_state_dict(
            {
                name.removeprefix(BASE): torch.as_tensor(value)
                for name, value in base.items()
                if name.startswith(BASE)
            }
        )
        return self._fine_tuned(encoder, beta)

    def _fine_tuned(self, encoder: TextEncoder, beta: float | None) -> Arrays:
        from similitude_lab.training import tuning

        chosen = choose.uniform(len(self.texts.anchors), self.anchors, rng=self.draw)
        anchors = encoder.inputs([self.texts.anchors[i] for i in chosen])
        network = tuning.RelativeNetwork(
            encoder.module,
            Robust(),
            linear_head(len(chosen), self.classes, self.seed),
            anchors=anchors,
            allow_duplicates=True,  # texts may have the same first words
        ).to(self.device)
        loss = tuning.Densification(
            beta=1.0 if beta is None else beta,
            weight=0.0 if beta is None else self.tuning.weight,
            per_class=self.tuning.per_class,
        )
        recipe = tuning.Recipe(
            epochs=self.tuning.epochs[KINDS.index(self.kind)],
            head_rate=self.tuning.head_rate,
            encoder_rate=self.tuning.encoder_rate,
            refresh=self.tuning.refresh,
        )
        tuning.fine_tune(
            network,
            encoder.inputs(self.texts.train),
            self.texts.train_labels,
            recipe,
            rng=self.seed,
            anchors=anchors,
            penalty=loss.penalty,
            sampler=loss.sampler,
        )
        return self._results(network, encoder)

    def _results(self, network: Any, encoder: TextEncoder) -> Arrays:
        """Relative rows of the test texts, the decoder, and deaths of clouds."""
        from similitude_lab.training import tuning

        found = {
            "weight": network.head.weight.detach().cpu().numpy().copy(),
            "bias": network.head.bias.detach().cpu().numpy().copy(),
        }
        for part in ("test", "validation"):
            pre = network.embed(encoder.inputs(getattr(self.texts, part)))
            post = tuning.predict(network.relative, pre)
            labels = getattr(self.texts, f"{part}_labels")
            groups = self._clouds(labels)
            for place, rows in (("pre", pre), ("post", post)):
                deaths = death_times(rows.double().numpy(), groups)
                found[f"{part}_{place}"] = deaths.values.reshape(len(groups), -1)
            if part == "test":
                found["rows"] = post.numpy().astype(np.float32)
        return found

    def _clouds(self, labels: np.ndarray) -> np.ndarray:
        """Clouds of texts of one class; no text is in two clouds."""
        size = min(self.tuning.per_class, np.bincount(labels).min())
        steps = ClassBatches(labels, int(size), self.draw, 0).epoch(0)
        return np.concatenate([step.classes for step in steps])


def deaths_of(values: np.ndarray) -> DeathTimes:
    """Deaths stored as clouds x deaths."""
    clouds, count = values.shape
    return DeathTimes(values.ravel(), np.repeat(np.arange(clouds), count), clouds)


def predictions(rows: np.ndarray, decoder: Mapping[str, np.ndarray]) -> np.ndarray:
    """The classes that a decoder gives to relative rows of any encoder."""
    logits = rows @ decoder["weight"].T + decoder["bias"]
    return logits.argmax(axis=1)
