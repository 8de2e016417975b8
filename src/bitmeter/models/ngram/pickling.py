"""N-gram models on their way to other processes: a pickle names the file, which each process maps for itself."""

from __future__ import annotations

import copy
from typing import Any, Protocol, Self

from bitmeter.errors import ModelError
from bitmeter.models.ngram.base import NGramBase

__all__ = ["NGramPickling"]


class Loadable(Protocol):
    """A class of models that loads them from files."""

    @classmethod
    def load(cls, path: str) -> NGramBase:
        """The model of a file."""


class NGramPickling(NGramBase):
    """What `copy` and `pickle`, and with it `multiprocessing`, ask of a model.

    Examples
    --------
    >>> import bitmeter as bm, pathlib, pickle, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = bm.NGram(order=2).fit(b"to be or not to be")
    ...     model.save(pathlib.Path(folder, "model.bmn"))
    ...     pickle.loads(pickle.dumps(model)).fingerprint == model.fingerprint
    True
    """

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)  # what is estimated never changes

    def __reduce__(self) -> tuple[Any, ...]:
        if self.path is None:
            message = f"{self.name} is in memory alone, and other processes take it from its file; save it first"
            raise ModelError(message)
        return _unpickled, (type(self), self.path, self._oov, self.fingerprint)


def _unpickled(kind: type[Loadable], path: str, oov: str, fingerprint: str) -> NGramBase:
    found = kind.load(path).with_oov(oov)
    if found.fingerprint != fingerprint:
        message = f"{path} holds another model than the one that was pickled: {found.fingerprint}, not {fingerprint}"
        raise ModelError(message, value=path)
    return found
