"""Numbers of other libraries: how they become numpy's, how exact they are, and what stands for a missing one."""

from __future__ import annotations

import math
from numbers import Rational
from typing import TYPE_CHECKING, Any

from bitmeter._util.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How far from one a sum of probabilities may be.
TOLERANCE = 1e-9
#: The same for narrower floats, whose rounding alone moves the sum of a softmax by so much.
TOLERANCES = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}


def as_numpy(value: Any) -> NDArray[Any]:
    """An array of another library as numpy's, a missing number as NaN."""
    library = type(value).__module__.partition(".")[0]
    if library == "torch":
        value = value.detach().cpu()
        return np.asarray(value.float() if precision(value) == "bfloat16" else value)
    found = np.asarray(value)
    if found.dtype == object and library == "pandas":
        # Nullable numbers come as objects, a missing one as pandas.NA.
        kinds = [getattr(value, "dtype", None)] if hasattr(value, "dtype") else list(getattr(value, "dtypes", ()))
        if kinds and all(getattr(kind, "kind", "O") in "fiub" for kind in kinds):
            return np.asarray(value.to_numpy(dtype=np.float64, na_value=np.nan))
    if found.dtype == object and any(item is None for item in found.flat):
        # In a column of a table, None is a missing value.
        found = found.copy()
        found[np.array([item is None for item in found.flat]).reshape(found.shape)] = math.nan
    return found.astype(np.float32) if found.dtype.name == "bfloat16" else found


def precision(value: Any) -> str:
    """The name of the numbers that an array holds, without its library: "bfloat16" for one of torch, too."""
    return str(getattr(value, "dtype", "")).rpartition(".")[2].lower()


def tolerance(value: Any) -> float:
    """How far from one the sum of these probabilities may be."""
    return TOLERANCES.get(precision(value), TOLERANCE)


def is_missing(value: Any) -> bool:
    """Whether this stands for a value that is not there: NaN, NaT, or pandas.NA."""
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))
    )


def is_rational(value: Any) -> bool:
    """Whether this is an exact fraction, or an integer that a double may not hold."""
    if isinstance(value, bool | np.bool_ | np.generic):
        return False
    return (isinstance(value, int) and abs(value) > 2**53) or (
        isinstance(value, Rational) and not isinstance(value, int)
    )


__all__ = ["TOLERANCE", "TOLERANCES", "as_numpy", "is_missing", "is_rational", "precision", "tolerance"]
