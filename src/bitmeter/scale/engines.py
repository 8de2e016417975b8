"""Which executor does the work: this process, a pool of processes, or Ray."""

from __future__ import annotations

from typing import Any

from bitmeter._util.check import choice, integer, shown
from bitmeter._util.jobs import Executor, Here
from bitmeter.errors import ChoiceError, InputTypeError

__all__ = ["ENGINES", "executor_of"]

ENGINES = ("local", "ray")
_MOST_WORKERS = 1 << 16


def executor_of(workers: Any = None, engine: Any = "local", address: Any = None) -> Executor:
    """The executor for some keywords.

    Parameters
    ----------
    workers
        How many processes; None for this one alone, or on Ray for as many as there are processors.
    engine
        "local" or "ray".
    address
        Of a running Ray cluster; None to start one on this machine for as long as the work takes.

    Examples
    --------
    >>> executor_of().workers, executor_of(4).workers
    (1, 4)
    """
    many = None if workers is None else integer(workers, "workers", low=1, high=_MOST_WORKERS)
    name = choice(engine, "engine", ENGINES)
    if address is not None and (not isinstance(address, str) or not address):
        message = f"address is {shown(address)}; it must be that of a Ray cluster, such as 'auto' or '10.0.0.1:6379'"
        raise InputTypeError(message, value=address)
    if name == "local":
        if address is not None:
            message = f"--address {address} is that of a Ray cluster; add --engine ray (in Python: engine='ray')"
            raise ChoiceError(message, value=address)
        if many is None or many == 1:
            return Here()
        from bitmeter.scale.local import LocalPool

        return LocalPool(many)
    from bitmeter.scale.on_ray import RayPool

    return RayPool(many, address)
