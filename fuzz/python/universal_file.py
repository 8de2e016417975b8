"""A universal model's file: loaded, and a text scored.

The file is large, so an input is a list of changes to a sound one: four bytes of offset, one of length, the bytes. The
sound one is of the version whose header has no checksum, so that changes get further. The checksum of the state is
repaired by the fuzz targets of the core, which read the same format.
"""

from __future__ import annotations

from engine import Folder, main

import bitmeter as bm

FOLDER = Folder()


def unsealed(data: bytes) -> bytes:
    """The same file in version 2."""
    return data[:8] + bytes([2, 0, 0, 0]) + data[12:20] + bytes(4) + data[24:]


def _sound() -> bytes:
    file = FOLDER.path / "seed.bmu"
    bm.Universal("small").with_prime(b"to be or not to be " * 3).save(file, force=True)
    return unsealed(file.read_bytes())


SOUND = _sound()


def seeds() -> list[bytes]:
    return [b"", bytes([8, 0, 0, 0, 4]) + SOUND[8:12], bytes([40, 0, 0, 0, 8]) + SOUND[40:48]]


def run(data: bytes) -> None:
    file, at = bytearray(SOUND), 0
    while at + 5 <= len(data):
        offset, length = int.from_bytes(data[at : at + 4], "little"), data[at + 4]
        change = data[at + 5 : at + 5 + length]
        at += 5 + length
        if offset >= len(file):  # beyond the end: the file is cut there
            del file[offset % len(file) :]
        file[offset : offset + len(change)] = change
    model = bm.Universal.load(FOLDER.file("m.bmu", bytes(file)))
    assert bm.score(model, b"to be").nats > 0.0, "a cost below nothing"


if __name__ == "__main__":
    main("universal_file", run, seeds)
