"""Networks in a process that was forked.

The threads of torch do not survive a fork, and OpenMP waits for them without end. So a child process computes with one
thread, unless it sets another number itself before it computes.
"""

from __future__ import annotations

import functools
import os
import sys

__all__ = ["survive_forks"]


@functools.cache
def survive_forks() -> None:
    """From now on, children of this process compute with one thread."""
    if hasattr(os, "register_at_fork"):  # not on every system
        os.register_at_fork(after_in_child=_one_thread)


def _one_thread() -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
