"""Networks after a fork: a child computes, with one thread, and does not wait for threads that it does not have."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

import pytest
import torch

from bitmeter.models.causal.forking import survive_forks


def _product(queue: Any) -> None:
    queue.put((torch.get_num_threads(), float((torch.ones(600, 600) @ torch.ones(600, 600)).sum())))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_computes() -> None:
    """600³ = 216,000,000 by a product that is large enough for several threads."""
    survive_forks()
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert float((torch.ones(600, 600) @ torch.ones(600, 600)).sum()) == 216_000_000
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=_product, args=(queue,))
        child.start()
        assert queue.get(timeout=60) == (1, 216_000_000)
        child.join(timeout=60)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
