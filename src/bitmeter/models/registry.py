"""What a model is, and how `scheme:name` becomes one.

A model gives ln p of each unit that it is shown. It may do more: `Predictor` gives the whole distribution of the next
unit, `Streaming` takes a document piece by piece, `Totalling` (a compressor) knows only the bits of a whole text.
Measuring, averaging, comparing and coding know models by these protocols alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import BitmeterError, InputTypeError, ModelError
from bitmeter.models.outcomes import Details
from bitmeter.text.units.base import Split, Units

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The entry-point group by which other packages add schemes.
ENTRY_POINTS = "bitmeter.models"


@runtime_checkable
class Model(Protocol):
    """Rates what it is shown."""

    @property
    def name(self) -> str:
        """As it is typed, such as `uniform:256`."""

    @property
    def units(self) -> Units:
        """What it predicts, one after the other."""

    @property
    def fingerprint(self) -> str:
        """Changes with anything that can change a probability."""

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """ln p(ids[i] | what came before in its document), for whole documents ids[bounds[j]:bounds[j+1]]."""


@runtime_checkable
class Predictor(Model, Protocol):
    """Knows the probability of every possible next unit."""

    def predict(self, history: NDArray[Any]) -> NDArray[np.float64]:
        """ln p of each unit id after this history; the probabilities sum to one."""


class Stream(Protocol):
    """A model in the middle of a text."""

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64], continues: bool) -> NDArray[np.float64]:  # noqa: FBT001
        """As `Model.logprobs`; with `continues`, the first document goes on from the call before."""


class DetailedStream(Stream, Protocol):
    """A stream that can also tell what else it held likely."""

    def details(self, ids: NDArray[Any], bounds: NDArray[np.int64], continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """The details of what `logprobs` with the same arguments would rate next; the stream does not move."""


class ByteStream(Stream, Protocol):
    """A stream that takes bytes: splitting, numbering and rating in one go are much quicker than one by one."""

    @property
    def rates_bytes(self) -> bool:
        """Whether it does, with this model."""

    def rate_bytes(
        self,
        data: bytes,
        ends: NDArray[np.int64],
        finished: int,
        continues: bool,  # noqa: FBT001
        eos: str,
    ) -> tuple[Split, NDArray[np.bool_], NDArray[np.float64]]:
        """The units, which of them are blank, and ln p of each.

        Documents end at `ends`, the last of them where the data do; the first `finished` are whole, and get their end
        as one more unit if `eos` is "yes", or "nonblank" and they hold more than white space. All must be the same as
        by way of `units.split`, the ends added, and `logprobs`.
        """


@runtime_checkable
class Streaming(Model, Protocol):
    """Can take a document in pieces, so that none needs to fit in memory."""

    def stream(self) -> Stream:
        """Begin a text."""


class Meter(Protocol):
    """A compressor at work."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""

    def finish(self) -> int:
        """The bytes of the compressed file."""


@runtime_checkable
class Totalling(Protocol):
    """Knows only what a whole text costs: a compressor."""

    @property
    def name(self) -> str:
        """As it is typed: `zstd:19`."""

    @property
    def fingerprint(self) -> str:
        """The program, its version and its setting."""

    def meter(self) -> Meter:
        """Begin a text."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to name models on the command line.

    Another package adds one by an entry point of the group `bitmeter.models`, whose name is that of the scheme::

        [project.entry-points."bitmeter.models"]
        toy = "toy_package:SCHEME"

    Attributes
    ----------
    name
        What stands before the colon.
    usage
        How it is typed, such as `zstd:LEVEL`.
    summary
        One line for `bitmeter models`.
    load
        From what stands after the colon (or an empty string) to a model.
    requires
        The package without which it cannot be loaded.
    """

    name: str
    usage: str
    summary: str
    load: Callable[[str], Any]
    requires: str | None = None


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plug-in that cannot be used: it stands in nobody's way until its scheme is asked for."""

    name: str
    value: str
    reason: str


def own_schemes() -> dict[str, Scheme]:
    """The schemes that bitmeter itself brings."""
    from bitmeter.models.baseline import compressors, tables
    from bitmeter.models.causal.endpoint import model as endpoint
    from bitmeter.models.causal.gguf import model as gguf
    from bitmeter.models.causal.hf import model as hf
    from bitmeter.models.causal.trained import model as neural
    from bitmeter.models.mixture import files as mixture_files
    from bitmeter.models.ngram import model as ngram
    from bitmeter.models.universal import model as universal

    homes = (tables, universal, ngram, mixture_files, neural, hf, gguf, endpoint, compressors)
    return {scheme.name: scheme for home in homes for scheme in home.SCHEMES}


def schemes() -> dict[str, Scheme]:
    """All schemes of this installation: ours, and what other packages add by the entry point `bitmeter.models`.

    Examples
    --------
    >>> schemes()["kt"].usage
    'kt'
    """
    return survey_schemes()[0]


def survey_schemes() -> tuple[dict[str, Scheme], tuple[BrokenPlugin, ...]]:
    """All schemes that can be used, and the plug-ins that cannot, with the reason."""
    found, broken = own_schemes(), []
    for name in sorted({entry.name for entry in _plugins()}):
        try:
            scheme = _plugin(name)
        except ModelError as error:
            values = ", ".join(entry.value for entry in _plugins(name))
            broken.append(BrokenPlugin(name, values, str(error)))
        else:
            found[name] = scheme
    return found, tuple(broken)


def _plugins(name: str | None = None) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # takes as long to import as many a text takes to score

    found = entry_points(group=ENTRY_POINTS) if name is None else entry_points(group=ENTRY_POINTS, name=name)
    return tuple(found)


def _plugin(name: str) -> Scheme:
    """The scheme of the entry point of that name; nothing else is imported."""
    entries = _plugins(name)
    if name in own_schemes():
        message = f"the plug-in {name} ({entries[0].value}) has the name of a scheme of bitmeter, which goes first"
        raise ModelError(message, value=name)
    if len(entries) > 1:
        listed = " and ".join(f"{entry.value} of {_package(entry)}" for entry in entries)
        message = f"two plug-ins add the scheme {name!r}: {listed}; uninstall one of them"
        raise ModelError(message, value=name)
    entry = entries[0]
    where = f"the plug-in {name} ({entry.value} of {_package(entry)})"
    try:
        scheme = entry.load()
    except (Exception, SystemExit) as error:
        message = f"{where} cannot be imported: {type(error).__name__}: {error}"
        raise ModelError(message, value=name) from error
    if not isinstance(scheme, Scheme):
        message = f"{where} must name a bitmeter.Scheme; it is {scheme!r:.60}"
        raise ModelError(message, value=name)
    if scheme.name != name:
        message = f"{where} brings the scheme {scheme.name!r}; the entry point and the scheme must have one name"
        raise ModelError(message, value=name)
    return scheme


def _package(entry: EntryPoint) -> str:
    return "an unknown package" if entry.dist is None else str(entry.dist.name)


def load(spec: Any) -> Any:
    """A model from `scheme:name` or a model's file, from a Distribution or a Conditional, or the model itself.

    Parameters
    ----------
    spec
        A string such as "universal", "kt" or "zstd:19"; the path of an n-gram model (.bmn or .arpa), of a universal
        one (.bmu) or of a mixture (.bmx); a Distribution or Conditional; or anything that is a model.

    Returns
    -------
    Model or Totalling
        Something that `score` can measure.

    Examples
    --------
    >>> load("uniform").name
    'uniform:256'
    """
    from bitmeter.models.ngram import files as ngram_files
    from bitmeter.models.ngram import model as ngram

    if isinstance(spec, PurePath):
        spec = str(spec)
    if isinstance(spec, str) and ngram_files.is_model_file(spec) and os.path.isfile(spec):
        return ngram.NGram.load(spec)  # at once: no other model need be known for it
    from bitmeter.models.baseline import tables
    from bitmeter.theory.conditional import Conditional
    from bitmeter.theory.distributions import Distribution

    if isinstance(spec, Distribution | Conditional):
        return tables.TableModel(spec)
    if isinstance(spec, ngram.NGram):
        return spec  # asked by its class: whether it is fitted shows when it is used
    if isinstance(spec, Model | Totalling):
        return spec
    if not isinstance(spec, str):
        message = (
            f"{spec!r:.60} is not a model; give a name such as 'uniform', a Distribution, a Conditional, or an object "
            "with name, units, fingerprint and logprobs"
        )
        raise InputTypeError(message, value=spec)
    name, _, rest = spec.partition(":")
    own = own_schemes()
    if name in own:
        return own[name].load(rest)
    if not _plugins(name):
        by_path = _by_path(spec)
        if by_path is not None:
            return by_path(spec)
        known = {*own, *(entry.name for entry in _plugins())}
        message = f"there is no model {spec!r}: known schemes are {', '.join(sorted(known))}. Type: bitmeter models"
        raise ModelError(message, value=spec)
    return _from_plugin(_plugin(name), spec, rest)


def _by_path(path: str) -> Callable[[str], Any] | None:
    """What loads a model from its path alone; None where the path is not one of a model."""
    from bitmeter.models.causal.trained import model as neural
    from bitmeter.models.mixture import files as mixture_files
    from bitmeter.models.ngram import files as ngram_files
    from bitmeter.models.ngram import kinds as ngram_kinds
    from bitmeter.models.ngram import model as ngram
    from bitmeter.models.universal import model as universal

    if ngram_files.is_model_file(path) or ngram_kinds.holds_ngrams(path):
        return ngram.NGram.load
    if universal.is_model_file(path):
        return universal.Universal.load
    if neural.is_neural_folder(path):
        return neural.Neural.load
    if path.endswith(mixture_files.SUFFIX):
        from bitmeter.models.mixture.model import MixtureModel

        return MixtureModel.load
    return None


def names_model(word: str) -> bool:
    """Whether a word is `scheme`, `scheme:name` or the name of a model's file; the file need not be there.

    Examples
    --------
    >>> names_model("zstd:19"), names_model("model.bmn"), names_model("README.md")
    (True, True, False)
    """
    from bitmeter.models.ngram.files import is_model_file

    if is_model_file(word):
        return True  # at once: no other model need be known for it
    name = word.partition(":")[0]
    return _by_path(word) is not None or name in own_schemes() or bool(_plugins(name))


def _from_plugin(scheme: Scheme, spec: str, rest: str) -> Any:
    """What a plug-in makes of a name: a model, or an error that says whose fault it is."""
    try:
        model = scheme.load(rest)
    except BitmeterError:
        raise
    except Exception as error:
        message = f"the plug-in {scheme.name} cannot load {spec!r}: {type(error).__name__}: {error}"
        raise ModelError(message, value=spec) from error
    if not isinstance(model, Model | Totalling):
        message = (
            f"the plug-in {scheme.name} made {model!r:.60} of {spec!r}, which is no model: it needs name, units, "
            "fingerprint and logprobs, or name, fingerprint and meter"
        )
        raise ModelError(message, value=spec)
    return model
