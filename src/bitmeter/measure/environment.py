"""The versions that a figure may depend on, found without importing what they are of."""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec

from bitmeter._version import __version__

__all__ = ["environment"]


def environment() -> dict[str, str]:
    """The versions that a figure may depend on.

    Examples
    --------
    >>> list(environment())
    ['bitmeter', 'python', 'numpy', 'system']
    """
    import platform

    return {
        "bitmeter": __version__,
        "python": platform.python_version(),
        "numpy": _numpy_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _numpy_version() -> str:
    """What numpy says of itself; where it is not imported, what its file says, since its import takes long."""
    if "numpy" not in sys.modules:
        spec = find_spec("numpy")
        folders = [] if spec is None else spec.submodule_search_locations or []
        for folder in folders:
            try:
                with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
                    found = re.search(r'^version = "([^"]+)"$', file.read(), re.MULTILINE)
            except OSError:
                continue
            if found is not None:
                return found[1]
    import numpy

    return numpy.__version__
