"""numpy is imported when it is used, and not before."""

from __future__ import annotations

import subprocess
import sys

import numpy

from bitmeter._util.lazy import np


def test_it_is_numpy() -> None:
    assert np.float64 is numpy.float64
    assert np.linalg is numpy.linalg


def test_it_is_imported_when_it_is_used() -> None:
    code = (
        "import sys; from bitmeter._util.lazy import np; before = 'numpy' in sys.modules; np.zeros(1); "
        "print(before, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
