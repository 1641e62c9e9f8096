"""A server of the page on this computer, for `similitude view`.

It answers GET requests for two paths: the page and the state of the run. No path of a
request is ever looked up in the file system. Requests with another Host header are
refused, because a page of another site could otherwise read the answers.
"""

import contextlib
import hashlib
import json
import math
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from ..engine import Folder, Results
from ._page import page
from ._words._stitching import Stitching

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


SHARE = 4.0  # the time between two pages, in units of the time to make one
THREADS = 64  # connections that are answered at once; the others wait
READING, WRITING = 5.0, 60.0  # seconds for a request, and for its answer


class _Rendered(NamedTuple):
    """The last page, with the words about it and the time of the next one."""

    state: str = ""
    content: bytes = b""
    words: str = ""
    next_page: float = 0.0


class ViewServer(ThreadingHTTPServer):
    """Serves the page of a results folder on 127.0.0.1, with its current rows.

    Parameters
    ----------
    folder
        The results folder of `compare`; the run need not be finished.
    port
        0 chooses a free port. `url` has the address.
    stitching
        A stitching table for the page.
    """

    daemon_threads = True
    request_queue_size = 1024  # connections that wait for a thread

    def __init__(
        self,
        folder: str | Path,
        *,
        port: int = 0,
        stitching: Stitching | None = None,
    ) -> None:
        self.folder, self.stitching = Path(folder), stitching
        Folder(self.folder).run()  # raises if it is not a results folder
        self._lock = threading.Lock()
        self._rendered = _Rendered()
        self._free = threading.BoundedSemaphore(THREADS)
        self._due: dict[Any, float] = {}
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; without a free one, the connections stay in the queue."""
        while not self._free.acquire(timeout=0.1):
            self.service_actions()
        self.within(READING, request)
        super().process_request(request, client_address)

    def within(self, seconds: float, request: Any) -> None:
        """Close the connection if it takes longer, even if single bytes arrive."""
        self._due[request] = time.monotonic() + seconds

    def service_actions(self) -> None:
        now = time.monotonic()
        for request, due in list(self._due.items()):
            if due < now:
                with contextlib.suppress(OSError):  # closed in the meantime
                    request.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        if self._due.pop(request, None) is not None:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the error, unless the browser has closed the connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def state(self) -> str:
        """A text that changes when a row is written or the run is started again."""
        files = [self.folder / "run.json", *sorted(self.folder.glob("parts/*.jsonl"))]
        digest = hashlib.sha256()
        for path in files:
            try:
                found = path.stat()
            except OSError:  # removed since it was listed
                continue
            digest.update(f"{path.name} {found.st_size} {found.st_mtime_ns} ".encode())
        return digest.hexdigest()[:16]

    def page(self) -> bytes:
        """The page of the current rows; it is made once per state."""
        with self._lock:
            state = self.state()
            if self._rendered.state != state:
                start = time.monotonic()
                folder = Folder(self.folder)
                done, planned = folder.kept(), len(folder.run().jobs)
                words = "running" if done < planned else "finished"
                results = Results.load(self.folder)
                text = page(results, stitching=self.stitching, live=state)
                end = time.monotonic()
                self._rendered = _Rendered(
                    state,
                    text.encode(),
                    f"Live view, {words}: {done:,} of {planned:,} scores.",
                    end + SHARE * (end - start),
                )
            return self._rendered.content

    def answer(self) -> dict[str, str]:
        """The state that a browser should show: its own until the next page is due.

        The pages of large results take seconds, so they are made only in a part of
        the time.
        """
        last = self._rendered
        due = time.monotonic() >= last.next_page
        return {"state": self.state() if due else last.state, "words": last.words}


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    server_version, sys_version = "similitude", ""
    # Each answer closes its connection: an idle one would keep a thread.
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        self.server.within(math.inf, self.connection)  # a page may take some time
        hosts = {
            f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")
        }
        if self.headers.get("Host") not in hosts:
            return self._send(
                403, "text/plain", b"The Host header is not this server.\n"
            )
        if self.path == "/":
            return self._answer("text/html; charset=utf-8", self.server.page)
        if self.path == "/state":
            return self._answer(
                "application/json",
                lambda: json.dumps(self.server.answer()).encode(),
            )
        return self._send(404, "text/plain", b"There is no such page.\n")

    def _answer(self, kind: str, make: Any) -> None:
        try:
            content = make()
        except Exception as error:
            message = f"The page could not be made: {type(error).__name__}.\n"
            return self._send(500, "text/plain", message.encode())
        return self._send(200, kind, content)

    def _send(self, code: int, kind: str, content: bytes) -> None:
        self.send_response(code)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.server.within(WRITING, self.connection)
        self.end_headers()
        self.wfile.write(content)

    def send_error(self, code: int, *_: Any, **__: Any) -> None:
        """Also the answer to other methods, which have no `do_` function: 405."""
        code = 405 if code == 501 else code
        self._send(code, "text/plain", b"Only GET requests are answered.\n")

    def log_message(self, *_: Any) -> None:
        """Print nothing: requests of the page itself would fill the terminal."""
