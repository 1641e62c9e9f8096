"""Names and contents of the authors' checkpoint files, and invalid files."""

import pickle
import shutil
import zipfile
from pathlib import Path

import pytest

from shared.close_dist import FOLDER, checkpoints, needs_checkpoints
from similitude import InvalidInput
from similitude_lab.closeness.data import (
    CloseDistName,
    find_close_dist_checkpoints,
    read_close_dist_checkpoint,
)

TRAINED = (
    "2025-04-22trained_radial_classification_SmallMLP_fixf20_fixg20_classes18_seed7"
    "_features256_fd2_data20000_lr0_0001_steps15000"
)
UNTRAINED = "2024-12-06untrained_cifar10_ResNetCIFAR10_classes10_seed0_features128_fd5"


def test_names_are_parsed_into_fields() -> None:
    name = CloseDistName.parse(TRAINED)
    assert (name.date, name.stage) == ("2025-04-22", "trained")
    assert (name.dataset, name.model_type) == ("radial_classification", "SmallMLP")
    assert (name.classes, name.seed, name.width, name.dim) == (18, 7, 256, 2)
    assert (name.fix_length_f, name.fix_length_g) == (20, 20)
    assert (name.points, name.learning_rate, name.steps) == (20000, 1e-4, 15000)
    other = CloseDistName.parse(UNTRAINED)
    assert (other.dataset, other.model_type) == ("cifar10", "ResNetCIFAR10")
    assert other.points is other.learning_rate is other.steps is None


@pytest.mark.parametrize(
    "text",
    [
        TRAINED,
        UNTRAINED,
        TRAINED.replace("_fixf20", ""),
        TRAINED.replace("0_0001", "1e-05"),
    ],
)
def test_parsed_names_are_written_unchanged(text: str) -> None:
    assert str(CloseDistName.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["weights.pt", TRAINED + ".pt", TRAINED.replace("trained", "untrained", 1)],
)
def test_other_names_raise(text: str) -> None:
    with pytest.raises(InvalidInput, match="train"):
        CloseDistName.parse(text)


@needs_checkpoints
def test_all_forty_checkpoints_are_found_and_read() -> None:
    found = find_close_dist_checkpoints(FOLDER)
    assert len(found) == 40
    assert all(str(name) == path.name for name, path in found.items())
    assert [n.seed for n in found][:5] == [0, 1, 2, 3, 4]
    assert {k[0] for k in checkpoints()} == {"trained", "untrained"}
    for checkpoint in checkpoints().values():
        assert {str(w.device) for w in checkpoint.state.values()} == {"cpu"}


@needs_checkpoints
def test_some_checkpoints_were_saved_on_a_cuda_device() -> None:
    """The test above therefore covers moving tensors to the CPU."""
    cuda = 0
    for path in find_close_dist_checkpoints(FOLDER).values():
        with zipfile.ZipFile(path) as archive:
            (record,) = (n for n in archive.namelist() if n.endswith("data.pkl"))
            cuda += b"cuda" in archive.read(record)
    assert cuda > 0


@needs_checkpoints
def test_a_renamed_file_raises(tmp_path) -> None:
    name, path = next(iter(find_close_dist_checkpoints(FOLDER).items()))
    other = str(name).replace(f"features{name.width}", "features99")
    shutil.copy(path, tmp_path / other)
    with pytest.raises(InvalidInput, match="renamed"):
        read_close_dist_checkpoint(tmp_path / other)


class RunsCode:
    """An object whose pickle would run code when it is read."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('code was run')",))


def test_files_without_plain_weights_raise(tmp_path) -> None:
    import torch

    path = tmp_path / UNTRAINED
    with pytest.raises(InvalidInput, match="does not exist"):
        read_close_dist_checkpoint(path)
    path.write_bytes(b"PK\x03\x04 truncated")
    with pytest.raises(InvalidInput, match="may be damaged, truncated"):
        read_close_dist_checkpoint(path)
    path.write_bytes(pickle.dumps(RunsCode(), protocol=2))
    with pytest.raises(InvalidInput, match="more than weights"):
        read_close_dist_checkpoint(path)
    torch.save({"f_net.l1.weight": RunsCode()}, path)
    with pytest.raises(InvalidInput, match="more than weights"):
        read_close_dist_checkpoint(path)
    torch.save({"encoder.weight": torch.zeros(2)}, path)
    with pytest.raises(InvalidInput, match="f_net"):
        read_close_dist_checkpoint(path)
    with pytest.raises(InvalidInput, match="folder"):
        find_close_dist_checkpoints(path)


@needs_checkpoints
def test_the_code_of_docs_identifiability_reads_a_checkpoint() -> None:
    """The code block runs, and the model has the expected accuracy."""
    page = Path(__file__).parents[4] / "docs" / "identifiability.md"
    section = page.read_text().split("## The authors' models")[1].split("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    (path,) = FOLDER.glob("*_seed1_features16_fd2_data*")
    names = {"path": path}
    exec("\n".join(lines), names)
    assert names["model"].accuracy(names["test"].labels) == 0.992


@needs_checkpoints
@pytest.mark.parametrize("kept", [0, 1, 100, 5_000, 13_000])
def test_a_truncated_file_raises(tmp_path, kept: int) -> None:
    (source,) = FOLDER.glob("*_seed1_features16_fd2_data*")
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes()[:kept])
    with pytest.raises(InvalidInput, match="truncated"):
        read_close_dist_checkpoint(path)


@needs_checkpoints
def test_one_flipped_bit_of_the_weights_raises(tmp_path) -> None:
    (source,) = FOLDER.glob("*_seed1_features16_fd2_data*")
    with zipfile.ZipFile(source) as archive:
        largest = max(archive.infolist(), key=lambda record: record.file_size)
        weights = archive.read(largest)
    content = bytearray(source.read_bytes())
    content[content.index(weights) + 7] ^= 1
    path = tmp_path / source.name
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="damaged"):
        read_close_dist_checkpoint(path)


def test_random_bytes_folders_and_other_contents_raise(tmp_path) -> None:
    import torch

    path = tmp_path / UNTRAINED
    for noise in (b"hello world\n" * 10, b"0" * 50, bytes(range(256)) * 20):
        path.write_bytes(noise)
        with pytest.raises(InvalidInput, match="cannot be read as a file of weights"):
            read_close_dist_checkpoint(path)
    for content in ({1: torch.zeros(2)}, {"f_net.l4.weight": 5}):
        torch.save(content, path)
        with pytest.raises(InvalidInput, match="must be a state dictionary"):
            read_close_dist_checkpoint(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidInput, match="does not exist"):
        read_close_dist_checkpoint(path)


def test_find_ignores_inconsistent_names_and_other_files(tmp_path) -> None:
    for name in (UNTRAINED, TRAINED.replace("trained", "untrained", 1), "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    assert [str(name) for name in find_close_dist_checkpoints(tmp_path)] == [UNTRAINED]
