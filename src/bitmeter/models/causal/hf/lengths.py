"""Lengths at which a network computes otherwise: a rule for positions, a window or a chunk that begins to matter.

Sequences on two sides of such a length never go through the network together, because networks choose by the longest.
Some keep what they chose last: that is put back before each pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

__all__ = ["Lengths", "Positions", "lengths_of"]

#: Settings for how far back some layers see. A setting of another name is not known to be one.
_WINDOWS = (
    "sliding_window", "attention_chunk_size", "window_size", "attention_window_size", "attention_window",
    "local_attention", "local_window_size",
)  # fmt: skip
#: Rules for positions that do not depend on the length of a sequence.
_FIXED = ("default", "linear", "yarn", "llama3", "proportional", "mrope")
#: Two tables, of which the length chooses one.
_TWO_TABLES = ("longrope", "su")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Where a network computes otherwise.

    Attributes
    ----------
    windows
        How far back some layers see, ascending.
    tables
        Lengths above which another table of positions is used for the whole sequence, ascending.
    scales
        The length above which the table depends on the length itself; None if there is no such rule.
    """

    windows: tuple[int, ...] = ()
    tables: tuple[int, ...] = ()
    scales: int | None = None

    @property
    def switches(self) -> tuple[int, ...]:
        """All of them, ascending."""
        return tuple(sorted({*self.windows, *self.tables, *([] if self.scales is None else [self.scales])}))

    def kind(self, length: int) -> tuple[int, int]:
        """Sequences of the same kind may go through the network together."""
        passed = sum(length > switch for switch in self.switches)
        return passed, length if self.scales is not None and length > self.scales else 0

    @property
    def positions(self) -> int | None:
        """The longest sequence for whose positions the rule of short ones holds; None for no bound."""
        found = [*self.tables, *([] if self.scales is None else [self.scales])]
        return min(found) if found else None


def lengths_of(config: Any) -> Lengths:
    """What a configuration says.

    Parameters
    ----------
    config
        Of transformers, of the part of a network that reads text.
    """
    windows = set()
    for name in _WINDOWS:
        value = getattr(config, name, None)
        if name == "sliding_window" and not getattr(config, "use_sliding_window", True):
            continue
        windows |= {size for size in (value if isinstance(value, list | tuple) else [value]) if _is_length(size)}
    tables: set[int] = set()
    scales: list[int] = []
    for rule in _rules(config):
        kind = rule.get("rope_type", rule.get("type", "default"))
        before = rule.get("original_max_position_embeddings") or getattr(
            config, "original_max_position_embeddings", None
        )
        longest = getattr(config, "max_position_embeddings", None)
        if kind in _TWO_TABLES:
            tables |= {size for size in (before or longest,) if _is_length(size)}
        elif kind not in _FIXED:  # dynamic, or a rule that is not known here: then no two lengths go together
            known = [size for size in (before, longest) if _is_length(size)] if "dynamic" in str(kind) else []
            scales.append(min(known, default=0))
    return Lengths(tuple(sorted(windows)), tuple(sorted(tables)), min(scales, default=None))


def _is_length(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _rules(config: Any) -> Iterator[dict[str, Any]]:
    """The rules for positions: one, or one for each kind of layer."""
    for name in ("rope_parameters", "rope_scaling"):
        found = getattr(config, name, None)
        if isinstance(found, dict):
            inner = [value for value in found.values() if isinstance(value, dict)]
            yield from inner or [found]


class Positions:
    """The parts of a network that keep a table of positions which they may change while they run.

    Parameters
    ----------
    network
        Of transformers.
    """

    def __init__(self, network: Any) -> None:
        self._kept = []
        for module in network.modules():
            names = [name for name in vars(module) if name.endswith("max_seq_len_cached")]
            tables = [name for name, _ in module.named_buffers(recurse=False) if name.endswith("inv_freq")]
            if names and tables:
                scaling = ["attention_scaling"] * ("attention_scaling" in vars(module))
                self._kept.append((module, {name: vars(module)[name] for name in [*names, *scaling]}, tables))
        self._tables = [{name: getattr(module, name).clone() for name in tables} for module, _, tables in self._kept]

    def restore(self) -> None:
        """As after loading: what went through the network before leaves no trace."""
        for (module, plain, tables), first in zip(self._kept, self._tables, strict=True):
            for name in tables:
                now = getattr(module, name)
                if now.shape != first[name].shape or not bool((now == first[name].to(now.device)).all()):
                    module.register_buffer(name, first[name].to(now.device), persistent=False)
            for name, value in plain.items():
                setattr(module, name, value)
