"""What every process can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import InputTypeError, RangeError, ShapeError, UndefinedError, UnknownLabelError
from bitmeter.theory.processes.laws import Linear
from bitmeter.theory.processes.results import Rate, Verdict

Ids: TypeAlias = NDArray[Any]

#: The most symbols that one call samples, and the most words that one call lists.
MAX_SYMBOLS = 10**9
MAX_WORDS = 2**24


class Process(ABC):
    """A random sequence over a finite alphabet: it can be sampled, gives probabilities, and has an entropy rate.

    The symbols are the integers 0 … `alphabet_size` - 1, or `labels` where there are any. A process is immutable.
    """

    alphabet_size: int
    labels: tuple[Hashable, ...] | None

    def _set_alphabet(self, size: int, labels: Any) -> None:
        self.alphabet_size = size
        self.labels = None if labels is None else check.labels(labels, "labels")
        if self.labels is not None and len(self.labels) != size:
            message = f"labels has {len(self.labels)} labels for an alphabet of {size} symbols; give one per symbol"
            raise ShapeError(message)

    # ---- sampling ----------------------------------------------------------------------------------------------------

    def sample(self, n: int, seed: Seed = None, *, paths: int | None = None) -> NDArray[Any]:
        """Draw a sequence of `n` symbols, or `paths` independent ones as the rows of a table.

        One seed gives one sample, on every machine and with any number of threads; the first rows of a sample of many
        paths are the sample of fewer. Without labels the symbols are integers, held in as few bytes as the alphabet
        allows (`uint8` up to 256 symbols).

        Parameters
        ----------
        n
            Symbols in a path.
        seed
            A whole number, or a numpy generator, which advances. None draws a new one.
        paths
            How many paths; None for a single sequence without a second axis.

        Examples
        --------
        >>> from bitmeter import Markov
        >>> "".join(Markov([[.9, .1], [.5, .5]], labels="ab").sample(20, seed=1))
        'baaaaaaaaaabbaaaaaaa'
        """
        length = check.integer(n, "n", low=1, high=MAX_SYMBOLS)
        rows = 1 if paths is None else check.integer(paths, "paths", low=1, high=MAX_SYMBOLS)
        if length * rows > MAX_SYMBOLS:
            message = (
                f"{length} symbols in each of {rows} paths are more than {MAX_SYMBOLS:.0e}; sample in several calls"
            )
            raise RangeError(message, value=length * rows)
        ids, _ = self._sample(length, rows, seed_words(seed))
        return self._named(ids[0] if paths is None else ids)

    def _named(self, ids: Ids) -> NDArray[Any]:
        return ids if self.labels is None else _label_array(self.labels)[ids]

    @abstractmethod
    def _sample(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints]:
        """Ids (paths × n) and, for each path, which of `ergodic_components` it follows (-1: not yet settled)."""

    def _new_ids(self, paths: int, n: int) -> Ids:
        return np.empty((paths, n), dtype=id_type(self.alphabet_size))

    # ---- log-probability ---------------------------------------------------------------------------------------------

    def logprob(self, sequence: Any, *, unit: Unit = "nats") -> float:
        """The log-probability of a sequence; minus infinity where it cannot occur.

        In nats by default, like all log-probabilities here; the surprisal in bits is
        ``-logprob(sequence, unit="bits")``.

        Examples
        --------
        >>> from bitmeter import Iid
        >>> Iid({"a": .25, "b": .75}).logprob("aba", unit="bits")
        -4.4150374992788
        >>> Iid([1, 0]).logprob([0, 1])
        -inf
        """
        per = check.nats_per(unit)
        return float(self._logprobs(self._encode(sequence), None)[0]) / per

    def logprobs(self, sequence: Any) -> Floats:
        """The log-probability of each symbol given all before it, in nats: by the chain rule they sum to `logprob`.

        Examples
        --------
        >>> from bitmeter import Markov
        >>> Markov([[.9, .1], [.5, .5]], initial=[1, 0]).logprobs([0, 0, 1]).round(4)
        array([ 0.    , -0.1054, -2.3026])
        """
        ids = self._encode(sequence)
        out = np.empty(ids.shape)
        self._logprobs(ids, out)
        return np.asarray(out[0])

    @abstractmethod
    def _logprobs(self, ids: Ids, out: Floats | None) -> Floats:
        """The log-probability of each path, in nats; that of each symbol into `out`."""

    def _encode(self, sequence: Any) -> Ids:
        """A sequence as one row of ids."""
        return self._encode_symbols(check.symbols(sequence, "sequence"), "sequence")

    def _encode_symbols(self, found: check.Symbols, name: str) -> Ids:
        if self.labels is None and found.labels is None:
            ids = found.ids
            wrong = (ids < 0) | (ids >= self.alphabet_size)
            if wrong.any():
                self._unknown(name, int(np.argmax(wrong)), int(ids[np.argmax(wrong)]))
            return np.ascontiguousarray(ids, dtype=id_type(self.alphabet_size))[None]
        if found.labels is None:
            kinds, _ = _core.count_symbols(found.ids)
            places, names = np.searchsorted(kinds, found.ids), tuple(kinds.tolist())
        else:
            places, names = found.ids, found.labels
        known = {label: place for place, label in enumerate(self.labels or ())}
        codes = np.array([known.get(name, -1) for name in names], dtype=np.int64)
        if (codes < 0).any():
            at = int(np.argmax(codes[places] < 0))
            self._unknown(name, at, names[int(places[at])])
        return np.ascontiguousarray(codes[places], dtype=id_type(self.alphabet_size))[None]

    def _unknown(self, name: str, place: int, symbol: Hashable) -> None:
        if self.labels is None:
            known = f"the integers 0 to {self.alphabet_size - 1} (give the process labels= for others)"
        else:
            known = check.shown(list(self.labels))
        message = f"{name}[{place}] is {check.shown(symbol)}, which this process does not know; its symbols are {known}"
        raise UnknownLabelError(message, index=place, value=symbol)

    # ---- words of a fixed length -------------------------------------------------------------------------------------

    def block_probabilities(self, length: int) -> Floats:
        """The probability of each word of `length` symbols at the start of the sequence, one axis per symbol.

        Examples
        --------
        >>> from bitmeter import Markov
        >>> Markov([[.9, .1], [.3, .7]]).block_probabilities(2)
        array([[0.675, 0.075],
               [0.075, 0.175]])
        """
        size = self._check_words(length)
        return self._blocks(size).reshape((self.alphabet_size,) * size)

    def block_entropy(self, length: int, *, unit: Unit = "bits") -> float:
        """The entropy of the first `length` symbols together.

        Examples
        --------
        >>> from bitmeter import Iid
        >>> Iid([.5, .5]).block_entropy(3)
        3.0
        """
        per = check.nats_per(unit)
        value, *_ = _core.row_entropy(self._blocks(self._check_words(length))[None])
        return 0.0 - float(value[0]) * check.nats_per("bits") / per

    def _check_words(self, length: Any) -> int:
        size = check.integer(length, "length", low=1, high=64)
        if self.alphabet_size**size > MAX_WORDS:
            message = (
                f"there are {self.alphabet_size}**{size} words of length {size}, more than {MAX_WORDS}: shorten them"
            )
            raise RangeError(message, value=size)
        return size

    @abstractmethod
    def _blocks(self, length: int) -> Floats:
        """The probabilities of all words of a length at the start, in lexicographic order."""

    @abstractmethod
    def _steady_blocks(self, length: int) -> Floats:
        """The same in the long run."""

    @abstractmethod
    def _possible_blocks(self, length: int) -> Bools:
        """Which words can occur at any time at all."""

    @abstractmethod
    def _linear(self) -> Linear:
        """The law in terms of vectors."""

    def _conditional_entropies(self, longest: int) -> Floats:
        """H(Xₙ|X₁…Xₙ₋₁) for n = 1 … longest, in nats: from all words, unless a process knows better."""
        words = self._blocks(self._check_words(longest))
        found = np.empty(longest)
        for place in range(longest - 1, -1, -1):
            pairs = words.reshape(-1, self.alphabet_size)
            words = pairs.sum(axis=1)
            share = np.divide(pairs, words[:, None], where=pairs > 0, out=np.ones_like(pairs))
            found[place] = 0.0 - float((pairs * np.log(share)).sum())
        return found

    # ---- the long run ------------------------------------------------------------------------------------------------

    @property
    def settles(self) -> Verdict:
        """Whether averages over time settle on every path, on whatever value: whether there is a long run at all.

        Examples
        --------
        >>> from bitmeter import example_process
        >>> bool(example_process("two-coins").settles), bool(example_process("swings").settles)
        (True, False)
        """
        return Verdict(True, "every path settles into one of its ergodic components")

    @property
    @abstractmethod
    def is_stationary(self) -> Verdict:
        """Whether the law is invariant under shifts of time."""

    @property
    @abstractmethod
    def is_ergodic(self) -> Verdict:
        """Whether time averages tend to one and the same value on every path.

        For such processes -1/n log P(x₁…xₙ) of a single path tends to the entropy rate.
        """

    @property
    @abstractmethod
    def is_mixing(self) -> Verdict:
        """Whether the distant future does not depend on the start."""

    @property
    @abstractmethod
    def ergodic_components(self) -> tuple[tuple[float, Process], ...]:
        """The stationary ergodic processes that paths settle into, each with its probability."""

    @abstractmethod
    def rate(self, *, unit: Unit = "bits", tolerance: float = 1e-9, seed: Seed = None) -> Rate:
        """The entropy rate with its method and limits.

        A closed form where there is one; else bounds, closed to `tolerance` where the work allows; else an estimate
        from samples (drawn with `seed`) with its standard error.
        """

    @property
    def entropy_rate(self) -> float:
        """The entropy rate, in bits per step: the limit of H(X₁…Xₙ)/n.

        Examples
        --------
        >>> from bitmeter import Markov
        >>> round(Markov([[.9, .1], [.5, .5]]).entropy_rate, 4)
        0.5575
        """
        return self.entropy_rate_in("bits")

    def entropy_rate_in(self, unit: Unit) -> float:
        """The entropy rate in `unit` per step.

        Examples
        --------
        >>> from bitmeter import Iid
        >>> round(Iid([.5, .5]).entropy_rate_in("nats"), 4)
        0.6931
        """
        check.nats_per(unit)
        return self.rate(unit=unit).value

    @property
    def varentropy_rate(self) -> float:
        """The variance of -log₂ P(x₁…xₙ), divided by n, as n grows: σ² of the central limit theorem, in bits².

        Examples
        --------
        >>> from bitmeter import Markov
        >>> round(Markov([[.9, .1], [.3, .7]]).varentropy_rate, 3)
        1.193
        """
        return self._varentropy_nats() / check.nats_per("bits") ** 2

    @abstractmethod
    def _varentropy_nats(self) -> float: ...


def id_type(size: int) -> type[np.uint8] | type[np.uint16] | type[np.int32]:
    """The smallest integers that hold an alphabet."""
    return np.uint8 if size <= 2**8 else np.uint16 if size <= 2**16 else np.int32


def seed_words(seed: Seed) -> NDArray[np.uint64]:
    """The four words that the core's generator starts from; raw bits, which numpy guarantees not to change."""
    return np.asarray(check.generator(seed).bit_generator.random_raw(4), dtype=np.uint64)


def sub_seed(words: NDArray[np.uint64], index: int) -> NDArray[np.uint64]:
    """Seed words for a part of a sample, independent of those of the other parts."""
    child = np.random.SeedSequence([*(int(word) for word in words), index])
    return np.asarray(child.generate_state(4, np.uint64), dtype=np.uint64)


def a_process(value: Any, name: str) -> Process:
    """A process, or a typed error."""
    if not isinstance(value, Process):
        message = f"{name} is {check.shown(value)}; it must be a process: Iid, Markov, HiddenMarkov, Mixture or Phases"
        raise InputTypeError(message, value=value)
    return value


def need_long_run(process: Process) -> None:
    """Raise where averages over time do not settle, so that a rate does not exist."""
    if not process.settles:
        message = f"{process!r} has no long run: {process.settles.reason}; entropy_curves shows its entropy by length"
        raise UndefinedError(message)


def same_alphabet(first: Process, second: Process, name: str) -> None:
    """Raise unless two processes have the same symbols."""
    if first.alphabet_size != second.alphabet_size or first.labels != second.labels:
        message = (
            f"{name} is over {_alphabet(second)}, the other process over {_alphabet(first)}; "
            "both must have the same symbols, in the same order"
        )
        raise ShapeError(message)


def _alphabet(process: Process) -> str:
    named = "" if process.labels is None else f" {check.shown(list(process.labels))}"
    return f"{process.alphabet_size} symbols{named}"


def _label_array(labels: tuple[Hashable, ...]) -> NDArray[Any]:
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], str | bytes | int | float):
        made = np.array(labels)
        if made.ndim == 1 and made.tolist() == list(labels):
            return made
    boxed = np.empty(len(labels), dtype=object)
    boxed[:] = labels
    return boxed


def frozen(values: Floats) -> Floats:
    """The array, made read-only."""
    values.flags.writeable = False
    return values


__all__ = [
    "MAX_SYMBOLS",
    "MAX_WORDS",
    "Ids",
    "Process",
    "a_process",
    "frozen",
    "id_type",
    "need_long_run",
    "same_alphabet",
    "seed_words",
    "sub_seed",
]
