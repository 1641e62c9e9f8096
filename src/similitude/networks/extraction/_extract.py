"""`extract`: run a model over data once, and store the activations of its layers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...store import Store, check_writable, open_store
from ._data._batches import as_data, checked, survey
from ._data._preprocessing import describe
from ._layers._order import running_order
from ._layers._patterns import ask
from ._layers._reducers import Reducer
from ._models._find import as_model
from ._reporter import Reporter
from ._request import Request, chosen_reducers, fields_of
from ._run import Job
from ._stored import is_stored, store_order, stored_layers


def extract(
    model: Any,
    data: Any,
    *,
    layers: str | Sequence[str] = "auto",
    reducer: str | Reducer | Mapping[str, str | Reducer] | None = None,
    out: str | Path,
    batch_size: int = 256,
    ids: Any = None,
    mask: Any = None,
    device: Any = None,
    batch_axis: int | Mapping[str, int] | None = None,
    preprocessing: Callable[[Any], Any] | None = None,
    name: str | None = None,
    baseline: str | None = None,
    twin_of: str | None = None,
    step: int | None = None,
    progress: Any = "auto",
) -> Store:
    """Run a model over data, and store the activations of chosen layers.

    The model runs in evaluation mode and without gradients, and is left as it was.
    Rows are written batch by batch, so memory does not grow with the data. A call that
    was interrupted is resumed by the same call. A call whose elements are stored
    already does not run the model; any change of weights, data, preprocessing, layers,
    reducer, batches or versions makes new elements.

    Parameters
    ----------
    model
        A PyTorch module, or an `OnnxModel`.
    data
        An array of inputs (or a dict of arrays, passed by keyword), a sequence of
        batches, a loader, or a data set of PyTorch. Data that are not arrays are read
        twice: once for the fingerprint, once for the model.
    layers
        Names of modules, as globs ("encoder.layers.*") or regular expressions
        ("re:layer[1-4]"). "lstm[0]" and "encoder.hidden" name parts of an output,
        "block:2" the second call of a reused module, "" the output of the model.
        "auto" chooses the blocks.
    reducer
        How outputs with more than two axes become rows: a name in `REDUCERS`, with
        options as in "random_projection:size=64", or a dict from patterns of layers to
        reducers. 2-d outputs need none.
    out
        Folder of the store; it is created if it is missing.
    batch_size
        Samples per forward pass. Loaders and sequences have their own batches.
    ids
        One whole number or text per sample. By default, the `ids` of the data or of
        its batches; otherwise the numbers from 0.
    mask
        Samples x tokens, 1 for real tokens and 0 for padding, or the key of it in
        batches that are dicts. The key "attention_mask" is used by default.
    device
        Device of the run. By default, the device of the model.
    batch_axis
        The axis of the samples in outputs, for all layers or by pattern. By default,
        it is found by two small forward passes.
    preprocessing
        A function of each array of inputs, applied before the model. Its name, options
        and effect on a fixed input are part of the elements.
    name
        Name of the model in tables. By default, the name of its class.
    baseline, twin_of, step
        As in `Representation`.
    progress
        "auto" prints an estimate of disk and memory, and shows a bar in terminals and
        notebooks. None shows nothing. A function is called with a stage, the number of
        samples or tokens that are done, and the total.

    Returns
    -------
    The opened store, with one element per layer, called ``name/layer``.

    Examples
    --------
    >>> import tempfile, torch, similitude as sim
    >>> from torch import nn
    >>> net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    >>> with tempfile.TemporaryDirectory() as folder, sim.config(progress="off"):
    ...     store = sim.extract(net, torch.zeros(100, 8), out=folder, name="net")
    ...     [(rep.name, rep.n, rep.d) for rep in store.select()]
    [('net/0', 100, 16), ('net/1', 100, 16), ('net/2', 100, 3)]
    """
    report = Reporter(progress)
    subject = as_model(model)
    subject.check_device(device)
    check_writable(out)
    names, aliases = subject.layers()
    wanted = subject.auto() if isinstance(layers, str) and layers == "auto" else layers
    asked = ask(wanted, names, aliases)
    reducer_of = chosen_reducers(reducer, asked)
    read = as_data(data, batch_size=batch_size, mask=mask, model=subject)
    facts = survey(read, ids)
    first = facts.first
    described = describe(preprocessing, next(iter(first.parts().values())))
    first = first if preprocessing is None else first.prepared(preprocessing)
    order = partial(running_order, subject, first, device)
    request = Request(
        name or subject.default_name,
        fields_of(subject, described, facts.fingerprint),
        subject.structure(),
        facts,
        baseline,
        twin_of,
        step,
    )
    store = open_store(out, create=True)
    candidates = stored_layers(store, request)
    missing = [
        item
        for item in asked
        if not is_stored(store, candidates, item, reducer_of(str(item)), request)
    ]
    job = Job(
        model=subject,
        data=checked(read, facts, preprocessing),
        first=first,
        request=request,
        key=request.key(asked, [reducer_of(str(item)) for item in asked]),
        reducer_of=reducer_of,
        batch_axis=batch_axis,
        reporter=report,
    )
    if known := [item for item in asked if item not in missing]:
        with subject.session([item.module for item in known], device) as session:
            stale = job.stale(session, known, store, candidates)
        missing += [item for item in known if item.module in stale]
    if not missing:
        count = "1 layer is" if len(asked) == 1 else f"{len(asked)} layers are"
        report.say(f"{count} stored already in {store.path}")
        store_order(store, request, order)
        return store
    shared = {
        first: [other for other in aliases if aliases[other] == first != other]
        for first in names
    }
    modules = list(dict.fromkeys(item.module for item in missing))
    with subject.session(modules, device) as session:
        job.run(session, missing, store, shared)
    store_order(store, request, order)
    return store
