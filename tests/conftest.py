"""What all tests share: quick, repeatable Hypothesis runs."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No test asks a model hub: names that are no folder are absent.
os.environ["HF_HUB_OFFLINE"] = "1"

settings.register_profile("bitmeter", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bitmeter")
