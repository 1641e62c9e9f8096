"""Stored activations are those of the model, also if only its code has changed."""

import types

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from similitude.store import open_store


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


class Net(nn.Module):
    """A network with every way to change what it computes, not its weights."""

    scale_of_class = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 3)
        self.scale, self.act, self.config = 1.0, torch.tanh, {"shift": 0.0}
        self.plain = torch.ones(6)  # not a buffer
        self.parts = [1.0]
        self.lora = nn.Linear(4, 6)
        self.lora_scale, self.enabled = 1.0, True

    def forward(self, x):
        y = self.a(x) + self.enabled * self.lora_scale * self.lora(x)
        y = self.act(y * self.scale * self.plain * self.parts[0] * self.scale_of_class)
        return self.b(y + self.config["shift"])


def hooked(net):
    net.a.register_forward_hook(lambda m, i, o: o + 1)


def pre_hooked(net):
    net.a.register_forward_pre_hook(lambda m, i: (i[0] + 1,))


def patched(net):
    net.forward = types.MethodType(lambda self, x: self.b(self.a(x)), net)


def child_patched(net):
    net.a.forward = lambda x: torch.zeros(len(x), 6)


def only_late_samples(net):
    """Rows of the first batch stay as they are."""
    net.a.register_forward_hook(lambda m, i, o: o * (1 + (i[0][:, :1] > 50)))


CHANGES = {
    "attribute": lambda net: setattr(net, "scale", 2.0),
    "function": lambda net: setattr(net, "act", torch.relu),
    "config": lambda net: net.config.update(shift=1.0),
    "tensor attribute": lambda net: setattr(net, "plain", 2 * torch.ones(6)),
    "list": lambda net: net.parts.__setitem__(0, 3.0),
    "class attribute": lambda net: setattr(net, "scale_of_class", 0.5),
    "hook": hooked,
    "pre-hook": pre_hooked,
    "forward": patched,
    "forward of a child": child_patched,
    "adapter scale": lambda net: setattr(net, "lora_scale", 8.0),
    "adapter off": lambda net: setattr(net, "enabled", False),
    "in place": lambda net: net.plain.mul_(1.5),
}


def stimuli(n: int = 40) -> torch.Tensor:
    return torch.randn(n, 4, generator=torch.Generator().manual_seed(3))


def rows(out) -> dict[str, np.ndarray]:
    return {str(rep.layer): rep.load() for rep in open_store(out).select()}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("batch_size", [7, 256])
def test_a_changed_model_replaces_its_elements(
    change, batch_size, tmp_path, capsys
) -> None:
    torch.manual_seed(0)
    net = Net()
    options = {"layers": ["a", "b", ""], "batch_size": batch_size, "name": "net"}
    sim.extract(net, stimuli(), out=tmp_path / "s", **options)
    CHANGES[change](net)
    with sim.config(progress="on"):
        sim.extract(net, stimuli(), out=tmp_path / "s", **options)
    said = " ".join(capsys.readouterr().err.split())
    assert "computed again and replace the old element" in said
    sim.extract(net, stimuli(), out=tmp_path / "fresh", **options)
    found, expected = rows(tmp_path / "s"), rows(tmp_path / "fresh")
    assert found.keys() == expected.keys()
    for layer in found:
        np.testing.assert_array_equal(found[layer], expected[layer])


def test_a_fully_stored_call_runs_one_batch(tmp_path) -> None:
    net, seen = Net(), []
    options = {"layers": ["a", "b"], "batch_size": 10, "out": tmp_path}
    sim.extract(net, stimuli(1000), **options)
    before = open_store(tmp_path).ids()
    net.register_forward_pre_hook(lambda m, inputs: seen.append(len(inputs[0])))
    sim.extract(net, stimuli(1000), **options)
    assert open_store(tmp_path).ids() == before
    assert seen.count(10) == 1
    assert sum(seen) <= 10 + 25  # a few samples for the axis, seeds and batches
    del net


def test_later_samples_are_drawn(tmp_path) -> None:
    """A change of later batches is seen in some of the calls."""
    net, found = Net(), 0
    x = torch.cat([stimuli(10), 100 + stimuli(990)])
    options = {"layers": ["a"], "batch_size": 10, "out": tmp_path}
    sim.extract(net, x, **options)
    before = open_store(tmp_path).ids()
    only_late_samples(net)
    for _ in range(3):
        sim.extract(net, x, **options)
        found += open_store(tmp_path).ids() != before
    assert found >= 1


class Noisy(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.layer = kind, nn.Linear(4, 3)
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("rebound", torch.zeros(()))

    def forward(self, x):
        y = self.layer(x)
        if self.kind == "random":
            return nn.functional.dropout(y, 0.5, training=True)
        if self.kind == "batch":
            return y - y.mean(0)
        if self.kind == "state":
            self.count += 1
            return y + self.count
        if self.kind == "rebound":
            self.rebound = self.rebound + 1
            return y + self.rebound
        if self.kind == "parameter":
            with torch.no_grad():
                self.layer.bias += 1
        return y


TOLD = {
    "random": "draws random numbers",
    "batch": "depends on the other samples of a batch",
    "state": "changes count in a forward pass",
    "rebound": "changes rebound in a forward pass",
    "plain": "",
}


@pytest.mark.parametrize("kind", TOLD)
def test_all_callers_tell_what_a_forward_pass_does(kind, tmp_path, capsys) -> None:
    net, x = Noisy(kind), stimuli(30)
    state = {k: v.clone() for k, v in net.state_dict().items()}
    with sim.config(progress="on"):
        sim.extract(net, x, layers=["", "layer"], batch_size=8, out=tmp_path / "s")
        said = [capsys.readouterr().err]
        with sim.Monitor(net, x, [""], out=tmp_path / "m") as monitor:
            monitor.step(0)
        said.append(capsys.readouterr().err)
    said.append(repr(sim.diff(net, net, x, layers=["", "layer"])))
    both = sim.compare_models({"a": net, "b": net}, x, layers=["", "layer"])
    said.append(repr(both))
    for text in said:
        words = " ".join(text.split())
        assert all(
            told not in words for told in TOLD.values() if told and told != TOLD[kind]
        )
        assert TOLD[kind] in words
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value, state[name])


def test_batches_of_a_state_that_changes_are_computed_alike(tmp_path) -> None:
    net, x = Noisy("state"), stimuli(30)
    sim.extract(net, x, layers=[""], batch_size=4, out=tmp_path)
    (values,) = rows(tmp_path).values()
    expected = net.layer(x).detach().numpy() + 1
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)


def test_a_pass_that_changes_a_parameter_is_refused(tmp_path) -> None:
    with pytest.raises(
        sim.SimilitudeError, match=r"changes the parameter 'layer\.bias'"
    ):
        sim.extract(Noisy("parameter"), stimuli(), layers=["layer"], out=tmp_path)


def test_batches_of_a_random_pass_have_their_own_numbers(tmp_path) -> None:
    net = Noisy("random")
    x = stimuli(1).repeat(16, 1)
    sim.extract(net, x, layers=[""], batch_size=4, out=tmp_path)
    (values,) = rows(tmp_path).values()
    parts = {part.tobytes() for part in np.split(values, 4)}
    assert len(parts) == 4


@pytest.mark.parametrize("repeats", [True, False])
def test_the_noise_of_a_stochastic_model_is_its_floor(repeats) -> None:
    net, x = Noisy("random"), stimuli(100)
    for sides in ((net, Noisy("plain")), (Noisy("plain"), net)):
        found = sim.diff(*sides, x, layers=[""], repeats=repeats)
        assert found.changes[0].floor > 0.1
        assert "with other seeds" in found.floor_source
