"""A file from an address, resumable: what arrived stays, and the rest is asked for.

The part that has arrived has a name of its own; the file gets its name when its hash is right.
"""

from __future__ import annotations

import contextlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bitmeter._util.progress import Progress, Step
from bitmeter._util.secrets import without_secrets
from bitmeter._version import __version__
from bitmeter.data.store import digest
from bitmeter.errors import DamagedSourceError, SourceError

__all__ = ["download"]

_BLOCK = 1 << 18
_SECONDS = 60.0
#: How often an address is tried when the connection breaks.
_TRIES = 3
#: The most that is fetched where the size is not published.
_MOST = 1 << 31


def download(address: str, path: Path, sha256: str, size: int, progress: Progress | None = None) -> None:
    """Fetch an address to a file, whose hash must be the given one.

    Parameters
    ----------
    address
        http or https.
    path
        The file; while it is not whole it is `path` with ".part" added, from which a later call goes on.
    sha256, size
        What the file must have; 0 for a size that is not known.
    progress
        Called as bytes arrive.
    """
    if not address.startswith(("https://", "http://")):
        message = (
            f"{without_secrets(address)} is no address that can be fetched; it must begin with https:// or http://"
        )
        raise SourceError(message, path=without_secrets(address))
    part = path.with_name(path.name + ".part")
    most = size or _MOST
    for attempt in range(_TRIES):
        try:
            _fetch(address, part, most, progress)
            break
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            final = isinstance(error, urllib.error.HTTPError) and error.code < 500 and error.code != 429
            if final or attempt == _TRIES - 1:
                have = part.stat().st_size if part.exists() else 0
                kept = f"; {have:,} bytes are kept, and the next attempt goes on from there" if have else ""
                message = f"{without_secrets(address)} cannot be fetched: {_reason(error)}{kept}"
                raise SourceError(message, path=without_secrets(address)) from error
    found = digest(part)
    if found != sha256:
        part.unlink()
        message = (
            f"{without_secrets(address)} gave a file with the hash {found}, not {sha256}: it is another file or was "
            "damaged on the way. Nothing was stored"
        )
        raise DamagedSourceError(message, path=without_secrets(address))
    part.replace(path)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    return str(inner) or type(inner).__name__


def _fetch(address: str, part: Path, most: int, progress: Progress | None) -> None:
    """Fetch what is missing from the part."""
    have = part.stat().st_size if part.exists() else 0
    if have > most:
        part.unlink()
        have = 0
    with _answer(address, have) as answer:
        if answer is None:  # the server has no more than what is there
            return
        begins = answer.status == 206 and _begins_at(answer.headers.get("Content-Range", ""), have)
        done = have if begins else 0
        length = answer.headers.get("Content-Length", "")
        total = done + int(length) if length.isascii() and length.isdigit() and len(length) < 16 else None
        if total is not None and total > most:
            raise _too_long(address, most)
        with part.open("ab" if begins else "wb") as file:
            while block := answer.read(_BLOCK):
                done += len(block)
                if done > most:
                    raise _too_long(address, most)
                file.write(block)
                if progress is not None:
                    progress(Step(done, total, stage="fetching"))
        if total is not None and done < total:
            message = f"the connection ended after {done:,} of {total:,} bytes"
            raise ConnectionError(message)


def _too_long(address: str, most: int) -> DamagedSourceError:
    message = f"{without_secrets(address)} has more than the {most:,} bytes of the file that is wanted"
    return DamagedSourceError(message, path=without_secrets(address))


def _begins_at(value: str, have: int) -> bool:
    """Whether a Content-Range such as "bytes 10-99/100" begins where the part ends."""
    return value.startswith(f"bytes {have}-")


@contextlib.contextmanager
def _answer(address: str, have: int) -> Iterator[Any]:
    request = urllib.request.Request(address, headers={"User-Agent": f"bitmeter/{__version__}"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        with error:
            if error.code != 416:
                raise
        yield None
