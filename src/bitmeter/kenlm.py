"""The Python module of KenLM, call by call: `import bitmeter.kenlm as kenlm`, or `bitmeter.kenlm.install()`.

The names, arguments and figures are those of the module `kenlm` (0.3.0): log10 in single precision. It opens ARPA
files, the binaries of KenLM and our own .bmn files. From a binary or an ARPA file it gives the same floats.

Beyond that module: `Model.scores` and `Model.perplexities` take many sentences in one call, as a list or as an Arrow
column, without the interpreter's lock; states can be pickled; a state of another model is refused; a state may be
`in_state` and `out_state` at once; and a NUL is a byte of a word, where KenLM drops what follows it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import integer
from bitmeter.errors import BitmeterError, InputTypeError
from bitmeter.models.ngram.files import CoreModel, format_errors
from bitmeter.models.ngram.kinds import begins_as_kenlm
from bitmeter.models.ngram.model import NGram

__all__ = ["ARPALoadComplain", "Config", "FullScoreReturn", "LanguageModel", "LoadMethod", "Model", "State", "install"]


#: The state of a model after some words. States are equal if no words that follow can tell them apart; they can be
#: hashed, ordered, copied and pickled.
State = _core.KenlmState
#: What `Model.BaseFullScore` gives: `log_prob`, `ngram_length` and `oov`.
FullScoreReturn = _core.KenlmFullScore


class LoadMethod:
    """How a binary comes into memory. READ and PARALLEL_READ copy it, which is faster to score by; else it is mapped.

    Examples
    --------
    >>> LoadMethod.LAZY
    0
    """

    LAZY, POPULATE_OR_LAZY, POPULATE_OR_READ, READ, PARALLEL_READ = range(5)


class ARPALoadComplain:
    """When KenLM warns that ARPA files load slowly; ours never does.

    Examples
    --------
    >>> ARPALoadComplain.NONE
    2
    """

    ALL, EXPENSIVE, NONE = range(3)


class Config:
    """Options of `Model`. `load_method` is one of `LoadMethod`; the others are taken and do nothing.

    Examples
    --------
    >>> config = Config()
    >>> config.load_method = LoadMethod.LAZY
    """

    __slots__ = ("_arpa_complain", "_load_method", "_show_progress")

    def __init__(self) -> None:
        self._load_method: int = LoadMethod.POPULATE_OR_READ
        self._show_progress: bool = True
        self._arpa_complain: int = ARPALoadComplain.ALL

    @property
    def load_method(self) -> int:
        """How a binary comes into memory."""
        return self._load_method

    @load_method.setter
    def load_method(self, value: int) -> None:
        self._load_method = integer(value, "load_method", low=LoadMethod.LAZY, high=LoadMethod.PARALLEL_READ)

    @property
    def show_progress(self) -> bool:
        """Taken as true or false; nothing is shown."""
        return self._show_progress

    @show_progress.setter
    def show_progress(self, value: object) -> None:
        self._show_progress = bool(value)

    @property
    def arpa_complain(self) -> int:
        """One of `ARPALoadComplain`; nothing is said."""
        return self._arpa_complain

    @arpa_complain.setter
    def arpa_complain(self, value: int) -> None:
        self._arpa_complain = integer(value, "arpa_complain", low=ARPALoadComplain.ALL, high=ARPALoadComplain.NONE)


class Model(_core.KenlmModule):
    r"""A language model, asked as that of the module `kenlm` is.

    Parameters
    ----------
    path
        An ARPA file, a binary of KenLM, or a .bmn file.
    config
        How a binary of KenLM comes into memory; no figure depends on it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bitmeter as bm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bm.NGram(order=2).fit(b"to be or not to be\n").save(pathlib.Path(folder, "small.bmn"))
    ...     model = Model(str(pathlib.Path(folder, "small.bmn")))
    >>> model.order, "be" in model, round(model.score("to be"), 4)
    (2, True, -0.9153)
    """

    if TYPE_CHECKING:

        def full_scores(  # noqa: D102
            self,
            sentence: object,
            bos: object | None = True,
            eos: object | None = True,
        ) -> Iterator[tuple[float, int, bool]]: ...

    else:
        # The same methods, found faster where their arguments are given by position.
        _calls = _core.kenlm_calls()
        BaseScore, BaseFullScore = _calls["BaseScore"], _calls["BaseFullScore"]
        BeginSentenceWrite, NullContextWrite = _calls["BeginSentenceWrite"], _calls["NullContextWrite"]
        del _calls

    def __init__(self, path: str | bytes | os.PathLike[str], config: Config | None = None) -> None:
        name, copied = _checked(path, config)
        self.path: bytes = os.path.abspath(name)
        try:
            super().__init__(_form(os.fsdecode(self.path), copied=copied))
        except BitmeterError as error:
            message = f"Cannot read model '{os.fsdecode(name)}' ({error})"
            raise OSError(message) from error

    def scores(  # the order of `score`
        self,
        sentences: Any,
        bos: bool = True,  # noqa: FBT001
        eos: bool = True,  # noqa: FBT001
        *,
        threads: int = 1,
    ) -> NDArray[np.float64]:
        r"""`score` of many sentences in one call.

        Parameters
        ----------
        sentences
            A list of strings, or a column of them from pyarrow, polars or another package that speaks Arrow.
        bos, eos
            As for `score`.
        threads
            How many to use; 0 for all of the machine's.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import bitmeter as bm
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bm.NGram(order=2).fit(b"to be or not to be\n").save(pathlib.Path(folder, "small.bmn"))
        ...     model = Model(str(pathlib.Path(folder, "small.bmn")))
        >>> model.scores(["to be", "not"]).round(4).tolist()
        [-0.9153, -2.1584]
        """
        return self._totals(sentences, bos, eos, threads)[0]

    def perplexities(self, sentences: Any, *, threads: int = 1) -> NDArray[np.float64]:
        """`perplexity` of many sentences in one call; the arguments are those of `scores`."""
        sums, words = self._totals(sentences, True, True, threads)
        return np.asarray(10.0 ** (-sums / (words + 1)), dtype=np.float64)

    def _totals(
        self, sentences: Any, bos: Any, eos: Any, threads: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        many = integer(threads, "threads", low=0, high=1024)
        return self.totals(sentences, bos, eos, many)

    def __repr__(self) -> str:
        return f"<Model from {os.path.basename(self.path)!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,)


def _checked(path: Any, config: Any) -> tuple[bytes, bool]:
    """The path, and whether the file is copied into memory."""
    if config is not None and not isinstance(config, Config):
        message = f"config is of the type {type(config).__name__}; it must be a Config of this module"
        raise InputTypeError(message, value=config)
    if not isinstance(path, str | bytes | os.PathLike):
        message = f"path is of the type {type(path).__name__}; it must be a string or bytes"
        raise InputTypeError(message, value=path)
    copied = config is not None and config.load_method in (LoadMethod.READ, LoadMethod.PARALLEL_READ)
    return os.fsencode(path), copied


def _form(path: str, *, copied: bool) -> CoreModel:
    if copied and begins_as_kenlm(path):
        with format_errors(path):
            return _core.KenlmModel.read(path)
    return NGram.load(path).form


class LanguageModel(Model):
    """Another name of `Model`, from early versions of KenLM."""


def install() -> None:
    """Let `import kenlm` find this module, in this process, so that other packages use it unchanged.

    Examples
    --------
    >>> import sys
    >>> before = sys.modules.get("kenlm")
    >>> install()
    >>> import kenlm
    >>> kenlm.Model.__module__
    'bitmeter.kenlm'
    >>> del sys.modules["kenlm"]
    >>> if before is not None:
    ...     sys.modules["kenlm"] = before
    """
    sys.modules["kenlm"] = sys.modules[__name__]
