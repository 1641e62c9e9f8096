"""The example notebook runs, plots inline and shows the HTML table."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import similitude

NOTEBOOK = Path(__file__).parents[2] / "examples" / "compare.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    source = str(Path(similitude.__file__).parents[1])
    environment = os.environ | {
        "PYTHONPATH": source,
        "OMP_NUM_THREADS": "1",
        "IPYTHONDIR": str(folder),
        "JUPYTER_RUNTIME_DIR": str(folder),
    }
    client = NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": folder}}
    )
    client.execute(env=environment)
    return notebook


def shown(notebook: nbformat.NotebookNode, text: str) -> dict:
    """The outputs of the cell that contains this text, by type; and its streams."""
    (cell,) = (c for c in notebook.cells if c.cell_type == "code" and text in c.source)
    found: dict = {"stream": []}
    for output in cell.outputs:
        if output.output_type == "stream":
            found["stream"].append((output.name, output.text))
        else:
            for kind, value in output.data.items():
                found.setdefault(kind, []).append(value)
    return found


def test_many_results_are_shown_with_the_content_of_the_text(executed) -> None:
    """Thirty rows are a grid for each measure, as in a terminal."""
    output = shown(executed, "sim.compare")
    page = output["text/html"][-1]
    assert page.startswith("<pre>")
    for part in ("6 representations; n = 200 rows", "net0", "net1", "cka", "null"):
        assert part in page


@pytest.mark.parametrize("text", ["plot_matrix", "plot_layers"])
def test_plots_appear_inline_once(executed, text: str) -> None:
    output = shown(executed, text)
    assert len(output["image/png"]) == 1
    assert len(output["image/png"][0]) > 5_000


def test_the_difference_is_printed_as_a_sentence(executed) -> None:
    ((name, text),) = shown(executed, "stats.difference")["stream"]
    assert name == "stdout"
    assert "the first pair is less similar" in text


def test_no_cell_warns(executed) -> None:
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", output.text


def test_the_notebook_is_stored_without_outputs() -> None:
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
