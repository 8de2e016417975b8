"""A small test set and a server on loopback that has it."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bitmeter.data.catalogue import KnownSet, Part

TEST = b"".join(b"line %d of the test\n" % i for i in range(4000))
TRAIN = b"another text\n" * 50


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def archive(test: bytes = TEST, train: bytes = TRAIN) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr(zipfile.ZipInfo("made/wiki.test.raw"), test)
        opened.writestr(zipfile.ZipInfo("made/wiki.train.raw"), train)
    return made.getvalue()


def known(data: bytes | None = None, **changes: Any) -> KnownSet:
    data = archive() if data is None else data
    values: dict[str, Any] = {
        "name": "made",
        "title": "A made set",
        "parts": {"test": Part("wiki.test.raw", sha256(TEST), len(TEST)), "train": Part("wiki.train.raw")},
        "licence": "CC0",
        "source": "this test",
        "normalised": "nothing",
        "archive": "made.zip",
        "sha256": sha256(data),
        "size": len(data),
    }
    return KnownSet(**{**values, **changes})


class Served:
    """What the server has, and what it was asked."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked: list[str | None] = []
        #: After so many bytes each connection is cut; None for never.
        self.cut: int | None = None
        self.ranges = True
        self.status: int | None = None
        self.address = ""


@contextmanager
def serving(data: bytes) -> Iterator[Served]:
    served = Served(data)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            served.asked.append(wanted)
            if served.status is not None:
                self.send_error(served.status)
                return
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and served.ranges else 0
            if start >= len(served.data):
                self.send_error(416)
                return
            body = served.data[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(served.data) - 1}/{len(served.data)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if served.cut is None else body[: served.cut])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
