"""
The native core of bitmeter: counting and summing without the interpreter lock.
"""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

import bitmeter.errors


class NgramFormatError(bitmeter.errors.FileFormatError):
    pass

class NgramChangedError(NgramFormatError):
    pass

class NgramUnableError(NgramFormatError):
    pass

class ArpaError(bitmeter.errors.FileFormatError):
    pass

class UniversalFormatError(bitmeter.errors.FileFormatError):
    pass

class CodeError(bitmeter.errors.FileFormatError):
    pass

class OverlapFormatError(bitmeter.errors.FileFormatError):
    pass

class PieceFormatError(bitmeter.errors.FileFormatError):
    pass

class PieceUnsupportedError(bitmeter.errors.FileFormatError):
    pass

def cpu() -> dict[str, object]:
    """
    The instruction-set level in use (BITMETER_CPU limits it), the levels and features of the processor, and the kernel that each family of loops uses.
    """

@overload
def count_symbols(x: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_symbols(x: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_symbols(x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_symbols(x: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_symbols(x: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Symbols in ascending order, and how often each occurs."""

@overload
def count_pairs(x: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_pairs(x: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_pairs(x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_pairs(x: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_pairs(x: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Pairs (first, second) in ascending order, and how often each occurs."""

@overload
def row_sums(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def row_sums(p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Compensated sum of each row. Returns (value, sum_p, sum_q, bad_p, bad_q, impossible).
    """

@overload
def row_entropy(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def row_entropy(p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Sum of p log2 p of each row; returns as row_sums."""

@overload
def row_variance(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def row_variance(p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Sum of p (log2 p - centre)^2 of each row; returns as row_sums."""

@overload
def row_cross(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def row_cross(p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Sum of p log2 q of each row; returns as row_sums."""

@overload
def row_divergence(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def row_divergence(p: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Sum of p log2(p/q) of each row; returns as row_sums."""

class ExactSums:
    """Sums that are rounded only when they are read."""

    def __init__(self, size: int = 0) -> None: ...

    def __len__(self) -> int: ...

    def resize(self, size: int) -> None:
        """New sums are zero; those that go are added to the last that stays."""

    def add(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int = 0) -> None:
        """Add the terms x[bounds[j]:bounds[j+1]] to the sum first + j."""

    def join_pairs(self) -> None:
        """
        Add each sum of an odd index to the one before it, which halves their number.
        """

    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Each sum, rounded once."""

    def parts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Numbers whose exact sum is that of all the finite terms."""

def segment_sums(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Sums of x[bounds[j]:bounds[j+1]], each rounded once."""

def segment_counts(x: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """How many of x[bounds[j]:bounds[j+1]] are true."""

def adaptive_logprobs(x: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(256), order='C', device='cpu')]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    ln p of each byte under the Krichevsky-Trofimov estimator; counts are those of what came before, and go on.
    """

def cluster_view(costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, float, int, int, float, float]:
    """
    (infinite, first_infinite, sized, used, effective, largest_share) of clusters before they are measured.
    """

def cluster_ratio(costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """Sum of costs over sum of sizes, each compensated."""

def effective_clusters(sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """How many clusters of equal size would vary as much as these."""

def standard_error(residuals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float]:
    """
    The standard error of a ratio if clusters are independent; its degrees of freedom.
    """

def without_curve(residuals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], either_way: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Residuals without their learning curve; as they are if none fits."""

def lean_of_sums(residuals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The skew of the sum of the residuals."""

def lean_of_rates(residuals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The same from the rates of the clusters."""

def batched(residuals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Residuals summed to batches of about equal size."""

def dependence(residuals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], number: int, prior: float) -> tuple[list[float], list[float]]:
    """The weight and the scale of each model of dependence."""

def dependence_variances(number: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Row by row, one per model: the variance of the mean, then of each cosine, over that of white noise.
    """

def dependence_half_width(weights: Sequence[float], scales: Sequence[float], degrees: int, confidence: float, front: float) -> float:
    """
    The error that is exceeded with probability 1 - confidence; front is the constant of the density of t.
    """

def dependence_share(weights: Sequence[float], length: float) -> float:
    """The weight of the models whose dependence is at least so long."""

def two_tails(degrees: int, t: float) -> float:
    """P(|T| > t) for whole degrees of freedom."""

class ClusterSpread:
    """
    The ratio of two sums over clusters, and how far these spread about it.
    """

    def __init__(self, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], learns: bool, either_way: bool) -> None: ...

    @property
    def estimate(self) -> float: ...

    @property
    def number(self) -> int:
        """Clusters that have a size."""

    @property
    def error(self) -> float: ...

    @property
    def degrees(self) -> float: ...

    def likeness(self) -> float:
        """The correlation of neighbours, in standard errors."""

    def dependence(self, cosines: int, prior: float) -> tuple[list[float], list[float]]:
        """
        The weight of each model of dependence, and the scale of the error by it.
        """

    def lean(self, in_batches: bool) -> float:
        """The skew of the error."""

    def lean_of_clusters(self) -> float:
        """The skew of the sum of the residuals."""

    def carrier(self, in_batches: bool) -> tuple[int, float]:
        """The batch or cluster that carries most of the spread, and its share."""

@overload
def ctw_log_probability(x: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, depth: int, threads: int = 0) -> float: ...

@overload
def ctw_log_probability(x: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, depth: int, threads: int = 0) -> float: ...

@overload
def ctw_log_probability(x: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, depth: int, threads: int = 0) -> float:
    """ln P(x) under context tree weighting, for symbols below 2**bits."""

@overload
def lz78_phrases(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

@overload
def lz78_phrases(text: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

@overload
def lz78_phrases(text: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """Phrases of Lempel and Ziv's 1978 parsing."""

@overload
def longest_previous(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def longest_previous(text: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def longest_previous(text: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def longest_previous(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def longest_previous(text: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def longest_previous(text: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Longest string that starts at each place and also earlier."""

@overload
def common_prefixes(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def common_prefixes(text: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def common_prefixes(text: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def common_prefixes(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def common_prefixes(text: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def common_prefixes(text: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """What each suffix shares with the one before it in sorted order."""

@overload
def lz76_phrases(longest: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

@overload
def lz76_phrases(longest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """Phrases of Lempel and Ziv's 1976 parsing, from longest_previous."""

@overload
def match_means(longest: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[float, float]: ...

@overload
def match_means(longest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> tuple[float, float]:
    """
    Means of L/l and of l/L, with L = 1 + longest[i] and l = log2(i + 1), over i >= 1.
    """

@overload
def count_blocks(suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], common: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], length: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]: ...

@overload
def count_blocks(suffixes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], common: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], length: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]:
    """
    How often strings of one length occur: (counts, how many kinds have each, count of the text's last one).
    """

@overload
def sample_chain(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: int, seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], threads: int = 0) -> None: ...

@overload
def sample_chain(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: int, seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu')], threads: int = 0) -> None: ...

@overload
def sample_chain(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: int, seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], threads: int = 0) -> None:
    """
    Fill out (paths x length) with samples of the chain whose next-symbol probabilities are the table's rows.
    """

@overload
def chain_logprobs(x: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def chain_logprobs(x: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def chain_logprobs(x: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The log-probability of each path under a table of logarithms; that of each symbol into out.
    """

@overload
def sample_hidden(initial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], states: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> None: ...

@overload
def sample_hidden(initial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu')], states: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> None: ...

@overload
def sample_hidden(initial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], states: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> None:
    """
    Fill out (paths x length) with what a hidden Markov model emits, and states with its hidden states.
    """

@overload
def hidden_logprobs(initial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def hidden_logprobs(initial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def hidden_logprobs(initial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emission: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The log-probability of each path by the scaled forward algorithm; that of each symbol into out.
    """

def long_run(transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Stationary law, mean reward and solution of Poisson's equation of an irreducible chain.
    """

def running_sums(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Sums of the first ends[k] entries of each row, row by row."""

class WordTable:
    """Words and their ids, from zero."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, data: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The id of each span's bytes; new ones get the next ids."""

    def find(self, data: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The id of each span's bytes, -1 where there is none."""

class TextCounts:
    """Counts characters and words of a text that comes block by block."""

    def __init__(self, separators: bytes) -> None: ...

    def feed(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        (chars, invalid, words) of each document that ends here, and of what follows the last end.
        """

    def take(self, document: bytes) -> None:
        """Count a whole document."""

    def finish(self) -> int:
        """End the open document; how many invalid bytes it ended in."""

    @property
    def bytes(self) -> int: ...

    @property
    def chars(self) -> int: ...

    @property
    def invalid(self) -> int: ...

    @property
    def words(self) -> int: ...

class Paragraphs:
    """Finds paragraphs in a text that comes block by block."""

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The ends that this block decides, as offsets into the whole text."""

    @property
    def decided(self) -> int: ...

def split_chars(data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """(ids, cuts, bounds) of the characters."""

def split_words(data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, table: WordTable | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """(ids, cuts, bounds) of the words."""

def trim(data: bytes, cuts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """(starts, stops) of each unit without separators around it."""

def chars_cut(data: bytes) -> int:
    """How many bytes of an unfinished document are whole characters."""

def words_cut(data: bytes, separators: bytes) -> int:
    """How many bytes of an unfinished document are whole words."""

def hash_spans(data: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """63 bits of hash of each span's bytes."""

def line_ends(data: bytes) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The offset after each newline."""

class Normaliser:
    """A text normaliser by name: ccnet, edugp, roots or datatrove."""

    def __init__(self, name: str) -> None: ...

    def documents(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(data, ends) of whole documents, each changed by itself."""

class NormaliserStream:
    """Changes documents that arrive in blocks, which may cut them anywhere."""

    def __init__(self, normaliser: Normaliser) -> None: ...

    def feed(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        (data, ends) of the documents that end here, and what is decided of the one that goes on.
        """

UNICODE_VERSION: str = '14.0.0'

class TextEncoder:
    """Splits texts into the ids of a vocabulary."""

    def __len__(self) -> int: ...

    def tokens(self) -> list[bytes | None]:
        """The bytes of each id; None for one that stands for no bytes."""

    def split(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]:
        """
        (ids, cuts, bounds, how many bytes are in documents that the ids do not give back).
        """

class PieceEncoder(TextEncoder):
    """The pieces of a SentencePiece model."""

    def __init__(self, data: bytes) -> None:
        """From the bytes of a .model file."""

    @property
    def begin_mark(self) -> int: ...

    @property
    def end_mark(self) -> int: ...

    def pieces(self) -> list[str]:
        """The pieces as they are written in the file."""

    def written(self, document: bytes) -> list[str]:
        """
        The pieces of a document as they are written; what has no piece in its own characters.
        """

def tokenizer_encoder(data: bytes, special: bool) -> tuple[TextEncoder, bool]:
    """
    What splits by the bytes of a tokenizer.json, and whether it has special tokens; with `special` their names in a text are those tokens.
    """

def scan_records(data: bytes, text: bytes, language: bytes | None, refused: Sequence[bytes], others: Sequence[bytes]) -> tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))], bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))], bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Lines of JSON that are not blank: (how many lines there are, starts, stops, their numbers, which are sound, and of the sound ones the texts, where these end, the languages, where these end, the other values as they are written, where these end).
    """

def smooths_in_slices(smoothing: str) -> bool:
    """Whether an estimation by this method can be done in slices."""

class NgramSlices:
    """The stages of an estimation in slices, by files in a folder."""

    def __init__(self, folder: str, job: int, words: int, order: int, cuts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], smoothing: str, parameter: float, prune: Sequence[int], closed: bool) -> None: ...

    @property
    def settled(self) -> int:
        """
        A mark of the discounts, which the files of the stages from `weigh` on carry.
        """

    @settled.setter
    def settled(self, arg: int, /) -> None: ...

    def grow(self, slice: int, merged: str, path: str) -> tuple[list[int], list[int]]:
        """
        The trie of a merged partition; its n-grams by order, and those that stay.
        """

    def link(self, slice: int, chain: Sequence[int], path: str) -> tuple[list[list[int]], list[int]]:
        """
        Suffixes and adjusted counts; how many n-grams have each count, by order from 2 on, and those of the chain.
        """

    def weigh(self, slice: int, order: int, discounts: Sequence[tuple[Sequence[float], int]], weights: Sequence[Sequence[float]], path: str) -> None:
        """Probabilities of one order, and back-offs of the one below."""

    def finish(self, slice: int, kept: Sequence[Sequence[int]], path: str) -> None:
        """The slice's bytes of the model's file."""

def write_ngram_runs(ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, order: int, cuts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], path: str, most_keys: int = 0, threads: int = 1) -> tuple[int, list[int], list[int]]:
    """
    Sort the n-grams of a part of a text into the files path.0, path.1, …; how many, and the last n-gram of all.
    """

def merge_ngram_runs(runs: Sequence[str], words: int, order: int, partition: int, path: str) -> tuple[int, int]:
    """Merge a partition of sorted runs; how many n-grams it has, and bytes."""

def ngram_key_bytes(words: int, order: int) -> int:
    """Bytes of a packed n-gram."""

def resident_bytes() -> int:
    """Bytes of this process in memory; 0 if unknown."""

class NgramEstimation:
    """Words taken in, then the stages of an estimation."""

    def __init__(self, separators: bytes, unk: str, memory: int = 0, folder: str = '', threads: int = 0) -> None:
        """
        Words; <unk> in the text is 'reserved', a 'word', or a 'member' of the unknown.
        """

    @staticmethod
    def of_units(kind: str, ids: int, end_unit: int, closed: bool, memory: int = 0, folder: str = '', threads: int = 0) -> NgramEstimation:
        """Units that come as ids: bytes, characters or tokens."""

    @overload
    def feed_ids(self, ids: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], closed: int, heldout: bool = False) -> None: ...

    @overload
    def feed_ids(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], closed: int, heldout: bool = False) -> None: ...

    @overload
    def feed_ids(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], closed: int, heldout: bool = False) -> None:
        """Take the next units; the first `closed` documents are whole."""

    def keep_frequent(self, least: int, most: int) -> None:
        """Make rarer words unknown."""

    def keep_listed(self, list: WordTable) -> None:
        """Make words that are not listed unknown, and listed ones known."""

    @property
    def unknown(self) -> int: ...

    def feed(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Take the next bytes; each document that ends is a sentence."""

    def feed_heldout(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Take the next bytes of the text by which the weights of jelinek-mercer are found.
        """

    def wait(self) -> None:
        """All that was fed has been taken in."""

    def finish(self) -> None:
        """The text is complete."""

    @property
    def words(self) -> int: ...

    @property
    def sentences(self) -> int: ...

    @property
    def kinds(self) -> int:
        """How many different words."""

    def least_memory(self, order: int, threads: int) -> int: ...

    def most_disk(self, order: int) -> int: ...

    def fits(self, order: int) -> bool:
        """Whether all n-grams can be sorted in memory."""

    @property
    def runs(self) -> int:
        """How many runs were merged."""

    @property
    def on_disk(self) -> bool: ...

    def begin(self, order: int, raw: bool = False, most_keys: int = 0, progress: object | None = None) -> None:
        """The stages can be called; each reports its progress."""

    def use_runs(self, files: Sequence[str]) -> None:
        """
        The merged partitions of a text that was counted in parts, instead of sorting.
        """

    def part(self) -> tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        Of a part of a text: its words and where they end, how often each id came, and the ids.
        """

    def adopt(self, words: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Take the words of the next part; their ids here."""

    def settled(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        The ids of words since the vocabulary was settled, by those that adopt() gave; empty if it was not.
        """

    def counts(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """How often each word came."""

    def add_chain(self, words: Sequence[int], times: Sequence[int]) -> None:
        """Take the last n-gram of the next part, as write_ngram_runs gives it."""

    def chain(self, order: int) -> list[int]:
        """The last n-gram of the text, from its last word to its first."""

    @property
    def closed(self) -> bool:
        """Whether nothing is unknown."""

    def settle(self, slices: NgramSlices, kinds: Sequence[Sequence[int]], last: Sequence[int]) -> tuple[list[tuple[list[float], int]], list[list[float]]]:
        """
        The discounts of all orders from the sums of all slices, and the weights of jelinek-mercer.
        """

    def weigh_words(self, slices: NgramSlices, path: str) -> None:
        """The probabilities of single words, which go to a file for the slices."""

    def join(self, slices: NgramSlices, kept: Sequence[Sequence[int]]) -> None:
        """The model from finished slices."""

    def sort(self) -> None: ...

    def grow(self) -> None: ...

    def link(self) -> None: ...

    def weigh(self, smoothing: str, parameter: float, prune: Sequence[int]) -> None: ...

    def rare_words(self) -> bytes:
        """
        The words that came least often, a line each, two digits and a space a byte.
        """

    def statistics(self) -> list[tuple[list[float], bool]]:
        """
        (discounts by count, whether they could not be estimated) of each order.
        """

    def weights(self) -> tuple[list[list[float]], int]:
        """
        Those of jelinek-mercer by order and bucket, and how many words were held out.
        """

    def model(self, metadata: str) -> NgramModel: ...

class ArpaReader:
    """Reads an ARPA file that comes block by block."""

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> None: ...

    def finish(self, metadata: str) -> NgramModel: ...

    @property
    def added(self) -> int: ...

class NgramModel:
    """An n-gram model in memory, or a map of its file."""

    def unit_ids(self, kind: str, ids: int, end_unit: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The id of each word, -1 for those that are none."""

    @staticmethod
    def open(path: str) -> NgramModel:
        """A file, all of which is held against its checksums."""

    @property
    def order(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def counts(self) -> list[int]: ...

    @property
    def metadata(self) -> bytes: ...

    def word(self, id: int) -> bytes: ...

    def fingerprint(self) -> int:
        """The checksum of all but its header, as it was read."""

    def content_checksum(self) -> int:
        """
        The checksum of all that can change a probability; 0 in files of earlier versions.
        """

    @property
    def has_section(self) -> bool:
        """Whether what its words are spelled like follows it in its file."""

    def attach(self, section: bytes) -> None: ...

    def verify(self) -> None: ...

    def logprobs(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_class: bool, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of each word given those before it in its document."""

    def predict(self, history: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of every word after this history."""

    def table(self) -> WordTable: ...

    def history_shares(self) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """How often each n-gram stands before the next word, by its length."""

    def prune_by_entropy(self, threshold: float) -> PrunedNgrams:
        """The model without what costs less."""

    def save(self, path: str, progress: object | None = None) -> None: ...

class PrunedNgrams:
    """A smaller model without its metadata yet."""

    @property
    def divergence(self) -> float:
        """From the whole model, in nats per word, by Stolcke's formula."""

    @property
    def counts(self) -> list[int]: ...

    def model(self, metadata: str) -> NgramModel: ...

class NgramSampler:
    """Draws sentences; each has random numbers of its own."""

    def __init__(self, model: NgramModel, seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float) -> None: ...

    def sentence(self, most: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """The ids of its words, and ln p of each."""

class ArpaWriter:
    """Writes a model in the ARPA format."""

    def __init__(self, model: NgramModel) -> None: ...

    def next(self) -> bytes:
        """The next piece; empty at the end."""

class CompactNgram:
    """An n-gram model in its compact form."""

    def unit_ids(self, kind: str, ids: int, end_unit: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The id of each word, -1 for those that are none."""

    @staticmethod
    def open(path: str) -> CompactNgram:
        """A file, all of which is held against its checksums."""

    @property
    def order(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def counts(self) -> list[int]: ...

    @property
    def metadata(self) -> bytes: ...

    def word(self, id: int) -> bytes: ...

    def fingerprint(self) -> int:
        """The checksum of all but its header, as it was read."""

    def content_checksum(self) -> int:
        """
        The checksum of all that can change a probability; 0 in files of earlier versions.
        """

    @property
    def has_section(self) -> bool:
        """Whether what its words are spelled like follows it in its file."""

    def attach(self, section: bytes) -> None: ...

    def verify(self) -> None: ...

    def logprobs(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_class: bool, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of each word given those before it in its document."""

    def predict(self, history: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of every word after this history."""

    @property
    def bits(self) -> tuple[int, int]:
        """Of a probability and of a back-off."""

    def save(self, path: str) -> None: ...

    def expanded(self, threads: int = 0) -> NgramModel:
        """The same model in the fast form."""

COMPACT_MAGIC: bytes = ...

class NgramPacker:
    """Rounds the figures of a model, and packs it."""

    def __init__(self, model: NgramModel, logprob_bits: int, backoff_bits: int, threads: int = 0, memory: int = 0, folder: str = '') -> None:
        """
        `memory`: bytes beside what the process has now, 0 for no limit; what does not fit goes to `folder`.
        """

    def pack(self, metadata: str) -> CompactNgram: ...

    @property
    def least_sum(self) -> float:
        """Of the predictions after a history that sum to one before."""

    @property
    def unsummed(self) -> int:
        """Histories that do not sum to one before."""

class KenlmModel:
    """A binary of KenLM, mapped."""

    @staticmethod
    def open(path: str) -> KenlmModel:
        """A file, all of which is held against its checksums."""

    @property
    def order(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def counts(self) -> list[int]: ...

    @property
    def metadata(self) -> bytes: ...

    def word(self, id: int) -> bytes: ...

    def fingerprint(self) -> int:
        """The checksum of all but its header, as it was read."""

    def content_checksum(self) -> int:
        """
        The checksum of all that can change a probability; 0 in files of earlier versions.
        """

    @property
    def has_section(self) -> bool:
        """Whether what its words are spelled like follows it in its file."""

    def attach(self, section: bytes) -> None: ...

    def verify(self) -> None: ...

    def logprobs(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_class: bool, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of each word given those before it in its document."""

    def predict(self, history: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of every word after this history."""

    @property
    def kind(self) -> str: ...

    @property
    def is_quantised(self) -> bool:
        """Whether KenLM rounded its figures."""

    @property
    def has_words(self) -> bool:
        """Whether it lists its words, and not only their hashes."""

    @staticmethod
    def read(path: str) -> KenlmModel:
        """A file, read into memory of its own."""

    def set_metadata(self, metadata: str) -> None: ...

    def expanded(self, threads: int = 0, trials: int = 8589934592) -> NgramModel:
        """The same model in the fast form, where its words can be found."""

KENLM_MAGIC: bytes = ...

class KenlmState:
    """The state of a model after some words; before any word if it is new."""

    def __init__(self) -> None: ...

    def __eq__(self, other: object | None) -> bool: ...

    def __lt__(self, arg: KenlmState, /) -> bool: ...

    def __le__(self, arg: KenlmState, /) -> bool: ...

    def __gt__(self, arg: KenlmState, /) -> bool: ...

    def __ge__(self, arg: KenlmState, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> KenlmState: ...

    def __deepcopy__(self, memo: object | None = None) -> KenlmState: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

class KenlmFullScore:
    """log10 p of a word, the length of its n-gram, whether it is unknown."""

    def __init__(self, log_prob: float, ngram_length: int, oov: bool) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def log_prob(self) -> float: ...

    @property
    def ngram_length(self) -> int: ...

    @property
    def oov(self) -> bool: ...

class KenlmModule:
    """An n-gram model asked as the module of KenLM is."""

    def __init__(self, model: object) -> None: ...

    @property
    def order(self) -> int: ...

    def score(self, sentence: object, bos: object | None = True, eos: object | None = True) -> float:
        """
        log10 p of a sentence, with <s> before it and </s> after it unless it is said otherwise.
        """

    def perplexity(self, sentence: object) -> float:
        """Per word and end of a sentence."""

    def full_scores(self, sentence: object, bos: object | None = True, eos: object | None = True) -> object:
        """(log10 p, length of the n-gram, whether it is unknown) of each word."""

    def BeginSentenceWrite(self, state: KenlmState) -> None:
        """Make a state that before a sentence."""

    def NullContextWrite(self, state: KenlmState) -> None:
        """Make a state that before any word, without <s>."""

    def BaseScore(self, in_state: KenlmState, word: object, out_state: KenlmState) -> float:
        """
        log10 p of a word after a state; the last argument becomes the state after it.
        """

    def BaseFullScore(self, in_state: KenlmState, word: object, out_state: KenlmState) -> KenlmFullScore:
        """
        The same with the length of the n-gram, and whether the word is unknown.
        """

    def __contains__(self, arg: object, /) -> bool:
        """Whether the model knows a word."""

    def totals(self, sentences: object, bos: object | None, eos: object | None, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(log10 p, words) of many sentences."""

def kenlm_calls() -> dict[str, object]:
    """Methods of KenlmModule by name, in the interpreter's own kind."""

class OverlapIndex:
    """An index of a corpus for the substrings of other texts, mapped."""

    @staticmethod
    def open(path: str) -> OverlapIndex:
        """A file, all of which is held against its checksum."""

    @property
    def documents(self) -> int: ...

    @property
    def parts(self) -> int: ...

    @property
    def longest(self) -> int:
        """The most bytes of a match."""

    @property
    def metadata(self) -> bytes: ...

    @property
    def text(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]:
        """The bytes of the corpus, with a separator behind each document."""

    @property
    def ends(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]:
        """Where the separators stand."""

    def lengths(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, own: int = -1, threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The longest match at each byte of text[first:last]."""

    def first(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], own: int = -1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The first place in the corpus of each match; -1 if it has none."""

def overlap_seal(path: str, text: int, documents: int, parts: int, longest: int, metadata: int) -> bytes:
    """The header of an index whose sections have been written."""

OVERLAP_MAGIC: bytes = ...

OVERLAP_HEADER: int = 128

OVERLAP_ALIGNMENT: int = 64

OVERLAP_ROW: int = 256

class GapCounts:
    """Counts the white space of a text that comes block by block."""

    def __init__(self, separators: bytes, lines: bool) -> None: ...

    def feed(self, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def counted(self) -> tuple[int, int, list[tuple[list[tuple[bytes, int]], int]]]:
        """
        Ends of lines, documents without one, and the gaps of each place: their counts, and how many were too long.
        """

    def add(self, ended: int, unended: int, places: Sequence[tuple[Sequence[tuple[bytes, int]], int]]) -> None:
        """Add what another counted in its part of the text."""

    def section(self, letters: NgramModel) -> bytes:
        """What goes into a model's file."""

class Spelling:
    """What unknown words and white space cost."""

    @overload
    def __init__(self, model: NgramModel) -> None: ...

    @overload
    def __init__(self, model: CompactNgram) -> None: ...

    @overload
    @staticmethod
    def check(model: NgramModel) -> None:
        """
        Raises where what follows the model in its file is not this, or its checksum is wrong.
        """

    @overload
    @staticmethod
    def check(model: CompactNgram) -> None: ...

    @property
    def lines(self) -> bool:
        """Whether a newline ends a sentence."""

    def fingerprint(self) -> int: ...

    def expand(self, data: bytes, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, continues: bool, open: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        (ids, bounds, owner, extra): what the n-gram model must score, who pays for it, and what else is paid.
        """

    def word(self, word: bytes) -> float:
        """ln p of a word's bytes and their end."""

    def predict(self, prefix: bytes) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The probability of each byte after a prefix, and of the end."""

    def gap(self, place: str, gap: bytes) -> float:
        """ln p of white space: lead, between, tail or blank."""

    def gaps(self, place: str) -> list[tuple[bytes, float]]:
        """What the table of a place holds, with its probability."""

    def escape(self, place: str) -> float: ...

    def predict_gap(self, last: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The probability of each byte of new white space after a byte."""

    @property
    def newline(self) -> float: ...

    @property
    def no_newline(self) -> float: ...

class HistoryCache:
    """Predicts what was said a little while ago."""

    def __init__(self, order: int, size: int, decay: float, words: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def follow(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: bool = False) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        (ln p, bucket or kind of its history) of each word, which is then remembered.
        """

    def bucket(self) -> int: ...

    def kind(self) -> int: ...

    @property
    def kinds(self) -> int:
        """How many kinds of histories there are."""

    def predict(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The probability of each word."""

    def copy(self) -> HistoryCache: ...

@overload
def ngram_contexts(model: NgramModel, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def ngram_contexts(model: CompactNgram, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def ngram_contexts(model: KenlmModel, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    (how many words of its history are known plus one, log10 of the back-off there) for each word.
    """

class AdaptiveCoder:
    """Bytes by the Krichevsky-Trofimov estimator; one direction an object."""

    def __init__(self) -> None: ...

    def encode(self, data: bytes) -> bytes: ...

    def decode(self, coded: bytes, size: int) -> bytes: ...

    @property
    def bits(self) -> float: ...

class TableCoder:
    """Symbols by a table of ln p; one direction an object."""

    def __init__(self, logprobs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: int) -> None: ...

    def encode(self, symbols: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[bytes, int]:
        """The coded bytes, and how many symbols came before an impossible one."""

    def decode(self, coded: bytes, size: int, widths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def bits(self) -> float: ...

class RowEncoder:
    """Symbols by one prediction after the other."""

    def __init__(self) -> None: ...

    def put(self, logprobs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], symbol: int) -> tuple[float, bool]:
        """
        The sum of the probabilities, and whether the symbol was possible and is coded.
        """

    def finish(self) -> bytes: ...

    @property
    def bits(self) -> float: ...

class RowDecoder:
    """Reads what a RowEncoder wrote, given the same predictions."""

    def __init__(self, coded: bytes) -> None: ...

    def get(self, logprobs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def finish(self) -> None:
        """All bytes must have been read."""

class NgramTextCoder:
    """A text by an n-gram model and its spelling; one direction an object."""

    def __init__(self, model: NgramModel, spelling: Spelling) -> None: ...

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:
        """
        The coded bytes, and how many bytes of the data they hold: whole words and lines unless it is final.
        """

    def decode(self, coded: bytes, size: int) -> bytes: ...

    @property
    def reached(self) -> int:
        """
        How many bytes of the last data were encoded, also where a word was impossible.
        """

    @property
    def bits(self) -> float: ...

class NetworkState:
    """What a network keeps of the tokens before."""

class Network:
    """A small network token by token, with the same bits on every machine."""

    @staticmethod
    def lstm(embedding: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], never: int, layers: Sequence[tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> Network:
        """
        Of each layer: weights from its input and from its state, and both biases, as PyTorch orders them.
        """

    @staticmethod
    def transformer(embedding: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], never: int, context: int, positions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, slopes: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, blocks: Sequence[tuple[tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]], last: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], heads: int) -> Network:
        """
        The table of positions, or the slopes of attention by distance, one for each head; the table for the token before, if there is one. Of each block: two normalisations, then attention in and out, and the two linear layers.
        """

    def begin(self) -> NetworkState:
        """Before the first token."""

    def step(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], state: NetworkState) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Take at least one token: ln p of each id as the next."""

def ngram_begin() -> int:
    """The state before a sentence."""

def ngram_null() -> int:
    """The state without any history."""

class NgramQuerier:
    """Queries of one model, one sentence or one word at a time."""

    @overload
    def __init__(self, model: NgramModel, separators: bytes) -> None: ...

    @overload
    def __init__(self, model: CompactNgram, separators: bytes) -> None: ...

    @overload
    def __init__(self, model: KenlmModel, separators: bytes) -> None: ...

    def sentence(self, sentence: object, ended: bool, unknown_class: bool) -> float:
        """ln p of one sentence."""

    def step(self, state: int, word: object, unknown_class: bool) -> tuple[float, int]:
        """ln p of a word, and the state after it."""

@overload
def ngram_score(model: NgramModel, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def ngram_score(model: CompactNgram, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def ngram_score(model: KenlmModel, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """(ids, cuts, bounds, blank, logprobs) of the words of a text."""

@overload
def ngram_split(model: NgramModel, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def ngram_split(model: CompactNgram, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def ngram_split(model: KenlmModel, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """(ids, cuts, bounds) of the words."""

@overload
def ngram_find(model: NgramModel, data: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def ngram_find(model: CompactNgram, data: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def ngram_find(model: KenlmModel, data: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The id of each span's bytes, -1 where there is none."""

@overload
def ngram_id(model: NgramModel, word: bytes) -> int: ...

@overload
def ngram_id(model: CompactNgram, word: bytes) -> int: ...

@overload
def ngram_id(model: KenlmModel, word: bytes) -> int:
    """The id of a word, -1 where it has none."""

@overload
def ngram_score_spelled(model: NgramModel, spelling: Spelling, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, continues: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], bool, bool]: ...

@overload
def ngram_score_spelled(model: CompactNgram, spelling: Spelling, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, continues: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], bool, bool]:
    """
    (ids, cuts, bounds, blank, logprobs, the words to go on from, whether there were none, whether a sentence ended) of the words of a text, unknown ones spelled and white space paid for.
    """

@overload
def ngram_spelled_nats(model: NgramModel, spelling: Spelling, document: bytes, separators: bytes) -> float: ...

@overload
def ngram_spelled_nats(model: CompactNgram, spelling: Spelling, document: bytes, separators: bytes) -> float:
    """
    The nats of a whole document so; NaN where any of its units has no probability.
    """

@overload
def ngram_spelled_sums(model: NgramModel, spelling: Spelling, document: bytes, separators: bytes, block: int) -> tuple[int, int, float, list[float], list[int], list[int], list[float], list[float]]: ...

@overload
def ngram_spelled_sums(model: CompactNgram, spelling: Spelling, document: bytes, separators: bytes, block: int) -> tuple[int, int, float, list[float], list[int], list[int], list[float], list[float]]:
    """
    (units, unknown ones, the largest ln p, nats of each block, bytes of each block, units of each block, numbers whose exact sum is ln p, and the same of what is unknown) of a whole document so.
    """

@overload
def ngram_spelled_totals(model: NgramModel, spelling: Spelling, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]: ...

@overload
def ngram_spelled_totals(model: CompactNgram, spelling: Spelling, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], separators: bytes, eos: str, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]:
    """
    (ln p, units, unknown ones) of each document so, and the largest ln p of a unit.
    """

@overload
def ngram_step(model: NgramModel, state: int, word: int, unknown_class: bool) -> tuple[float, int]: ...

@overload
def ngram_step(model: CompactNgram, state: int, word: int, unknown_class: bool) -> tuple[float, int]:
    """ln p of a word, and the state after it."""

@overload
def ngram_extend(model: NgramModel, states: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]: ...

@overload
def ngram_extend(model: CompactNgram, states: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
    """ln p of each word at its state, and the states after them."""

class PieceWords:
    """The pieces of a SentencePiece model among the words of another model."""

    @overload
    def __init__(self, model: NgramModel, encoder: PieceEncoder) -> None: ...

    @overload
    def __init__(self, model: CompactNgram, encoder: PieceEncoder) -> None: ...

    @overload
    def __init__(self, model: KenlmModel, encoder: PieceEncoder) -> None: ...

    def words(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        The model's number of each piece, 0 for those that it does not know, and last that of the end.
        """

    def split(self, encoder: PieceEncoder, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]:
        """
        (ids, cuts, bounds, how many bytes are in documents that the ids do not give back).
        """

@overload
def ngram_score_tokens(model: NgramModel, encoder: TextEncoder, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]: ...

@overload
def ngram_score_tokens(model: CompactNgram, encoder: TextEncoder, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]: ...

@overload
def ngram_score_tokens(model: KenlmModel, encoder: TextEncoder, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]: ...

@overload
def ngram_score_tokens(model: NgramModel, encoder: TextEncoder, words: PieceWords, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]: ...

@overload
def ngram_score_tokens(model: CompactNgram, encoder: TextEncoder, words: PieceWords, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]: ...

@overload
def ngram_score_tokens(model: KenlmModel, encoder: TextEncoder, words: PieceWords, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], finished: int, before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]:
    """
    (ids, cuts, bounds, blank, logprobs, lossy) of the pieces of a text; words are the model's, by the ids of pieces.
    """

@overload
def ngram_token_totals(model: NgramModel, encoder: TextEncoder, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]: ...

@overload
def ngram_token_totals(model: CompactNgram, encoder: TextEncoder, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]: ...

@overload
def ngram_token_totals(model: KenlmModel, encoder: TextEncoder, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]: ...

@overload
def ngram_token_totals(model: NgramModel, encoder: TextEncoder, words: PieceWords, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]: ...

@overload
def ngram_token_totals(model: CompactNgram, encoder: TextEncoder, words: PieceWords, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]: ...

@overload
def ngram_token_totals(model: KenlmModel, encoder: TextEncoder, words: PieceWords, data: bytes, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], eos: str, unknown_class: bool, threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], float]:
    """
    (ln p, tokens, unknown ones) of each document, and the largest ln p of a token.
    """

class Universal:
    """The universal model in the middle of a text."""

    def __init__(self, size: int, kernel: str = 'best') -> None: ...

    def copy(self) -> Universal: ...

    @property
    def size(self) -> int: ...

    @property
    def memory(self) -> int: ...

    @property
    def learned(self) -> int: ...

    @property
    def frozen(self) -> bool: ...

    def freeze(self) -> None:
        """Stop learning; every document then starts in the same state."""

    def begin(self) -> None:
        """Begin a document."""

    def reset(self) -> None:
        """Forget all, in the same memory."""

    def assign(self, other: Universal) -> None:
        """Become a copy of another of the same size, in the same memory."""

    def checksum(self) -> int: ...

    def score(self, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of each byte; a frozen model starts afresh at the starts."""

    def rows(self, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """ln p of all 256 bytes before each of these; goes on as rate does."""

    def predict(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ln p of all 256 next bytes."""

    def learn(self, data: bytes) -> None:
        """Learn a text without scoring it."""

    def save(self, path: str) -> None: ...

    @staticmethod
    def load(path: str) -> Universal: ...

class UniversalCoder:
    """A text in blocks, each with a code of its own."""

    @overload
    def __init__(self, size: int) -> None: ...

    @overload
    def __init__(self, model: Universal) -> None: ...

    def encode(self, data: bytes) -> bytes: ...

    def decode(self, coded: bytes, size: int) -> bytes: ...

    def learn(self, data: bytes) -> None:
        """Learn a block that has no code."""

    @property
    def bits(self) -> float: ...

def universal_kernels() -> list[str]:
    """The kernels of the universal model that this processor can run."""

def universal_memory(size: int) -> int:
    """Bytes that a universal model of this size takes."""
