"""`similitude view`: one page on 127.0.0.1, updated while rows are written."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import playwright.sync_api
import pytest

from report.sample_results import many_models, write_folder
from similitude import InvalidInput
from similitude.report import ViewServer, _server

SAMPLE = many_models(count=6, measures=2)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ViewServer]:
    """A server of a run that has computed 10 of 30 scores."""
    write_folder(SAMPLE, tmp_path / "results", rows=10).close()
    with ViewServer(tmp_path / "results") as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.05,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def answer(server: ViewServer, method: str, path: str, **headers: str) -> int:
    """The status of one request; the path is sent as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_page_and_state_are_served_on_the_loopback_interface(
    server: ViewServer,
) -> None:
    assert server.server_address[0] == "127.0.0.1"
    with urllib.request.urlopen(server.url) as found:
        text = found.read().decode()
        assert found.headers["X-Frame-Options"] == "DENY"
    assert "unfinished: 10 of 30 rows have a score" in text
    with urllib.request.urlopen(f"{server.url}state") as found:
        assert b"running: 10 of 30 scores" in found.read()


@pytest.mark.parametrize(
    "path",
    [
        "/run.json",
        "/../run.json",
        "/..%2f..%2fetc/passwd",
        "/parts/",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/state/../run.json",
        "/?file=run.json",
        "http://127.0.0.1/etc/passwd",
        "\\..\\run.json",
    ],
)
def test_other_paths_are_not_found(server: ViewServer, path: str) -> None:
    host = f"127.0.0.1:{server.server_port}"
    assert answer(server, "GET", path, Host=host) == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD"])
def test_other_methods_are_not_allowed(server: ViewServer, method: str) -> None:
    assert answer(server, method, "/") == 405


def test_foreign_host_headers_are_refused(server: ViewServer) -> None:
    """A page of another site could otherwise read the answers (DNS rebinding)."""
    port = server.server_port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "", "localhost"):
        assert answer(server, "GET", "/", Host=host) == 403, host
        assert answer(server, "GET", "/state", Host=host) == 403
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert answer(server, "GET", "/state", Host=host) == 200


def test_500_requests_at_once_are_answered_next_to_slow_ones(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow connections, which send a byte now and then or nothing, are closed."""
    monkeypatch.setattr(_server, "READING", 3.0)
    address = ("127.0.0.1", server.server_port)
    slow = [socket.create_connection(address) for _ in range(_server.THREADS + 16)]
    most = 0

    def get(i: int) -> int:
        nonlocal most
        with contextlib.suppress(ConnectionError):
            slow[i % len(slow)].send(b"G"[i % 2 :])
        most = max(most, threading.active_count())
        with urllib.request.urlopen(server.url, timeout=300) as found:
            return len(found.read())

    started = threading.active_count()
    with ThreadPoolExecutor(100) as pool:
        sizes = list(pool.map(get, range(500)))
    assert set(sizes) == {len(server.page())}
    assert most <= started + 100 + _server.THREADS
    for one in slow:
        one.settimeout(60)
        with contextlib.suppress(ConnectionError), one:
            assert one.recv(1) == b""  # closed by the server
    until = time.monotonic() + 60
    while server._due and time.monotonic() < until:
        time.sleep(0.05)
    assert not server._due


@pytest.mark.parametrize(
    ("error", "printed"), [(ConnectionResetError, False), (ValueError, True)]
)
def test_a_closed_tab_prints_no_traceback(server, capsys, error, *, printed) -> None:
    try:
        raise error("gone")
    except error:
        server.handle_error(None, ("127.0.0.1", 1))
    assert ("Traceback" in capsys.readouterr().err) == printed


def test_live_view_updates_while_rows_are_appended(
    server: ViewServer,
    open_page: Callable[..., Any],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    opened = open_page(server.url)
    page = opened.page
    # The policy of the page forbids `wait_for_function`, which evaluates text.
    expect = playwright.sync_api.expect
    expect(page.locator("#live")).to_contain_text("running: 10 of 30")
    assert page.locator("#measure option").count() == 1
    page.select_option("#order", "similar")
    folder = write_folder(SAMPLE, tmp_path / "results", rows=0)
    request.addfinalizer(folder.close)
    folder.append(SAMPLE.rows[10:20])
    expect(page.locator("#measure option")).to_have_count(2, timeout=30_000)
    folder.append(SAMPLE.rows[20:])
    expect(page.locator("#live")).to_contain_text("finished: 30 of 30", timeout=30_000)
    assert page.input_value("#order") == "similar"  # the choices are kept
    assert "unfinished:" not in page.inner_text("main")
    assert opened.console == []
    assert all(url.startswith(server.url) for url in opened.requests)


def test_pages_are_made_only_in_a_part_of_the_time(
    server: ViewServer, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A browser is told about new rows when the next page is due."""
    server.page()
    first = server.answer()["state"]
    server._rendered = server._rendered._replace(next_page=float("inf"))
    folder = write_folder(SAMPLE, tmp_path / "results", rows=20)
    request.addfinalizer(folder.close)
    assert server.answer()["state"] == first != server.state()
    server._rendered = server._rendered._replace(next_page=0.0)
    assert server.answer()["state"] == server.state()


def test_a_run_without_rows_has_a_page(tmp_path: Path) -> None:
    write_folder(SAMPLE, tmp_path / "results", rows=0).close()
    with ViewServer(tmp_path / "results") as server:
        assert b"No score has been computed yet." in server.page()


def test_only_results_folders_are_served(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"run\.json is missing"):
        ViewServer(tmp_path)


def test_command_prints_the_address_and_stops(tmp_path: Path) -> None:
    write_folder(SAMPLE, tmp_path / "results").close()
    command = [sys.executable, "-m", "similitude", "view", "results"]
    with subprocess.Popen(
        [*command, "--no-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    ) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        address = line.split()[0]
        assert address.startswith("http://127.0.0.1:")
        assert line.endswith(" shows results. Stop with Ctrl-C.\n")
        with urllib.request.urlopen(address) as found:
            assert found.status == 200
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{address}run.json")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)
    assert running.returncode == 130
