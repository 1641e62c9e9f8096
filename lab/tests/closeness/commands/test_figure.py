"""`similitude closeness figure`: files, sources of results, and errors."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shared.close_dist import needs_checkpoints

START = """
import resource, sys
from similitude_start import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), -1))
main()
"""


def table(path: Path) -> dict[str, np.ndarray]:
    head, *lines = path.read_text().splitlines()
    columns = zip(*(line.split(",") for line in lines), strict=True)
    return dict(zip(head.split(","), (np.array(c) for c in columns), strict=True))


def check_pictures(folder: Path, stem: str) -> None:
    assert (folder / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / f"{stem}.pdf").read_bytes().startswith(b"%PDF")


def test_kl_table_has_the_published_values(run, tmp_path: Path) -> None:
    code, _, text = run("closeness", "figure", "KL_table")
    assert code == 2
    assert "Make it with the same command and --compute" in text
    code, latex, text = run("closeness", "figure", "KL_table", "--compute")
    assert code == 0, text
    check_pictures(tmp_path / "figures", "KL_table")
    columns = table(tmp_path / "figures" / "KL_table.csv")
    kl = columns["KL_div"].astype(float)
    expected = [0.7876, 1.0569, 0.8867, 0.6140, 0.3819]
    expected += [0.2228, 0.1252, 0.0686, 0.0370, 0.0197]
    np.testing.assert_allclose(kl[:10], expected, rtol=0.01)
    np.testing.assert_allclose(kl[19], 2.7e-5, atol=0.2e-5)
    assert kl.argmax() == 1
    assert (np.diff(kl[1:]) < 0).all()
    np.testing.assert_allclose(columns["d_prob"].astype(float), 1.3174, atol=0.003)
    assert (columns["mCCA_f"].astype(float) < 0.005).all()
    assert (columns["max_d_rep_f"].astype(float) > 0.995).all()
    assert latex.strip() == (tmp_path / "figures" / "KL_table.tex").read_text().strip()
    assert latex.splitlines()[4].startswith("1 & 0.78")
    assert r"\hline" in latex
    before = (tmp_path / "figures" / "KL_table.csv").read_bytes()
    assert run("closeness", "figure", "KL_table")[0] == 0  # from the results
    assert (tmp_path / "figures" / "KL_table.csv").read_bytes() == before


def test_constructed_models_are_drawn_from_results(run, tmp_path: Path) -> None:
    from similitude_lab.closeness.results import noise_sweep

    (tmp_path / "results").mkdir()
    for labels in (4, 5, 6, 10, 18):
        path = f"results/constructed_even_{labels}_classes_noisy.json"
        Path(path).write_text(json.dumps(noise_sweep(labels, steps=3)))
    code, _, text = run("closeness", "figure", "d_LLV_constructed")
    assert code == 0, text
    for labels, t1 in ((4, 0.00140), (5, 0.00135), (10, 0.00159), (18, 0.00228)):
        stem = f"constructed_even_{labels}_classes_noisy_d_prob_vs_d_rep"
        check_pictures(tmp_path / "figures", stem)
        columns = table(tmp_path / "figures" / f"{stem}.csv")
        np.testing.assert_allclose(float(columns["t1"][0]), t1, rtol=0.05)
        d, fg = columns["d_llv"].astype(float), columns["d_fg"].astype(float)
        assert (fg <= 4 * d).all()
        assert (fg <= 2 * d**2).all()


def test_synthetic_data_has_all_points(run, tmp_path: Path) -> None:
    code, _, text = run("closeness", "figure", "synthetic_data", "--num-classes", "4")
    assert code == 0, text
    check_pictures(tmp_path / "figures", "train_data_illustration_cls4")
    columns = table(tmp_path / "figures" / "train_data_illustration_cls4.csv")
    counts = np.bincount(columns["label"].astype(int))
    assert counts.tolist() == [4980, 4927, 5058, 5035]


@needs_checkpoints
def test_trained_models_are_measured_and_drawn(run, with_models, tmp_path) -> None:
    code, _, text = run("closeness", "figure", "d_LLV_train_synthetic", "--compute")
    assert code == 0, text
    stem = "all_model_distances_test_maxmax_w1e-05_SmallMLP_all_cls4_d_prob_vs_d_rep"
    check_pictures(tmp_path / "figures", stem)
    columns = table(tmp_path / "figures" / f"{stem}.csv")
    assert len(columns["d_llv"]) == 40
    code, _, text = run("closeness", "figure", "d_LLV_vs_width")
    assert code == 0, text
    assert "K = 4, W = 16 is left out: fewer than 5 models have an accuracy" in text
    code, _, text = run("closeness", "figure", "d_LLV_vs_width", "--weight", "1")
    assert code == 2
    assert "with the weight 1 " in text


def image_results(folder: Path) -> None:
    """Result files of the authors' form for three models with M = 2."""
    folder.mkdir()
    mcca = {"model_seeds": ["0vs1", "0vs2", "1vs2"]}
    for name in ("train_f_mcca", "train_g_mcca", "test_f_mcca", "test_g_mcca"):
        mcca[name] = [0.5, 0.6, 0.7]
    loss = {"model_seed": [0, 1, 2], "train_loss": [1, 1, 1]}
    loss["test_loss"] = [1.0, 1.25, 1.5]
    (folder / "mcca_cifar_fd2.json").write_text(json.dumps(mcca))
    (folder / "loss_cifar_fd2.json").write_text(json.dumps(loss))


def test_loss_differences_are_drawn_from_the_authors_files(run, tmp_path) -> None:
    image_results(tmp_path / "theirs")
    arguments = ["closeness", "figure", "loss_diff_vs_mcca", "--results", "theirs"]
    code, _, text = run(*arguments)
    assert code == 0, text
    assert "no pairs of ResNetCIFAR10 with M = 3" in text
    check_pictures(tmp_path / "figures", "test_loss_diff_vs_embedding_mcca")
    columns = table(tmp_path / "figures" / "test_loss_diff_vs_embedding_mcca.csv")
    assert columns["loss_difference"].astype(float).tolist() == [0.25, 0.5, 0.25]
    path = tmp_path / "theirs" / "loss_cifar_fd2.json"
    document = {"model_seed": [0, 1], "train_loss": [1, 1], "test_loss": [1, 2]}
    path.write_text(json.dumps(document))
    code, _, text = run(*arguments)
    assert code == 2
    assert "has no loss of the pair 0vs2 (ResNetCIFAR10, M = 2)" in text


def test_two_models_are_drawn_without_a_correlation(run, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    mcca = {"model_seeds": ["0vs1"]}
    for name in ("train_f_mcca", "train_g_mcca", "test_f_mcca", "test_g_mcca"):
        mcca[name] = [0.6]
    loss = {"model_seed": [0, 1], "train_loss": [1, 1], "test_loss": [1.0, 1.5]}
    (folder / "mcca_cifar_fd3.json").write_text(json.dumps(mcca))
    (folder / "loss_cifar_fd3.json").write_text(json.dumps(loss))
    code, _, text = run("closeness", "figure", "loss_diff_vs_mcca")
    assert code == 0, text
    columns = table(tmp_path / "figures" / "test_loss_diff_vs_embedding_mcca.csv")
    assert columns["loss_difference"].tolist() == ["0.5"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not a JSON file"),
        ("[]", "it must have the keys"),
        ('{"model_seeds": ["0vs1"]}', "it must have the keys"),
        (None, "lists have different lengths"),
    ],
)
def test_wrong_results_are_one_line(run, tmp_path, content, message: str) -> None:
    image_results(tmp_path / "theirs")
    path = tmp_path / "theirs" / "mcca_cifar_fd2.json"
    document = json.loads(path.read_text())
    document["test_f_mcca"].pop()
    path.write_text(json.dumps(document) if content is None else content)
    arguments = ["closeness", "figure", "loss_diff_vs_mcca", "--results", "theirs"]
    code, _, text = run(*arguments)
    assert code == 2
    assert message in text
    assert text.count("\n") == 1
    assert not (tmp_path / "figures").exists()


def test_a_full_disk_leaves_no_partial_figure(tmp_path: Path) -> None:
    image_results(tmp_path / "results")
    arguments = ["closeness", "figure", "loss_diff_vs_mcca"]
    full = subprocess.run(
        [sys.executable, "-c", START, "5000", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert full.returncode == 2
    last = full.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert "File too large" in last
    names = [path.name for path in (tmp_path / "figures").iterdir()]
    assert names == ["test_loss_diff_vs_embedding_mcca.csv"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
