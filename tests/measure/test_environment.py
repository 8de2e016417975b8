"""The versions that a figure may depend on."""

from __future__ import annotations

import platform
import subprocess
import sys

import numpy as np

import bitmeter as bm
from bitmeter.measure.environment import environment


def test_the_versions_are_those_of_the_packages() -> None:
    found = environment()
    assert found["numpy"] == np.__version__
    assert found["bitmeter"] == bm.__version__
    assert found["python"] == platform.python_version()


def test_the_version_of_numpy_is_found_without_its_import() -> None:
    code = (
        "import sys; from bitmeter.measure.environment import environment; "
        "print(environment()['numpy'], 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [np.__version__, "False"]
