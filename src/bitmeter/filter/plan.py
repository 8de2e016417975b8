"""Which files are read, what is written of each, and that nothing is in the way."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.files import as_path, check_destination, label
from bitmeter.errors import ChoiceError, FileFormatError
from bitmeter.filter.outputs import check_format
from bitmeter.text.corpus.sources import resolve
from bitmeter.text.formats import is_url

__all__ = ["BUCKET", "Shard", "shards_of"]

#: Stands for the bucket in the name of an output.
BUCKET = "{bucket}"


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of the corpus, and where what becomes of it goes.

    Attributes
    ----------
    source
        The file.
    name
        By which its receipt is known: the output, below the folder of outputs.
    kept, rejected, bad
        The outputs; None for what is not written. `kept` may have the bucket in its name.
    is_named
        Whether the output was named, and not only its folder.
    """

    source: str
    name: str
    kept: Path | None
    rejected: Path | None = None
    bad: Path | None = None
    is_named: bool = False

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return os.stat(self.source).st_size

    def outputs(self, labels: tuple[str, ...]) -> list[Path]:
        """All files that are written."""
        kept = [] if self.kept is None else [kept_path(self.kept, one) for one in labels]
        return [*dict.fromkeys(kept), *(path for path in (self.rejected, self.bad) if path is not None)]


def kept_path(path: Path, bucket: str) -> Path:
    """The output of a bucket."""
    return Path(str(path).replace(BUCKET, bucket))


def shards_of(corpus: Any, output: Any, rejected: Any, bad: Any) -> list[Shard]:
    """The files of a corpus: a path, a pattern, a folder, or a list of those; outputs have the names of their inputs.

    Parameters
    ----------
    corpus
        What is read.
    output
        A file, if one file is named; a folder, if several are or a folder is. None where nothing is written.
    rejected, bad
        The same for records that are dropped or bad; None where they are not written.
    """
    found = [(name, relative) for one in _listed(corpus) for name, relative in _files(one)]
    many = len(found) > 1 or any(os.path.isdir(one) for one in _listed(corpus))
    names: dict[str, str] = {}
    shards: list[Shard] = []
    for source, relative in found:
        if relative in names and output is not None:
            message = (
                f"{label(names[relative])} and {label(source)} would both be written to {label(relative)}; "
                "give a folder that holds both, or filter them apart"
            )
            raise ChoiceError(message, value=relative)
        names[relative] = source
        places = [
            None if one is None else _place(one, relative, many=many, suffix=suffix)
            for one, suffix in ((output, ""), (rejected, ""), (bad, ".bad.jsonl"))
        ]
        for place in places[:2]:
            if place is not None:
                check_format(source, str(place))
        # One file may be filtered into several: their receipts have the names of what is written.
        is_named = places[0] is not None and places[0] == as_path(output)
        name = relative if places[0] is None or not is_named else places[0].name
        kept, dropped, aside = places
        shards.append(Shard(source, name, kept, dropped, aside, is_named))
    return shards


def _listed(corpus: Any) -> list[Any]:
    if isinstance(corpus, list | tuple):
        if not corpus:
            message = "the list of files is empty; name at least one"
            raise ChoiceError(message)
        return list(corpus)
    return [corpus]


def _files(what: Any) -> list[tuple[str, str]]:
    """The files that a name stands for, and their names below the folder that was named."""
    root = as_path(what)
    if str(root) == "-" or is_url(str(what)):
        message = f"{label(str(what))} is not a file here; a filter can be resumed, which needs files: save it first"
        raise ChoiceError(message, value=str(what))
    sources = [source.name for source in resolve(str(root)).sources]
    if root.is_dir():
        return [(name, os.path.relpath(name, root)) for name in sources]
    return [(name, os.path.basename(name)) for name in sources]


def _place(output: Any, relative: str, *, many: bool, suffix: str) -> Path:
    path = as_path(output)
    is_folder = many or str(output).endswith(("/", os.sep)) or path.is_dir() or path.name == BUCKET
    if not is_folder:
        return path
    if path.exists() and not path.is_dir():
        message = f"{label(str(path))} is a file, and several files are written; name a folder"
        raise FileFormatError(message, value=str(path))
    return path / f"{relative}{suffix}"


def check_outputs(shards: list[Shard], labels: tuple[str, ...]) -> None:
    """Refuse outputs that are inputs, or each other, before any work is done."""
    inputs = {_identity(Path(shard.source)) for shard in shards}
    seen: set[Path] = set()
    for shard in shards:
        for path in shard.outputs(labels):
            if path.exists() and _identity(path) in inputs:
                message = f"{label(str(path))} is also an input, and would be lost; name another output"
                raise ChoiceError(message, value=str(path))
            if path.absolute() in seen:
                message = f"{label(str(path))} is named for two outputs; name different files"
                raise ChoiceError(message, value=str(path))
            seen.add(path.absolute())


def _identity(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_dev, about.st_ino


def check_free(path: Path) -> None:
    """Refuse to overwrite what is not ours."""
    if path.parent.is_dir():
        check_destination(path)
