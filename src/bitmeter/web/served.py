"""The models that a client may name: those that come with the page, those typed at the start, those of one folder.

A client names a model by its id, which is looked up; no path and no scheme comes from a client.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bitmeter._util.files import label, unread
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import BitmeterError, ModelError
from bitmeter.models.components import Components
from bitmeter.models.protocols import Compressor, Model, Predictor
from bitmeter.models.registry import NAMED, begins_as_model, load_file, names_model, resolve
from bitmeter.web.continuing import continued

__all__ = ["Models", "ServedModel"]

#: The most entries of a folder that are looked at.
_MOST = 1000
#: Files that are models by their names.
_SUFFIXES = (".bmn", ".arpa", ".bmu", ".bmx")
#: n-gram models that are trained when they are first used, on the text that comes with Python: id, order, units.
_TRAINED = {"sample-words": (5, "words"), "sample-bytes": (6, "bytes")}


@dataclass
class ServedModel:
    """One model.

    Attributes
    ----------
    id
        What a client calls it.
    summary
        A line on it.
    origin
        "built in", "typed", or "folder".
    load
        Makes it.
    is_shared
        Whether several threads may measure with it at once.
    fault
        Why it cannot be used, if that is plain from how its file begins; "" otherwise.
    """

    id: str
    summary: str
    origin: str
    load: Callable[[], Model | Compressor]
    is_shared: bool = True
    #: Of a file: its path, and its size and time of change when it was found.
    path: Path | None = None
    stamp: tuple[int, int] = (0, 0)
    fault: str = ""
    loaded: Model | Compressor | None = None
    _growing: Model | Compressor | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _use: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def model(self) -> Model | Compressor:
        """The model, loaded when it is first used."""
        with self._lock:
            if self.loaded is None:
                self.loaded = self.load()
            return self.loaded

    def growing(self) -> Model | Compressor:
        """The same for texts that grow as they are typed: a model of bytes or words scores only what was added."""
        model = self.model()
        with self._lock:
            if self._growing is None:
                self._growing = continued(model) if self.is_shared and isinstance(model, Model) else model
            return self._growing

    def use(self) -> AbstractContextManager[object]:
        """For as long as it is measured with."""
        return nullcontext() if self.is_shared else self._use

    def predictor(self) -> Predictor:
        """The model, if it exposes the distribution of the next unit; a ModelError otherwise."""
        found = self.model()
        if not isinstance(found, Predictor) or not found.outcomes.named:
            message = f"{self.id} does not expose its next-token distribution, so it has no predictions to show"
            raise ModelError(message, value=self.id)
        return found

    @property
    def unit(self) -> str:
        """What it predicts, if it is loaded."""
        found = self.loaded
        if found is None:
            return ""
        return found.units.name.partition(":")[0] if isinstance(found, Model) else "total"


class Models:
    """All models of a server.

    Parameters
    ----------
    typed
        Names as on the command line: whatever scheme they have was typed by who started the server. They are loaded
        now, so that a wrong name is an error before anything is served.
    folder
        Where models are found: their files, and nothing outside of it.
    """

    def __init__(self, typed: Sequence[str] = (), folder: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._folder = None if folder is None else folder.resolve()
        if self._folder is not None and not self._folder.is_dir():
            message = f"{folder} is not a folder; give one that holds models (.bmn, .arpa, .bmu, .bmx)"
            raise ModelError(message, value=str(folder))
        self._fixed: dict[str, ServedModel] = {}
        for name in dict.fromkeys(typed):
            one = _typed(name)
            if one.id in self._fixed:
                message = f"two models are called {one.id}; rename the file of one, so that their names differ"
                raise ModelError(message, value=name)
            one.model()
            self._fixed[one.id] = one
        for one in _built_in():
            self._fixed.setdefault(one.id, one)
        self._found: dict[str, ServedModel] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look into the folder again."""
        found = {one.id: one for one in _in_folder(self._folder)} if self._folder is not None else {}
        with self._lock:
            for name, one in found.items():
                before = self._found.get(name)
                if name not in self._fixed and (before is None or before.stamp != one.stamp):
                    self._found[name] = one
            for name in [name for name in self._found if name not in found]:
                del self._found[name]

    def all(self) -> list[ServedModel]:
        """All models, those that were typed first."""
        with self._lock:
            return [*self._fixed.values(), *self._found.values()]

    def get(self, name: str) -> ServedModel:
        """The model of an id; a ModelError if the server does not have it."""
        with self._lock:
            found = self._fixed.get(name) or self._found.get(name)
        if found is not None and found.path is not None and _stamp(found.path) != found.stamp:
            self.refresh()  # trained again since, or removed
            with self._lock:
                found = self._found.get(name)
        if found is None:
            message = (
                f"this server has no model '{label(name):.80}'; it has those of GET /api/models, and others can be "
                "given when it is started: bitmeter serve MODEL… --models FOLDER"
            )
            raise ModelError(message, value=name)
        return found


def _typed_id(name: str) -> str:
    """The id of a typed model: its name without folders and secrets."""
    scheme, colon, rest = name.partition(":")
    short = without_secrets(name)
    if not colon:
        return label(Path(short).name) if names_model(name) and Path(name).exists() else label(short)
    return label(f"{scheme}:{Path(rest).name}") if Path(rest).exists() else label(short)


def _typed(name: str) -> ServedModel:
    scheme = name.partition(":")[0]
    own = scheme in NAMED or name.endswith(_SUFFIXES)
    return ServedModel(_typed_id(name), "given at the start", "typed", lambda: resolve(name), own)


def _trained(order: int, units: str, name: str) -> Model:
    from bitmeter.models.ngram.model import NGram
    from bitmeter.text.corpus.sample import sample_parts

    model = NGram(order, units=units).fit(sample_parts()[0])
    model.name = name
    return model


def _built_in() -> Iterator[ServedModel]:
    for name, (order, units) in _TRAINED.items():
        summary = f"{order}-gram of {units}, trained on the Python reference"

        def load(order: int = order, units: str = units, name: str = name) -> Model:
            return _trained(order, units, name)

        yield ServedModel(name, summary, "built in", load)
    yield ServedModel("universal", "bytes, learns as it reads", "built in", lambda: resolve("universal"))
    yield ServedModel("kt", "bytes, order 0, learns as it reads", "built in", lambda: resolve("kt"))


def _in_folder(folder: Path) -> Iterator[ServedModel]:
    """The models that lie in a folder itself; what a link reaches outside of it is passed over."""
    try:
        entries = sorted(islice(folder.iterdir(), _MOST))
    except OSError as error:
        message = f"{folder} {unread(error)}"
        raise ModelError(message, value=str(folder)) from error
    for path in entries:
        if path.name.startswith(".") or not _is_model(path) or not _is_inside(path, folder):
            continue

        def load(path: Path = path) -> Model | Compressor:
            if not _is_inside(path, folder):
                message = f"{path.name} is no longer a file of the models folder"
                raise ModelError(message, value=path.name)
            try:
                if path.suffix == ".bmx":
                    from bitmeter.models.mixture.model import load_path

                    return load_path(str(path))
                return load_file(path, Components())
            except BitmeterError as error:  # whose message a client reads: the place of the folder is not its business
                raise ModelError(str(error).replace(f"{folder}{os.sep}", ""), value=path.name) from error

        stamp = _stamp(path)
        if stamp is None:
            continue
        fault = "" if path.is_dir() or begins_as_model(path) else f"it does not begin as a {path.suffix} file does"
        fault = "it is empty" if path.is_file() and not stamp[0] else fault
        size = f"{stamp[0]:,} bytes" if path.is_file() else "a folder"
        shared = path.suffix != ".bmx" and path.is_file()
        yield ServedModel(label(path.name), size, "folder", load, shared, path, stamp, fault)


def _stamp(path: Path) -> tuple[int, int] | None:
    """The size of a file and its time of change; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _is_model(path: Path) -> bool:
    if path.is_file():
        return path.suffix in _SUFFIXES
    return path.is_dir() and names_model(str(path))


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(folder)
    except OSError:
        return False
