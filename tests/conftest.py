"""What all tests share: quick, repeatable Hypothesis runs."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("bitmeter", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bitmeter")
