"""numpy, imported when it is first used.

Importing it takes longer than measuring a short text. Modules that such a text needs, and that use numpy for other
texts, take `np` from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        """Stands for the module; what was looked up once is kept, so that it costs nothing the next time."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _Numpy()
