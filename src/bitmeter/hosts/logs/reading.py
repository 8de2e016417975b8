"""Which tool wrote a log, and reading it."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from bitmeter._util.files import label, unread
from bitmeter.data.store import digest
from bitmeter.errors import FileFormatError
from bitmeter.hosts.logs import inspect_ai, lighteval, lm_eval, responses
from bitmeter.hosts.logs.items import Log, LogFile

__all__ = ["TOOLS", "read_log", "tool_of"]

#: The tools whose logs can be read.
TOOLS = ("lm-eval", "lighteval", "inspect_ai", "openai", "vllm", "llama-server")
#: The longest first line by which rows are recognised.
_LINE = 1 << 24
#: The largest log that is read: all of it is held in memory.
_MOST = 1 << 31
_KNOWN = (
    "the samples of lm-eval (--log_samples), the details of lighteval (Parquet), logs of inspect_ai (.json, .eval), "
    "and responses of OpenAI, vLLM or llama-server with log-probabilities, as JSON or JSON lines"
)


def read_log(path: Path, tool: str | None = None) -> tuple[Log, str]:
    """The texts of a log, and the SHA-256 of the file.

    Parameters
    ----------
    path
        The file.
    tool
        Who wrote it; None to recognise it.
    """
    try:
        size = path.stat().st_size
        if size > _MOST:
            message = f"{label(path.name)} has {size:,} bytes; a log of more than {_MOST:,} is not read"
            raise FileFormatError(message, value=str(path))
        with path.open("rb") as file:
            opening = file.read(4)
    except OSError as error:
        message = f"{label(str(path))} {unread(error)}"
        raise FileFormatError(message, value=str(path)) from error
    if opening == b"PAR1":
        found, content = lighteval.read_details(path), digest(path)
    elif opening == b"PK\x03\x04" and zipfile.is_zipfile(path):
        found, content = inspect_ai.read_archive(path), digest(path)
    else:
        data = path.read_bytes()
        found, content = _read_json(data, path), hashlib.sha256(data).hexdigest()
    if tool is not None and found.tool != tool:
        message = f"{label(path.name)} is a log of {found.tool}, not of {tool}"
        raise FileFormatError(message, value=str(path))
    if not found.items:
        message = f"{label(path.name)} is a log of {found.tool} without texts"
        raise FileFormatError(message, value=str(path))
    return found, content


def tool_of(path: Path) -> str:
    """Who wrote a log of rows (JSON lines or Parquet), by its beginning; "" if it is none."""
    with path.open("rb") as file:
        line = file.readline(_LINE)
    if line.startswith(b"PAR1"):
        return lighteval.NAME if lighteval.is_details(path) else ""
    try:
        first = LogFile.parsed(line, label(path.name), "any tool")
    except FileFormatError:
        return ""
    return lm_eval.NAME if lm_eval.is_row(first) else "a server" if responses.is_response(first) else ""


def _read_json(data: bytes, path: Path) -> Log:
    name = label(path.name)
    try:
        whole = LogFile.parsed(data, name, "any tool")
    except FileFormatError:
        lines = [line for line in data.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        rows = [LogFile.parsed(line, f"{name}:{number}", "any tool") for number, line in enumerate(lines, 1)]
    else:
        if inspect_ai.is_log(whole):
            return inspect_ai.read_log(LogFile(whole.value, name, inspect_ai.NAME))
        rows = list(whole.each()) if isinstance(whole.value, list) else [whole]
    if not rows:
        whole.fail("it is empty")
    first = rows[0]
    for row in rows:
        row.tool = "lm-eval" if lm_eval.is_row(first) else "a server" if responses.is_response(first) else "any tool"
    if lm_eval.is_row(first):
        return lm_eval.read_rows(rows)
    if responses.is_response(first):
        return responses.read_responses(rows)
    message = f"{name} is no log that can be read; known are {_KNOWN}"
    raise FileFormatError(message, value=str(path))
