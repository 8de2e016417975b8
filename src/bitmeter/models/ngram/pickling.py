"""N-gram models on their way to other processes: a pickle names the file, which each process maps for itself."""

from __future__ import annotations

import copy
import copyreg
from typing import Any, Self

from bitmeter.errors import BitmeterError
from bitmeter.models.ngram.base import NGramBase
from bitmeter.models.ngram.files import SUFFIX, save_model
from bitmeter.models.pickling import pickled_file

__all__ = ["NGramPickling"]

#: What belongs to the compiled model or to its file.
_OF_THE_FILE = ("path", "_model", "_expanded", "_ids_by_unit", "_spelling", "_querier")


class NGramPickling(NGramBase):
    """What `copy` and `pickle`, and with it `multiprocessing`, ask of a model.

    A model that has a file is pickled as its path and fingerprint, any other by value.

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
        if self._model is None:
            return copyreg.__newobj__, (type(self),), vars(self).copy()  # type: ignore[attr-defined]
        left_out = (*_OF_THE_FILE, "_units") if self._plan.kind == "words" else _OF_THE_FILE
        state = {name: value for name, value in vars(self).items() if name not in left_out}

        def write(path: str) -> None:
            save_model(self.form, path, unk_word=self._unk_word, force=True)

        path = self.path if self._is_in_its_file() else None
        return pickled_file(type(self), path, self.fingerprint, state, write, SUFFIX)

    def _is_in_its_file(self) -> bool:
        """Whether the file that it came from holds it still: it may have been pruned since, or the file replaced."""
        if self.path is None:
            return False
        try:
            found = type(self).load(self.path)  # type: ignore[attr-defined]
        except BitmeterError:
            return False
        return bool(found.with_oov(self._oov).fingerprint == self.fingerprint)
