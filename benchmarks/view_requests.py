"""Many requests at once to `similitude view`: how many are answered, and when.

All connections are opened before the first answer is read. Next to them, slow
connections send nothing. "threads" is the largest number of threads of the server.
"""

import argparse
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command, report

START = [sys.executable, "-c", "from similitude_start import main; main()"]


def asked(port: int, requests: int, seconds: float, pid: int) -> dict[str, Any]:
    """Open all connections, send all requests, then read the answers."""
    text = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    selector, began = selectors.DefaultSelector(), time.monotonic()
    for _ in range(requests):
        one = socket.socket()
        one.settimeout(0)
        one.connect_ex(("127.0.0.1", port))
        selector.register(one, selectors.EVENT_WRITE, bytearray())
    answers, times, threads = [], [], 0
    while selector.get_map() and time.monotonic() < began + seconds:
        for key, event in selector.select(1):
            one: Any = key.fileobj
            if event & selectors.EVENT_WRITE:
                one.sendall(text.encode())
                selector.modify(one, selectors.EVENT_READ, key.data)
                continue
            part = one.recv(2**16)
            key.data.extend(part)
            if not part:
                selector.unregister(one)
                one.close()
                answers.append(bytes(key.data))
                times.append(time.monotonic() - began)
        threads = max(threads, _threads(pid))
    whole = [a for a in answers if a.startswith(b"HTTP/1.0 200") or b" 200 " in a[:20]]
    bodies = {a.partition(b"\r\n\r\n")[2] for a in whole}
    return {
        "requests": requests,
        "answered": len(whole),
        "different pages": len(bodies),
        "bytes": max(map(len, bodies), default=0),
        "median s": float(np.median(times)) if times else None,
        "slowest s": max(times, default=None),
        "threads": threads,
    }


def _threads(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Threads")).split()[1])


def measured(options: argparse.Namespace) -> list[dict[str, Any]]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(0)
        reps = {f"r{i}": rng.normal(size=(60, 5)) for i in range(4)}
        sim.compare(reps, ["cka", "procrustes"], out=folder)
        for slow in (0, options.slow):
            view = [*START, "view", folder, "--no-browser"]
            with subprocess.Popen(view, stdout=subprocess.PIPE, text=True) as server:
                assert server.stdout is not None
                line = server.stdout.readline()
                port = int(line.split("127.0.0.1:")[1].split("/")[0])
                idle = [
                    socket.create_connection(("127.0.0.1", port)) for _ in range(slow)
                ]
                one = asked(port, options.requests, options.seconds, server.pid)
                found.append({"slow": slow} | one)
                for connection in idle:
                    connection.close()
                server.send_signal(signal.SIGINT)
                server.communicate()
    return found


def show(found: list[dict[str, Any]]) -> None:
    for one in found:
        print(", ".join(f"{k} {v:.3g}" if v else f"{k} {v}" for k, v in one.items()))


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--slow", type=int, default=80, help="connections")
    parser.add_argument("--seconds", type=float, default=300, help="patience")
    options = parser.parse_args()
    report(measured(options), show, as_json=options.json)


if __name__ == "__main__":
    main()
