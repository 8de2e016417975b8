"""Test sets on this machine: where they are, and whether they are still what they were."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from bitmeter._util.fields import read_fields
from bitmeter._util.files import replacing
from bitmeter._util.folders import data_folder
from bitmeter.data.catalogue import KnownSet, Part, split_name
from bitmeter.errors import ChoiceError, DamagedSourceError, MissingSourceError

__all__ = ["digest", "file_of", "folder_of", "record", "recorded", "stored_file"]

_BLOCK = 1 << 20
#: Beside the files of a set: the hash of each, and where it came from.
_NOTES = "set.json"
_REMEDY = "Fetch the set again: bitmeter sets get NAME --force"


def folder_of(known: KnownSet) -> Path:
    """The folder of a set in the user's data folder; it need not exist."""
    return data_folder() / "sets" / known.name


def stored_file(known: KnownSet, split: str) -> Path:
    """Where the file of a split is kept; it need not exist."""
    return folder_of(known) / f"{split or known.name}{known.parts[split].suffix}"


def file_of(name: str) -> Path | None:
    """The file of a named text such as "wikitext2:test", checked by its hash; None if the name is that of no set.

    Nothing is fetched: a set that is not here is an error that says how to get it.
    """
    found = split_name(name)
    if found is None:
        return None
    known, split = found
    if known.gated:
        message = f"{name} is not fetched by bitmeter: {known.gated}"
        raise MissingSourceError(message, path=name)
    if split not in known.parts:
        listed = ", ".join(known.names)
        message = f"{name} is no text of {known.title}; type one of {listed}"
        raise ChoiceError(message, value=name)
    path = stored_file(known, split)
    if not path.is_file():
        message = (
            f"{name} ({known.title}) is a test set that is not on this machine. Type: bitmeter sets get {known.name} "
            f"(or: --from FOLDER, if you have the files)"
        )
        raise MissingSourceError(message, path=name)
    expected = known.parts[split].sha256 or recorded(known).get(split, "")
    if digest(path) != expected:
        noted = "published" if known.parts[split].sha256 else "recorded"
        message = (
            f"{path} is not {name}: its hash is not the one that was {noted}. "
            f"Fetch it again: bitmeter sets get {known.name} --force"
        )
        raise DamagedSourceError(message, path=str(path))
    return path


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    found = hashlib.sha256()
    for block in blocks_of(path):
        found.update(block)
    return found.hexdigest()


def blocks_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file, some at a time."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def recorded(known: KnownSet) -> dict[str, str]:
    """The hash of each file of a set, as noted when it was stored."""
    path = folder_of(known) / _NOTES
    if not path.is_file():
        return {}
    fields = read_fields(path.read_bytes(), str(path), f"{path} is not what bitmeter wrote", _REMEDY)
    inner = fields.fields("sha256")
    return {split: inner.text(split) for split in inner}


def record(known: KnownSet, found: dict[str, str], source: str) -> None:
    """Note the hashes of files that were stored, and where they came from."""
    content = {
        "schema": "bitmeter.set/1",
        "name": known.name,
        "source": source,
        "sha256": recorded(known) | found,
        "licence": known.licence,
    }
    with replacing(folder_of(known) / _NOTES, force=True) as beside:
        beside.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def is_whole(known: KnownSet, split: str, part: Part) -> bool:
    """Whether the file of a split is stored and has the hash that it should have."""
    path = stored_file(known, split)
    expected = part.sha256 or recorded(known).get(split, "")
    return bool(expected) and path.is_file() and digest(path) == expected
