"""Files of n-gram models, and errors for damaged ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bitmeter import _core
from bitmeter._util.files import as_path, replacing, unread
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.ngram.arpa import is_arpa, write_arpa

SUFFIX = ".bmn"
#: Prefix of the note on a model whose figures are rounded.
ROUNDED = "figures are rounded"
#: And of that on a model whose figures KenLM rounded.
QUANTISED = "figures are quantised by KenLM"
OwnForm = _core.NgramModel | _core.CompactNgram
CoreModel = OwnForm | _core.KenlmModel
_NOTE_SIZE = 4096
#: Called with a stage of long work, and the fraction of it that is done.
Report = Callable[[str, float], object]


@contextmanager
def damage_errors(name: str) -> Iterator[None]:
    """Turn what the core says of a damaged model into an error that names it."""
    try:
        yield
    except _core.NgramChangedError as error:
        message = (
            f"{name} was cut or changed while it was in use, so its figures cannot be trusted; load it again, and "
            "replace such a file by renaming another to its name"
        )
        raise FileFormatError(message, value=name) from error
    except _core.NgramUnableError as error:
        message = f"{name}: {error}"
        raise ModelError(message, value=name) from error
    except _core.NgramFormatError as error:
        message = f"{name} is not a sound n-gram model: {error}"
        raise FileFormatError(message, value=name) from error


@contextmanager
def format_errors(name: str) -> Iterator[None]:
    """The same where the model's file is read."""
    try:
        with damage_errors(name):
            yield
    except OSError as error:
        message = f"{name} {unread(error)}"
        raise FileFormatError(message, value=name) from error


def metadata(**about: Any) -> str:
    """The metadata of a file; where it would be too long, the least important figures are left out."""
    for lengthy in ("weights", "discounts", "text"):
        if len(json.dumps(about)) > _NOTE_SIZE:
            about.pop(lengthy, None)
    return json.dumps(about, ensure_ascii=True)[:_NOTE_SIZE]


def read_metadata(data: bytes) -> dict[str, Any]:
    """The metadata of a file; {} if malformed."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def content_mark(model: CoreModel) -> str:
    """Changes with all that can change a probability: the n-grams, and those metadata that decide what they mean."""
    content = model.content_checksum()
    if not content:  # a file of an earlier version, whose archives name it by the checksum of everything
        return f"{model.fingerprint():016x}"
    from hashlib import blake2b  # slow to import

    about = read_metadata(model.metadata)
    units = about.get("units")
    known = units if isinstance(units, dict) else {}
    kept = {key: known.get(key) for key in ("kind", "ids", "newline_ends", "fingerprint")}
    meaning = [kept, bool(about.get("unk_word")), str(about.get("smoothing", "")).startswith("stupid-backoff")]
    return blake2b(json.dumps([f"{content:016x}", meaning]).encode(), digest_size=8).hexdigest()


def is_model_file(name: str) -> bool:
    """Whether a name is that of an n-gram model's file."""
    return name.endswith(SUFFIX) or is_arpa(name)


def _silent(stage: str, done: float) -> None:
    """No-op progress callback."""


def _save(model: OwnForm, path: str, progress: Report) -> None:
    if isinstance(model, _core.NgramModel):
        model.save(path, lambda share: progress("writing", share))
    else:
        progress("writing", 0.0)
        model.save(path)


def unknown_format(path: Any) -> FileFormatError:
    """The error for a name of no known format."""
    message = f"{path} does not say what to write; end its name in {SUFFIX}, .arpa, .arpa.gz or .arpa.zst"
    return FileFormatError(message, value=str(path))


def save_model(
    model: CoreModel,
    path: Any,
    *,
    unk_word: bool,
    is_distribution: bool = True,
    force: bool,
    progress: Report = _silent,
) -> None:
    """Write a model; its name decides the format."""
    final = as_path(path)
    arpa = is_arpa(final.name)
    if isinstance(model, _core.KenlmModel):
        progress("reading", 0.0)
        model = model.expanded()
    if not arpa and final.suffix != SUFFIX:
        raise unknown_format(final)
    if arpa and unk_word:
        message = (
            "this model has <unk> as a word of the text, and ARPA keeps that name for unknown words; rename it in "
            f"the text (sed 's/<unk>/_unk_/g'), or save a {SUFFIX} file"
        )
        raise FileFormatError(message, value=str(final))
    if arpa and not is_distribution:
        message = (
            "stupid back-off gives scores that do not sum to one, and an ARPA file cannot say so: its readers would "
            f"take them for probabilities; save a {SUFFIX} file, or train with another smoothing"
        )
        raise FileFormatError(message, value=str(final))
    with replacing(final, force=force) as beside:
        if arpa:
            progress("writing", 0.0)
            fast = model if isinstance(model, _core.NgramModel) else model.expanded()
            write_arpa(fast, beside, final.name)
        else:
            _save(model, str(beside), progress)
