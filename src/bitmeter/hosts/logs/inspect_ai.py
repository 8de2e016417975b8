"""inspect_ai: its logs, as JSON or as an .eval archive, with the log-probabilities of prompts or of answers."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from pathlib import Path

from bitmeter.hosts.logs.items import Item, Log, LogFile, token_bytes

__all__ = ["NAME", "is_log", "read_archive", "read_log"]

NAME = "inspect_ai"
#: The number of Zstandard among the methods of zip, and the head of a packed file.
_ZSTD = 93
_HEAD = struct.Struct("<4sHHHHHIIIHH")
#: The most that an archive may hold in all.
_MOST = 1 << 31


def is_log(found: LogFile) -> bool:
    """Whether an object is a log of inspect_ai."""
    return isinstance(found.value, dict) and "eval" in found.value and "samples" in found.value


def read_log(found: LogFile) -> Log:
    """A log as JSON."""
    return _read(list(found.at("samples").each()), found.at("eval"))


def read_archive(path: Path) -> Log:
    """An .eval archive: one file per sample, in the order of their names."""
    name = str(path)
    nothing = LogFile(None, name, NAME)
    try:
        with zipfile.ZipFile(path) as opened:
            infos = opened.infolist()
            if sum(info.file_size for info in infos) > _MOST:
                nothing.fail("it would unpack to more than 2 GB")
            names = [info.filename for info in infos]
            if "header.json" not in names:
                nothing.fail("it has no header.json; a log that was not finished has none")
            header = LogFile.parsed(_member(opened, path, "header.json"), f"{name}:header.json", NAME)
            samples = [
                LogFile.parsed(_member(opened, path, inner), f"{name}:{inner}", NAME)
                for inner in sorted(names)
                if inner.startswith("samples/") and inner.endswith(".json")
            ]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, KeyError, RuntimeError) as error:
        nothing.fail(f"the archive is damaged ({error})")
    return _read(samples, header.at("eval"))


def _member(opened: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """A file of the archive; those that are packed by Zstandard are unpacked here, as older Pythons cannot."""
    info = opened.getinfo(name)
    if info.compress_type != _ZSTD:
        return opened.read(info)
    from zstandard import ZstdDecompressor, ZstdError

    with path.open("rb") as file:
        file.seek(info.header_offset)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            message = f"{name} begins after the end of the file"
            raise zipfile.BadZipFile(message)
        magic, lengths = _HEAD.unpack(head)[0], _HEAD.unpack(head)[-2:]
        if magic != b"PK\x03\x04":
            message = f"{name} does not begin where the archive says"
            raise zipfile.BadZipFile(message)
        file.seek(sum(lengths), 1)
        packed = file.read(info.compress_size)
    try:
        # The size is that of the archive's table, so that no more is unpacked than it says.
        with ZstdDecompressor().stream_reader(packed) as reader:
            data = reader.read(info.file_size + 1)
    except ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        message = f"{name} is damaged"
        raise zipfile.BadZipFile(message)
    return data


def _read(samples: list[LogFile], about: LogFile) -> Log:
    model = about.at("model", optional=True)
    items, kinds = [], set()
    for sample in samples:
        if not sample.at("output", "choices", optional=True).value:
            sample.fail("a sample has no answer: it ended with an error, and cannot be averaged away")
        choice = sample.at("output", "choices", 0)
        prompt, answer = (choice.at(key, "content", optional=True) for key in ("prompt_logprobs", "logprobs"))
        if prompt.is_null and answer.is_null:
            choice.fail("it has no log-probabilities; run the task with logprobs=True")
        kinds.add("sample" if prompt.is_null else "text")
        items.append(_item(answer if prompt.is_null else prompt, b"" if not prompt.is_null else _input(sample)))
    if not items:
        about.fail("it has no samples")
    if len(kinds) != 1:
        about.fail("it mixes prompts and answers")
    return Log(NAME, kinds.pop(), items, "" if model.is_null else model.text())


def _input(sample: LogFile) -> bytes:
    """What the answer was given to: text, or the messages as one text."""
    found = sample.at("input")
    if isinstance(found.value, str):
        return found.text().encode()
    parts = []
    for message in found.each():
        content = message.at("content")
        plain = content.text() if isinstance(content.value, str) else repr(content.value)
        parts.append(f"{message.at('role').text()}: {plain}")
    return "\n".join(parts).encode()


def _item(content: LogFile, context: bytes) -> Item:
    tokens: list[bytes] = []
    logs: list[float | None] = []
    for entry in content.each():
        tokens.append(token_bytes(entry.at("token"), entry.at("bytes", optional=True)))
        logs.append(entry.at("logprob").token_logprob())
    return Item(b"".join(tokens), math.fsum(log for log in logs if log is not None), tokens, logs, context)
