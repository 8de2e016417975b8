"""What all tests share: quick, repeatable Hypothesis runs."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# No test asks a model hub: names that are no folder are absent.
os.environ["HF_HUB_OFFLINE"] = "1"

# A shell that runs the tests in the background has them, and what they start, ignore Ctrl-C; some of them test it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("bitmeter", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bitmeter")
