"""Names of columns: each stands for one thing."""

from __future__ import annotations

from bitmeter.measure.audit.tables.names import ROLES, UNITS, VALUES


def test_each_name_stands_for_one_thing() -> None:
    names = [name for known in ROLES.values() for name in known] + list(VALUES)
    assert len(set(names)) == len(names)
    assert all(name == name.lower() for name in names)
    assert {unit for unit, _ in VALUES.values()} == set(UNITS)
