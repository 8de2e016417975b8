"""Receipts: written whole, read with care, and one process at a time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from bitmeter.errors import FileFormatError
from bitmeter.filter.receipts import FOLDER, Receipts, digest_of, file_digest


def test_what_was_written_is_read(tmp_path: Path) -> None:
    receipts = Receipts(tmp_path)
    with receipts.locked():
        assert receipts.read("a/b.jsonl") is None
        receipts.write("a/b.jsonl", {"key": "x"})
        receipts.write("c/b.jsonl", {"key": "y"})
        found = receipts.read("a/b.jsonl")
        assert found is not None
        assert found["key"] == "x"
        receipts.remove("a/b.jsonl", "receipt")
        receipts.remove("a/b.jsonl", "receipt")
        assert receipts.read("a/b.jsonl") is None
    assert (tmp_path / FOLDER).is_dir()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[1]", b'{"schema": "other"}'])
def test_what_is_no_receipt(tmp_path: Path, content: bytes) -> None:
    receipts = Receipts(tmp_path)
    receipts.folder.mkdir()
    receipts.write("a", {"key": "x"})
    [path] = receipts.folder.iterdir()
    path.write_bytes(content)
    if content.startswith((b"[", b'{"')):
        assert receipts.read("a") is None
    else:
        with pytest.raises(FileFormatError, match="remove it"):
            receipts.read("a")


#: Holds the lock until its standard input ends.
HOLD = """
import sys
from pathlib import Path
from bitmeter.filter.receipts import Receipts
with Receipts(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_processes_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(FileFormatError, match="another filter"), Receipts(tmp_path).locked():
            pass
        other.kill()
        other.wait()
        with Receipts(tmp_path).locked():  # the lock went with the process
            pass


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert file_digest(tmp_path / "a") == {"size": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}
    assert digest_of([1, 2]) != digest_of([2, 1])
