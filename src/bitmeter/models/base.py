"""What a model is, and how `scheme:name` becomes one.

A model gives ln p of each unit that it is shown. It may do more: `Predictor` gives the whole distribution of the next
unit, `Streaming` takes a document piece by piece, `Totalling` (a compressor) knows only the bits of a whole text.
Measuring, averaging, comparing and coding know models by these protocols alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.details import Details
from bitmeter.text.units import Units

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


def schemes() -> dict[str, Scheme]:
    """All schemes of this installation: ours, and what other packages add by the entry point `bitmeter.models`."""
    from bitmeter.models import compressors, tables

    found = {scheme.name: scheme for scheme in (*tables.SCHEMES, *compressors.SCHEMES)}
    for entry in entry_points(group=ENTRY_POINTS):
        scheme = _added(entry)
        if scheme.name in found:
            message = (
                f"the package entry point {entry.value} adds the scheme {scheme.name!r}, which exists already; "
                "uninstall one of the two packages"
            )
            raise ModelError(message, value=scheme.name)
        found[scheme.name] = scheme
    return found


def _added(entry: EntryPoint) -> Scheme:
    try:
        scheme = entry.load()
    except Exception as error:
        message = f"the plug-in {entry.name} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        raise ModelError(message) from error
    if not isinstance(scheme, Scheme):
        message = f"the plug-in {entry.name} ({entry.value}) must name a bitmeter.Scheme; it is {scheme!r:.60}"
        raise ModelError(message)
    return scheme


def load(spec: Any) -> Any:
    """A model from `scheme:name`, from a Distribution or a Conditional, or the model itself.

    Parameters
    ----------
    spec
        A string such as "uniform", "kt" or "zstd:19"; a Distribution or Conditional; or anything that is a model.

    Returns
    -------
    Model or Totalling
        Something that `score` can measure.

    Examples
    --------
    >>> load("uniform").name
    'uniform:256'
    """
    from bitmeter.models import tables
    from bitmeter.theory.conditional import Conditional
    from bitmeter.theory.distributions import Distribution

    if isinstance(spec, Distribution | Conditional):
        return tables.TableModel(spec)
    if isinstance(spec, Model | Totalling):
        return spec
    if not isinstance(spec, str):
        message = (
            f"{spec!r:.60} is not a model; give a name such as 'uniform', a Distribution, a Conditional, or an object "
            "with name, units, fingerprint and logprobs"
        )
        raise InputTypeError(message, value=spec)
    scheme, _, rest = spec.partition(":")
    known = schemes()
    if scheme not in known:
        message = f"there is no model {spec!r}: known schemes are {', '.join(sorted(known))}. Type: bitmeter models"
        raise ModelError(message, value=spec)
    return known[scheme].load(rest)
