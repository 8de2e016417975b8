"""What the last bit of a floating-point prediction depends on: the processor, and the libraries that compute.

A text that was coded by such predictions decodes only where they are equal to the bit. Models whose coder is in
integers, or uses operations that IEEE 754 defines to the bit alone, depend on nothing.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

from bitmeter import _core

__all__ = ["Machine", "differences", "machine_of"]

#: Facts by name, such as "torch": "2.6.0".
Machine = Mapping[str, str]

#: Variables of the environment by which libraries choose other instructions.
_VARIABLES = (
    "NPY_DISABLE_CPU_FEATURES",
    "NPY_ENABLE_CPU_FEATURES",
    "ATEN_CPU_CAPABILITY",
    "ONEDNN_MAX_CPU_ISA",
    "DNNL_MAX_CPU_ISA",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_CBWR",
)


def machine_of(*packages: str, **facts: str) -> dict[str, str]:
    """The processor, the versions of packages, and further facts.

    Examples
    --------
    >>> found = machine_of("numpy", threads="2")
    >>> sorted(found)[:2], found["threads"], "numpy" in found
    (['architecture', 'instructions'], '2', True)
    """
    features = _core.cpu()["features"]
    assert isinstance(features, list)
    found = {"architecture": platform.machine() or "unknown", "instructions": " ".join(features) or "baseline"}
    found |= {name: os.environ[name] for name in _VARIABLES if os.environ.get(name)}
    return found | {name: _version(name) for name in packages} | facts


def _version(package: str) -> str:
    from importlib import metadata  # slow to import, and needed only by what codes in floating point

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def differences(there: Machine, here: Machine) -> list[str]:
    """In what two machines differ, in words.

    Examples
    --------
    >>> differences({"torch": "2.5", "threads": "2"}, {"torch": "2.6", "threads": "2"})
    ['torch was 2.5 and is 2.6 here']
    """
    names = sorted({*there, *here})
    return [
        f"{name} was {there.get(name, 'not set')} and is {here.get(name, 'not set')} here"
        for name in names
        if there.get(name) != here.get(name)
    ]
