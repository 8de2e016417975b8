"""The falling cost of a model that learns as it reads: a curve that is fitted, so that it is not taken for dependence.

A cost that falls along a text looks like neighbours that are alike over long distances, and the interval would be
several times too wide. What a power law c + a·t^−b of the bytes that were read explains, with b from .1 to .9, is left
out when dependence is estimated, and what the fit takes from the spread is given back. Fewer than about six clusters of
equal size are left as they are. The core does the arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitmeter import _core

if TYPE_CHECKING:
    from bitmeter._util.arrays import Floats


def without_curve(residuals: Floats, sizes: Floats, *, either_way: bool = False) -> Floats:
    """The residuals of clusters in the order of the text without their learning curve; as they are if none fits.

    Costs fall as a model learns; a difference to such a model may rise (`either_way`).

    Examples
    --------
    >>> import numpy as np
    >>> sizes = np.full(20, 1000.0)
    >>> read = np.append(0.0, np.cumsum(sizes)) + 20_000 / 4096
    >>> costs = 2.0 * (read[1:] ** 0.5 - read[:-1] ** 0.5)  # 1/√t at each byte
    >>> left = without_curve(costs - costs.sum() / sizes.sum() * sizes, sizes)
    >>> bool(np.abs(left).max() < 1e-9)
    True
    """
    return _core.without_curve(residuals, sizes, either_way)
