"""What the predictions of a torch network depend on beside its weights."""

from __future__ import annotations

from typing import Any

from bitmeter.models.machine import Machine, machine_of

__all__ = ["torch_machine"]


def torch_machine(torch: Any, device: Any, *packages: str) -> Machine:
    """The processor as torch uses it: its kernels, its threads, oneDNN, or the GPU.

    Parameters
    ----------
    torch
        The package.
    device
        Where the network is.
    packages
        What else computes, beside numpy and torch.
    """
    place = torch.device(device)
    facts = {
        "kernels of torch": str(torch.backends.cpu.get_cpu_capability()),
        "threads": str(torch.get_num_threads()),
        "oneDNN": "yes" if torch.backends.mkldnn.is_available() else "no",
    }
    if place.type == "cuda":
        facts |= {"GPU": str(torch.cuda.get_device_name(place)), "CUDA": str(torch.version.cuda)}
    elif place.type != "cpu":
        facts["device"] = str(place.type)
    return {**machine_of("numpy", "torch", *packages), **facts}
