"""Networks in the core: the predictions of torch within rounding, and the same bits wherever they are computed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.coding.archive.format import ArchiveWriter
from bitmeter.models.causal.stepping import NetworkStepper
from bitmeter.models.causal.trained.network import Shape, build
from bitmeter.models.causal.trained.portable import PortableSteps
from bitmeter.models.causal.trained.scorer import NetworkScorer
from bitmeter.models.coder import Coder, CodeWatch
from bitmeter.models.machine import Machine
from bitmeter.models.windows import Windowing
from tests.models.causal.trained.made import KINDS, TEXT, every, trained


@pytest.mark.parametrize(
    ("kind", "previous", "recency"),
    [("lstm", 0, 0), ("transformer", 0, 0), ("transformer", 1, 0), ("transformer", 1, 1)],
)
@pytest.mark.parametrize(("width", "layers"), [(16, 1), (48, 3), (33, 2)])
def test_it_predicts_as_torch_does(kind: str, previous: int, recency: int, width: int, layers: int) -> None:
    torch.manual_seed(3)
    shape = Shape(kind, 70, width, layers, 20, 0.0, never=69, previous=previous, recency=recency)
    network = build(shape).eval()
    with torch.no_grad():  # weights as large as training makes them, so that gates are open, shut and between
        for weight in network.parameters():
            weight.mul_(2.0)
    here, there = (
        NetworkStepper(lambda steps=steps: steps, Windowing("stride", 20, 7), 70, "it")  # type: ignore[misc]
        for steps in (PortableSteps(network), NetworkScorer(network))
    )
    for token in np.random.default_rng(1).integers(0, 69, 60).tolist():  # the windows of 20 slide
        row, expected = here.predict(), there.predict()
        # Single precision: some 1e-7 per operation. The oracle is torch.
        np.testing.assert_allclose(row[:69], expected[:69], atol=3e-5)
        here.take(token)
        there.take(token)
    assert here.predict()[69] == -np.inf
    assert np.exp(here.predict()).sum() == pytest.approx(1.0, abs=1e-12)


@every
def test_an_archive_notes_no_machine(kind: str, units: str, tmp_path: Path) -> None:
    model = trained(kind, units)
    made = bm.compress(model, TEXT[:300], tmp_path / "a.bmz")
    assert made.machine == {}
    assert model.machine["torch"] == torch.__version__  # what scores depend on is another question
    assert "decodes only on machines" not in str(made)


@pytest.mark.parametrize("kind", KINDS)
def test_other_kernels_and_threads_decode_it(kind: str, tmp_path: Path) -> None:
    folder, archive, output = tmp_path / "net", tmp_path / "a.bmz", tmp_path / "out"
    trained(kind, "bytes").save(folder)
    bm.compress(folder, TEXT[:400], archive)
    code = f"import bitmeter as bm; bm.decompress({str(archive)!r}, {str(output)!r}, model={str(folder)!r})"
    settings = {"BITMETER_CPU": "baseline", "ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **settings})
    assert output.read_bytes() == TEXT[:400]


class ByTorch(bm.Neural):
    """Codes as networks did before the core could."""

    @property
    def coder_machine(self) -> Machine:
        return self.machine

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        return self.machine_coder(watch)


@pytest.mark.parametrize("kind", KINDS)
def test_archives_that_torch_coded_still_decode(kind: str, tmp_path: Path) -> None:
    model, archive = trained(kind, "bytes"), tmp_path / "old.bmz"
    before = ByTorch(kind, "bytes")
    before.__dict__.update(model.__dict__)
    text = tmp_path / "text"
    text.write_bytes(TEXT[:200])
    with archive.open("w+b") as file, text.open("rb") as source:
        ArchiveWriter(file, before, b"", None).take(source, 200)
    bm.decompress(archive, tmp_path / "out", model=model)
    assert (tmp_path / "out").read_bytes() == TEXT[:200]


def test_what_the_core_cannot_take_is_an_error() -> None:
    steps = PortableSteps(build(Shape("transformer", 9, 8, 1, 3, 0.0)))
    with pytest.raises(ValueError, match="no such id"):
        steps.step(np.array([9]), None)
    _, state = steps.step(np.array([1, 2, 3]), None)
    with pytest.raises(ValueError, match="no position"):
        steps.step(np.array([1]), state)
