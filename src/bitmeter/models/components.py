"""What a user gives for what a file refers to: models and tokenizers, known by their fingerprints.

A file from a stranger may not say what is loaded. It names what it needs by content alone, and the user says where that
is (`--with` on the command line, `components=` in Python).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bitmeter.errors import ModelError
from bitmeter.models.protocols import Model
from bitmeter.text.units.base import Units

__all__ = ["GIVE", "Components"]

#: What to type.
GIVE = "type --with MODEL (in Python: bitmeter.load(…, components=[…]))"


class Components:
    """Models and tokenizers that were given; each must be used."""

    def __init__(self, given: Sequence[Model | Units] = ()) -> None:
        self.given = tuple(given)
        self._used: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self.given)

    def tokenizer(self, fingerprint: str) -> Units | None:
        """The tokenizer of a fingerprint, if it was given."""
        return self.units(lambda one: one.fingerprint == fingerprint)

    def units(self, matches: Callable[[Units], bool]) -> Units | None:
        """The first tokenizer that matches."""
        for place, one in enumerate(self.given):
            if isinstance(one, Units) and matches(one):
                self._used.add(place)
                return one
        return None

    def model(self, matches: Callable[[Model], Model | None]) -> Model | None:
        """The first model that matches, as the function returns it."""
        for place, one in enumerate(self.given):
            found = matches(one) if isinstance(one, Model) else None
            if found is not None:
                self._used.add(place)
                return found
        return None

    def listed(self) -> str:
        """What was given, with the fingerprints, for a message."""
        return ", ".join(f"{one.name} ({one.fingerprint})" for one in self.given) or "none"

    def check_used(self) -> None:
        """Refuse what no file refers to: it would have no effect, and was meant to have one."""
        unused = [one for place, one in enumerate(self.given) if place not in self._used]
        if unused:
            message = (
                f"{unused[0].name} ({unused[0].fingerprint}) was given with --with (components=), but no model that is "
                "loaded refers to it; leave it out, or give the one that is meant"
            )
            raise ModelError(message, value=unused[0].name)
