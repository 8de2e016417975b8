"""A plug-in for pytest: the fixture `bitmeter_check` fails a test if a model is worse than allowed.

pytest imports this module in every project of an environment that has bitmeter, so that nothing of bitmeter is imported
before the fixture is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bitmeter.measure.gate.check import Check

__all__ = ["bitmeter_check", "pytest_terminal_summary"]

#: What the checks of a session said: the test, and the check as text.
_UNDECIDED = pytest.StashKey[list[tuple[str, str]]]()


@pytest.fixture
def bitmeter_check(request: pytest.FixtureRequest) -> Callable[..., Check]:
    """Call it as `bitmeter.check`: a verdict of "worse" fails the test, with `strict=True` also "undecided"."""

    def check(base: Any, new: Any, **options: Any) -> Check:
        __tracebackhide__ = True
        from bitmeter.measure.gate.check import check as run

        found = run(base, new, **options)
        # Not by the fixture record_property, which warns if the report is of pytest's default family.
        properties = request.node.user_properties
        properties.append(("bitmeter_verdict", found.verdict))
        properties.extend((f"bitmeter_{limit.name.replace(' ', '_')}", limit.value) for limit in found.limits)
        if not found.passed:
            pytest.fail(str(found), pytrace=False)
        if found.verdict == "undecided":
            request.config.stash.setdefault(_UNDECIDED, []).append((request.node.nodeid, str(found)))
        return found

    return check


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List the checks that passed because they are undecided: they are not shown to be equal."""
    found = config.stash.get(_UNDECIDED, [])
    if found:
        terminalreporter.section("bitmeter: undecided checks")
        for test, text in found:
            terminalreporter.write_line(test)
            for line in text.splitlines():
                terminalreporter.write_line(f"  {line}")
