"""Mutations of files: of bytes, of JSON values, and of the members of archives."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator

DEEP = json.loads("[" * 100 + "]" * 100)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 3.5, -0.0, 10**9, 2**31, 2**63, 2**64, -(2**63)),
    *(10**400, 1e308, 1e-320, float("nan"), float("inf"), "", "0", "x" * 5000, "\0"),
    *("\x1b[31m", "../../x", "/etc/passwd", "a\nb", "\ud800", "é", "<f8", "|O"),
    *([], {}, [[]], [None], {"": {}}, [0, 0], [-1, 3], [2**40, 2**40], DEEP),
)
NAMES = ("", "..", "../x.npy", "/x.npy", "a\0b.npy", "x.npy", "x" * 300, "ids.npy")
TOKENS = (
    *(b"", b"0", b"-1", b"1e999", b"1e-400", b"nan", b"inf", b"9" * 400, b"True"),
    *(b"\0", b"\xff\xfe", b'"', b"'", b",", b"\n", b"(", b"[", b"{", b"1_0", b"0x10"),
    *(b"\xef\xbb\xbf", b"\r", b"\xe2\x80\xa8", b";", b"x" * 2000, "١".encode()),
)


def some_bytes(whole: bytes, rng: Rng) -> bytes:
    """Flip, overwrite, cut, insert, repeat or move bytes, or put in a token."""
    changed, size = bytearray(whole), len(whole)
    kind = rng.integers(9)
    first, second = sorted(rng.integers(size + 1, size=2)) if size else (0, 0)
    end = min(first + 2 ** int(rng.integers(10)), second, size)
    if kind == 0 or not size:
        return whole[:first]
    if kind == 1:
        for _ in range(rng.integers(1, 6)):
            changed[rng.integers(size)] ^= 1 << rng.integers(8)
    elif kind == 2:
        for _ in range(rng.integers(1, 4)):
            changed[rng.integers(min(size, 256))] = rng.integers(256)
    elif kind == 3:
        for _ in range(rng.integers(1, 4)):
            changed[-1 - rng.integers(min(size, 256))] = rng.integers(256)
    elif kind == 4:
        changed[first:first] = rng.bytes(rng.integers(1, 64))
    elif kind == 5:
        changed[first:first] = changed[first:second]
    elif kind == 6:
        changed[first:end] = bytes(end - first)
    elif kind == 7:
        changed[first : first + 8] = rng.bytes(8)
    else:
        changed[first:end] = TOKENS[rng.integers(len(TOKENS))]
    return bytes(changed)


def some_numbers(whole: bytes, rng: Rng) -> bytes:
    """Replace one number or word of a text, such as a header or a table."""
    words = list(re.finditer(rb"[-+.\w]+", whole))
    if not words:
        return some_bytes(whole, rng)
    word = words[rng.integers(len(words))]
    token = TOKENS[rng.integers(len(TOKENS))]
    return whole[: word.start()] + token + whole[word.end() :]


def some_value(document: Any, rng: Rng) -> Any:
    """Replace, remove or add one value of a JSON document, at any depth."""
    if isinstance(document, dict | list) and document and rng.integers(8):
        copy: Any = document.copy()
        keys = list(copy) if isinstance(copy, dict) else range(len(copy))
        key = keys[rng.integers(len(keys))]
        action = rng.integers(8)
        if action == 0:
            del copy[key]
        elif action == 1 and isinstance(copy, dict):
            copy[f"{key}2"] = VALUES[rng.integers(len(VALUES))]
        elif action == 2 and isinstance(copy, list):
            copy.append(copy[key])
        else:
            copy[key] = some_value(copy[key], rng)
        return copy
    return VALUES[rng.integers(len(VALUES))]


def json_text(document: Any) -> bytes:
    return json.dumps(document).encode("utf-8", errors="surrogatepass")


def safetensors(whole: bytes, rng: Rng) -> bytes:
    """Change one value of the header, and keep its length correct."""
    size = int.from_bytes(whole[:8], "little")
    header = json_text(some_value(json.loads(whole[8 : 8 + size]), rng))
    return len(header).to_bytes(8, "little") + header + whole[8 + size :]


def npy(whole: bytes, rng: Rng) -> bytes:
    """Change one word of the header, and keep its length correct."""
    start = 10 + int.from_bytes(whole[8:10], "little")
    header = some_numbers(whole[10:start], rng)[: 2**16 - 1]
    return whole[:8] + len(header).to_bytes(2, "little") + header + whole[start:]


def npz(whole: bytes, rng: Rng) -> bytes:
    return archive(whole, rng, (npy, some_bytes)[rng.integers(2)])


def archive(whole: bytes, rng: Rng, change: Callable[[bytes, Rng], bytes]) -> bytes:
    """Change one member of a zip, with a correct CRC; or its name, or repeat it."""
    with zipfile.ZipFile(io.BytesIO(whole)) as old:
        members = [(entry.filename, old.read(entry)) for entry in old.infolist()]
    i = rng.integers(len(members))
    name, content = members[i]
    action = rng.integers(6)
    if action == 0:
        del members[i]
    elif action == 1:
        members[i] = (NAMES[rng.integers(len(NAMES))], content)
    else:
        members[i] = (name, change(content, rng))
    kind = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)[rng.integers(2)]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as new:
        for name, content in members:
            new.writestr(zipfile.ZipInfo(name or "x"), content, kind)
    return file.getvalue()
