"""`Monitor`: scalars and stored layers of a training run, also after a kill."""

import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from similitude import InvalidInput
from similitude.store import open_store


@pytest.fixture(autouse=True)
def quiet():
    with sim.config(progress="off"):
        yield


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def data(n: int = 60) -> torch.Tensor:
    return torch.randn(n, 6, generator=torch.Generator().manual_seed(1))


def train(model: nn.Module, steps: range, each) -> None:
    """Plain steps of SGD that do not depend on random numbers."""
    x = data(200)
    y = x[:, :3].argmax(1)
    rate = torch.optim.SGD(model.parameters(), lr=0.2)
    for number in steps:
        each(number)
        rate.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        rate.step()


def test_scalars_equal_compare_of_the_stored_steps(tmp_path) -> None:
    model, logged = net(), {}
    with sim.Monitor(model, data(), out=tmp_path / "m", name="net") as monitor:
        train(model, range(0, 30), lambda n: n % 10 or logged.update(
            {n: monitor.step(n)}))  # fmt: skip
        logged[30] = monitor.step(30)
    reps = {(r.layer, r.step): r for r in open_store(tmp_path / "m").select()}
    assert {step for _, step in reps} == {0, 10, 20, 30}
    for layer in "012":
        for step in (10, 20, 30):
            for name, other in (("start", 0), ("previous", step - 10)):
                pair = [reps[layer, other], reps[layer, step]]
                score = sim.compare(pair, "cka", permutations=0).rows[0].score
                found = logged[step][f"cka_{name}/{layer}"]
                np.testing.assert_allclose(found, score, atol=1e-6)
        values = reps[layer, 30].load()
        spectrum = np.linalg.svd(values, compute_uv=False)
        shares = spectrum / spectrum.sum()
        expected = np.exp(-(shares * np.log(shares)).sum())
        found = logged[30][f"effective_rank/{layer}"]
        np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert logged[30]["cka_start/2"] < logged[10]["cka_start/2"] <= 1.0
    assert not any(key.startswith("cka") for key in logged[0])


def test_training_is_not_changed(tmp_path) -> None:
    """Random numbers, modes, gradients and hooks are those without a monitor."""
    weights = []
    for watched in (False, True):
        torch.manual_seed(3)
        model = nn.Sequential(
            nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3)
        )
        monitor = sim.Monitor(model, data(), out=tmp_path / "m", reference="start")
        train(model, range(5), monitor.step if watched else lambda n: None)
        monitor.close()
        assert model.training
        weights.append(torch.cat([p.detach().ravel() for p in model.parameters()]))
    np.testing.assert_array_equal(*weights)


def test_teacher_and_path_as_references(tmp_path) -> None:
    model, teacher = net(), net()
    options = {"out": tmp_path / "m", "layers": ["0", "2"]}
    with sim.Monitor(model, data(), reference=teacher, **options) as monitor:
        first = monitor.step(0)
    np.testing.assert_allclose(first["cka_teacher/2"], 1.0, atol=1e-6)
    assert "cka_start/2" not in first
    stored = sim.extract(teacher, data(), out=tmp_path / "t", layers=["2"], name="t")
    nn.init.normal_(model[2].weight)
    with sim.Monitor(model, data(), reference=["start", str(stored.path)],
                     out=tmp_path / "n", layers=["2"]) as monitor:  # fmt: skip
        found = monitor.step(0)
    both = [sim.extract(model, data(), out=tmp_path / "s", layers=["2"]).select()[0],
            stored.select()[0]]  # fmt: skip
    score = sim.compare(both, "cka", permutations=0).rows[0].score
    np.testing.assert_allclose(found["cka_reference/2"], score, atol=1e-6)
    with sim.Monitor(model, data(), reference=str(tmp_path / "m"), layers=["1"],
                     out=tmp_path / "o") as monitor:  # fmt: skip
        with pytest.raises(InvalidInput, match="none of them is watched"):
            monitor.step(0)


RUN = """
import sys, torch
sys.path[:0] = {path!r}
import similitude as sim
from networks.models.test_monitor import data, net, train
model, first = net(), int(sys.argv[2])
monitor = sim.Monitor(model, data(), out=sys.argv[1], name="net")
if first:
    train(model, range(first), lambda n: None)
def each(n):
    found = monitor.step(n)
    if n == 20:
        monitor.flush()  # as with a checkpoint
    print(n, sorted(found.items()), flush=True)
train(model, range(first, 40), each)
monitor.close()
"""


def started(out: Path, first: int) -> subprocess.Popen:
    path = [str(Path(__file__).parents[2])]
    return subprocess.Popen(
        [sys.executable, "-c", RUN.format(path=path), str(out), str(first)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_killed_run_is_continued(tmp_path) -> None:
    """Scalars and stored rows are those of a run without the kill."""
    whole = started(tmp_path / "whole", 0)
    expected = whole.communicate()[0].splitlines()
    assert len(expected) == 40
    killed = started(tmp_path / "killed", 0)
    seen = [killed.stdout.readline().rstrip() for _ in range(25)]
    killed.kill()
    killed.communicate()
    again = started(tmp_path / "killed", 20)  # from a checkpoint before the kill
    found = [*seen[:20], *again.communicate()[0].splitlines()]
    assert found == expected
    one, two = (
        {(r.layer, r.step): r.load() for r in open_store(tmp_path / name).select()}
        for name in ("whole", "killed")
    )
    steps = {step for _, step in two}
    assert steps == set(range(40))
    for key, values in two.items():
        np.testing.assert_array_equal(values, one[key])
    assert open_store(tmp_path / "killed").verify() == []


def test_steps_of_something_else_are_neither_continued_nor_removed(tmp_path) -> None:
    out = tmp_path / "m"
    sim.extract(net(), data(), out=out, name="net", step=7)
    before = set(open_store(out).ids())
    with sim.Monitor(net(), data(), out=out, name="net") as monitor:
        assert monitor.steps == []
        monitor.step(0)
    assert before < set(open_store(out).ids())
    with pytest.raises(InvalidInput, match="steps of net with another probe"):
        sim.Monitor(net(), data(61), out=out, name="net")
    with pytest.raises(InvalidInput, match="steps of net with other layers"):
        sim.Monitor(net(), data(), ["1"], out=out, name="net")
    with sim.Monitor(net(), data(61), out=out, name="other") as monitor:
        assert monitor.steps == []


def test_a_repeated_step_replaces_the_later_ones(tmp_path) -> None:
    model = net()
    with sim.Monitor(model, data(), out=tmp_path / "m") as monitor:
        for number in range(4):
            nn.init.normal_(model[0].weight)
            monitor.step(number)
        kept = {r.layer: r.load() for r in monitor._steps.get(1)}
        found = monitor.step(2)
        assert monitor.steps == [0, 1, 2]
    reps = {(r.layer, r.step): r for r in open_store(tmp_path / "m").select()}
    assert {step for _, step in reps} == {0, 1, 2}
    np.testing.assert_array_equal(kept["2"], reps["2", 1].load())
    score = sim.compare([reps["2", 1], reps["2", 2]], "cka", permutations=0)
    np.testing.assert_allclose(found["cka_previous/2"], score.rows[0].score, atol=1e-6)


def test_a_probe_that_shuffles_gives_the_same_rows_in_each_step(tmp_path) -> None:
    """Also for a teacher: the batches of a loader are read once."""

    class Shuffled:
        def __init__(self) -> None:
            self.readings = 0

        def __iter__(self):
            self.readings += 1
            order = torch.randperm(60, generator=torch.Generator().manual_seed(
                self.readings))  # fmt: skip
            yield from data()[order].split(20)

    probe, model = Shuffled(), net()
    options = {"out": tmp_path / "m", "preprocessing": lambda x: x + torch.rand(1) / 99}
    with sim.Monitor(model, probe, reference=["start", net()], **options) as monitor:
        monitor.step(0)
        found = monitor.step(1)
    assert probe.readings == 1
    np.testing.assert_allclose(found["cka_start/2"], 1.0, atol=1e-6)
    assert found["cka_teacher/2"] > 0.99


def test_an_empty_probe_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidInput, match="no batches"):
        sim.Monitor(net(), [], out=tmp_path / "m")


def test_constant_layers_have_no_score(tmp_path) -> None:
    model = net()
    nn.init.zeros_(model[0].weight)
    with sim.Monitor(model, data(), out=tmp_path / "m") as monitor:
        monitor.step(0)
        found = monitor.step(1)
    assert found["dead_units/0"] == 8
    assert not any(key.startswith("cka") and key.endswith("/0") for key in found)
    assert all(np.isfinite(value) for value in found.values())


def test_a_full_disk_is_an_error_of_a_later_call(tmp_path, monkeypatch) -> None:
    monitor = sim.Monitor(net(), data(), out=tmp_path / "m")

    def full(self, rep, **fields):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(monitor.store), "put", full)

    def run() -> None:
        monitor.step(0)
        monitor.close()

    with pytest.raises(OSError, match="No space left"):
        run()


def test_callback_of_a_trainer(tmp_path) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    from shared.language_models import TEXTS, write_gpt

    write_gpt(tmp_path / "gpt")
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "gpt")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "gpt")
    tokenizer.pad_token = tokenizer.eos_token
    probe = dict(tokenizer(list(TEXTS), padding=True, return_tensors="pt"))
    monitor = sim.Monitor(model, probe, ["transformer.h.1"], reducer="mean_tokens",
                          out=tmp_path / "m")  # fmt: skip
    logged = []
    rows = [{"input_ids": ids, "labels": ids} for ids in probe["input_ids"]]
    options = transformers.TrainingArguments(
        output_dir=str(tmp_path / "t"), max_steps=4, per_device_train_batch_size=2,
        report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    watching = monitor.callback(every=2, log=logged.append)
    trainer = transformers.Trainer(
        model, options, train_dataset=rows, callbacks=[watching]
    )
    trainer.train()
    assert monitor.steps == [0, 2, 4]
    assert len(logged) == 3
    history = [entry for entry in trainer.state.log_history if "step" in entry]
    assert any("cka_previous/transformer.h.1" in entry for entry in history)
    assert len(open_store(tmp_path / "m").ids()) == 3


def test_callback_without_a_trainer(tmp_path) -> None:
    pytest.importorskip("transformers")
    with sim.Monitor(net(), data(), out=tmp_path / "m") as monitor:
        watching = monitor.callback(every=3)
        state = types.SimpleNamespace(global_step=0, log_history=[])
        state.is_world_process_zero = True
        watching.on_train_begin(None, state, None)
        for state.global_step in range(1, 8):
            watching.on_step_end(None, state, None)
        watching.on_train_end(None, state, None)
        assert [entry["step"] for entry in state.log_history] == [0, 3, 6]
