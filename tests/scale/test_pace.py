"""When a task is late."""

from __future__ import annotations

from bitmeter.scale.pace import ENOUGH, FACTOR, LEAST, Pace


def test_late_tasks() -> None:
    pace = Pace()
    assert not pace.is_late(1e9)  # nothing to compare it with
    for _ in range(ENOUGH):
        pace.ended(0.001)
    assert not pace.is_late(LEAST)  # much longer than others, but not long
    assert pace.is_late(LEAST + 1.0)
    for _ in range(10):
        pace.ended(100.0)
    assert not pace.is_late(FACTOR * 100.0)
    assert pace.is_late(FACTOR * 100.0 + 1.0)
