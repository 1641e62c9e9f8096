"""`similitude.diff` of real changes: bfloat16, int8, ONNX export, pruning, fine-tuning.

The networks are those of `make demo` (a perceptron and a convolutional network on
digits), and the encoder MiniLM (`similitude data fetch minilm`) on sentences of the
documents. Pruning sets the 30 % smallest weights of each layer to 0. The demo networks
are fine-tuned for two epochs on images with noise, and MiniLM for 20 steps of a
contrastive loss between two dropout masks.

`--only NAME` runs one network, `--tables` prints the whole table of each change. It
takes about 3 minutes on one core.
"""

import copy
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

import similitude as sim
from common.harness import command, report
from similitude.networks.diff import Diff

ROOT = Path(__file__).parent.parent
EPOCHS = 25
SENTENCES = 200


class BFloat16(nn.Module):
    """A network in bfloat16, with layers of the same names."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        for name, module in copy.deepcopy(net).to(torch.bfloat16).named_children():
            self.add_module(name, module)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.to(torch.bfloat16)
        for module in self.children():
            x = module(x)
        return x


def int8(net: nn.Module) -> nn.Module:
    return torch.ao.quantization.quantize_dynamic(copy.deepcopy(net), {nn.Linear})


def pruned(net: nn.Module, share: float = 0.3) -> nn.Module:
    changed = copy.deepcopy(net)
    for module in changed.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            weight = module.weight.data
            weight[weight.abs() < weight.abs().flatten().quantile(share)] = 0
    return changed


def trained(net: nn.Module, x: torch.Tensor, y: torch.Tensor, epochs: int) -> nn.Module:
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(64):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval()


def demo(name: str, folder: Path) -> Iterator[tuple[str, Diff]]:
    sys.path.insert(0, str(ROOT / "examples" / "demo"))
    import networks

    torch.manual_seed(0)
    x, y, held_out, _ = networks.digits()
    net = trained(networks.ARCHITECTURES[name](), x, y, EPOCHS)
    noisy = x + 0.1 * torch.randn(x.shape)
    file = folder / "net.onnx"
    axes = {"input": {0: "n"}, "logits": {0: "n"}}
    names = {"input_names": ["input"], "output_names": ["logits"]}
    torch.onnx.export(
        net, (x[:2],), str(file), **names, dynamic_axes=axes, dynamo=False
    )
    versions = {
        "bfloat16": BFloat16(net),
        "int8": int8(net),
        "ONNX": str(file),
        "pruned": pruned(net),
        "fine-tuned": trained(copy.deepcopy(net).train(), noisy, y, 2),
    }
    for version, after in versions.items():
        layers: Any = [*networks.LAYERS]
        if version == "ONNX":
            layers = {"before": layers, "after": ["*Relu*", "logits"]}
        yield (
            version,
            sim.diff(
                net, after, held_out, layers=layers, outputs="logits", reducer="flatten"
            ),
        )


def sentences() -> list[str]:
    text = " ".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    found = re.findall(r"(?<=[.] )[A-Z][a-z]+ [a-z ,]{30,110}[.](?= )", text)
    return list(dict.fromkeys(found))[:SENTENCES]


def contrastive(bert: Any, tokens: Any) -> Any:
    """Two dropout masks of a sentence are a pair (SimCSE), for 20 steps."""
    tuned = copy.deepcopy(bert).train()
    optimizer = torch.optim.AdamW(tuned.parameters(), lr=5e-5)
    for step in range(20):
        rows = torch.arange(8 * step, 8 * step + 8) % len(tokens["input_ids"])
        part = {key: value[rows] for key, value in tokens.items()}
        a, b = (tuned(**part).last_hidden_state[:, 0] for _ in range(2))
        similarity = nn.functional.cosine_similarity(a[:, None], b[None], dim=2) / 0.05
        loss = nn.functional.cross_entropy(similarity, torch.arange(len(a)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return tuned.eval()


class Hidden(nn.Module):
    """An encoder with two inputs by position, as the export needs it."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        found = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        return found.last_hidden_state


def minilm(folder: Path) -> Iterator[tuple[str, Diff]]:
    from transformers import AutoTokenizer

    from similitude.networks.data import encoder_path
    from similitude.networks.extraction import LanguageModel

    torch.manual_seed(0)
    path, texts = encoder_path("minilm"), sentences()
    model = LanguageModel(path)
    tokenizer = AutoTokenizer.from_pretrained(str(path))
    tokens = dict(tokenizer(texts, padding=True, return_tensors="pt"))
    tokens = {key: tokens[key] for key in ("input_ids", "attention_mask")}

    def version(module: Any) -> Any:
        found = copy.copy(model)
        found.module = module
        return found

    bert = model.module.eval()
    versions = {
        "bfloat16": version(copy.deepcopy(bert).to(torch.bfloat16)),
        "int8": version(int8(bert)),
        "pruned": version(pruned(bert)),
        "fine-tuned": version(contrastive(bert, tokens)),
    }
    options: dict[str, Any] = {"reducer": "mean_tokens", "batch_size": 64}
    layers = "encoder.layer.?"
    for name, after in versions.items():
        yield name, sim.diff(model, after, texts, layers=layers, **options)
    file = folder / "minilm.onnx"
    torch.onnx.export(
        Hidden(bert),
        tuple(value[:2] for value in tokens.values()),
        str(file),
        input_names=[*tokens],
        dynamic_axes={key: {0: "n", 1: "length"} for key in tokens},
        dynamo=False,
    )
    arrays = {key: value.numpy() for key, value in tokens.items()}
    both = {"before": layers, "after": "*layer.?/output/LayerNorm/*"}
    options["reducer"] = "cls"
    yield "ONNX", sim.diff(bert, str(file), arrays, layers=both, **options)


def summary(network: str, version: str, found: Diff) -> dict[str, Any]:
    layers = [c for c in found.changes if c.floor is not None]
    last = layers[-1].rows
    scores = {label: last[label].score for label in ("relative_error", "sqnr", "cka")}
    flips = None if found.flips is None else f"{len(found.flips)} of {found.n}"
    floor = max(c.floor or 0.0 for c in layers)
    shown = {"first": found.first, "floor": floor, **scores, "changed": flips}
    return {"network": network, "change": version, **shown}


def show(rows: list[dict[str, Any]]) -> None:
    print("| network | change | first layer | relative error | SQNR | CKA | changed |")
    print("|---|---|---|---:|---:|---:|---:|")
    for row in rows:
        error, decibel, cka = (row[key] for key in ("relative_error", "sqnr", "cka"))
        print(
            f"| {row['network']} | {row['change']} | {row['first'] or 'none'} | "
            f"{error:.2g} | {decibel:.1f} | {cka:.4f} | {row['changed'] or '-'} |"
        )


NETWORKS = ("mlp", "cnn", "minilm")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--only", choices=NETWORKS, help="one network")
    parser.add_argument("--tables", action="store_true", help="print all tables")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    with tempfile.TemporaryDirectory() as name, sim.config(progress="off"):
        for network in NETWORKS:
            if given.only not in (None, network):
                continue
            folder = Path(name)
            found = minilm(folder) if network == "minilm" else demo(network, folder)
            for version, result in found:
                rows.append(summary(network, version, result))
                if given.tables:
                    print(f"\n== {network}, {version}\n\n{result}\n", flush=True)
    report(rows, show, as_json=given.json)


if __name__ == "__main__":
    main()
