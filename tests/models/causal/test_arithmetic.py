"""What torch computes with."""

from __future__ import annotations

import torch

from bitmeter.models.causal.arithmetic import torch_machine


def test_kernels_threads_and_versions_are_named() -> None:
    found = torch_machine(torch, "cpu", "safetensors")
    assert found["torch"] == torch.__version__.split("+")[0] or found["torch"] == torch.__version__
    assert found["threads"] == str(torch.get_num_threads())
    assert found["kernels of torch"] == torch.backends.cpu.get_cpu_capability()
    assert {"safetensors", "oneDNN", "architecture", "instructions"} <= set(found)
    assert "GPU" not in found
    assert torch_machine(torch, "meta")["device"] == "meta"
