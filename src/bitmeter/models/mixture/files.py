"""The file of a mixture: JSON that names its models and holds the weights.

Nothing in it is trusted. It may name a file of its own folder, a model that is made from its name alone, or a model by
its fingerprint, which the user then has to give. Whatever else a file names is a reference too, and is not loaded.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bitmeter._util.files import as_path, read_whole, replacing
from bitmeter._util.paths import is_inside
from bitmeter.errors import FileFormatError, MissingSourceError, ModelError
from bitmeter.models.mixture.cache import Cache, is_cache_name
from bitmeter.models.mixture.gate import Gate
from bitmeter.models.mixture.weights import Weights
from bitmeter.models.protocols import Bundled, Model
from bitmeter.models.registry import is_named

SUFFIX = ".bmx"
#: That of a mixture with a gate, which earlier versions do not read, and of all others.
SCHEMA, SCHEMA_PLAIN = "bitmeter.mixture/3", "bitmeter.mixture/2"
#: Files of the first version are read by the same rules.
SCHEMAS = ("bitmeter.mixture/1", SCHEMA_PLAIN, SCHEMA)
_LONGEST_LABEL = 200
#: A term of a gate is a logarithm of weights; their sum stays finite.
_STEEPEST = 1e6


@dataclass(frozen=True, slots=True)
class Part:
    """A component, as a file names it.

    Attributes
    ----------
    kind
        "file" (in the folder of the mixture), "name" (of a model that is made from it, or of a cache) or "reference".
    text
        The file, relative to the folder; the name; or what people call the model, which is never interpreted.
    fingerprint
        Of the model.
    units
        The fingerprint of its units, where the file says it.
    """

    kind: Literal["file", "name", "reference"]
    text: str
    fingerprint: str
    units: str | None = None


@dataclass(frozen=True, slots=True)
class MixtureFile:
    """What a file of a mixture says."""

    name: str
    folder: Path
    parts: list[Part]
    weights: list[float]
    buckets: bool
    rows: dict[int, list[float]] | None
    gate: list[list[list[float]]] | None = None


def write_mixture(
    components: tuple[Model | Cache, ...], weights: Weights, path: Any, *, buckets: bool, gated: bool, force: bool
) -> tuple[int, ...]:
    """Write a mixture; returns which components it refers to by their fingerprints alone."""
    final = as_path(path)
    if final.suffix != SUFFIX:
        message = f"{final} does not say what to write; end its name in {SUFFIX}"
        raise FileFormatError(message, value=str(final))
    named = [_named(model, final.parent) for model in components]
    rows = None
    if weights.rows is not None:
        differ = (weights.rows != weights.overall).any(axis=1)
        rows = {str(i): weights.rows[i].tolist() for i in differ.nonzero()[0].tolist()}
    content = {
        "schema": SCHEMA if gated else SCHEMA_PLAIN, "components": named, "weights": weights.overall.tolist(),
        "buckets": buckets, "rows": rows,
    }  # fmt: skip
    if gated:
        gate = weights.gate or Gate(np.zeros(len(components)), ())
        content["gate"] = [[gate.base.tolist()], *(table.tolist() for table in gate.tables)]
    with replacing(final, force=force) as beside:
        beside.write_text(json.dumps(content), encoding="utf-8")
    return tuple(index for index, part in enumerate(named) if "label" in part)


def _named(model: Model | Cache, folder: Path) -> dict[str, str]:
    if isinstance(model, Cache):
        return {"model": model.name, "fingerprint": model.name}
    mark = str(model.fingerprint)
    if isinstance(model, Bundled) and model.needs_file:
        if model.path is None:
            message = f"{model.name} has no file yet, and a mixture's file names its models; save it first"
            raise ModelError(message)
        inside = _relative(Path(model.path), folder)
        if inside is not None:
            return {"file": inside, "fingerprint": mark}
    elif is_named(model):
        return {"model": str(model.name), "fingerprint": mark}
    return {"label": str(model.name)[:_LONGEST_LABEL], "fingerprint": mark, "units": str(model.units.fingerprint)}


def _relative(path: Path, folder: Path) -> str | None:
    """A path as a file of the folder may name it; None where it may not."""
    own, base = path.resolve(), folder.resolve()
    if not own.is_relative_to(base):
        return None
    found = own.relative_to(base).as_posix()
    return found if is_inside(found, folder) else None


def read_mixture(path: Any) -> MixtureFile:
    """Read what a file says; every field is checked."""
    found = as_path(path)
    name = str(found)
    if not found.exists():
        message = f"there is no mixture {name}; make one with: bitmeter mix MODEL… --heldout TEXT -o {name}"
        raise MissingSourceError(message, path=name)
    try:
        content = json.loads(read_whole(found))
        if content["schema"] not in SCHEMAS:
            raise _unsound(name, f"its schema is {content['schema']!r:.40}, not {SCHEMA}")
        parts = [_part(part, found.parent) for part in content["components"]]
        weights = _numbers(content["weights"])
        rows = content["rows"]
        table = None if rows is None else {int(k): _numbers(row) for k, row in rows.items()}
        gate = [[_numbers(row) for row in table] for table in content["gate"]] if "gate" in content else None
        buckets = content["buckets"]
        if not isinstance(buckets, bool):
            raise _unsound(name, f"buckets is {buckets!r:.40}, neither true nor false")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, FileFormatError):
            raise
        why = (
            f"it is not JSON ({error})"
            if isinstance(error, json.JSONDecodeError)
            else f"{type(error).__name__}: {error}"
        )
        raise _unsound(name, why) from error
    except OSError as error:
        raise _unsound(name, str(error.strerror)) from error
    return MixtureFile(name, found.parent, parts, weights, buckets, table, gate)


def gate_of(name: str, found: list[list[list[float]]], components: int, bins: list[int]) -> Gate | None:
    """The gate of a file, if it fits to the components; None for one that was never fitted."""
    sizes = [len(table) for table in found]
    rows = [row for table in found for row in table]
    if sizes[:1] != [1] or sizes[1:] not in ([], bins) or any(len(row) != components for row in rows):
        raise _unsound(name, f"its gate has tables of {sizes[1:]!s:.60} rows; its components need {bins!s:.60}")
    if not all(math.isfinite(term) and abs(term) <= _STEEPEST for row in rows for term in row):
        raise _unsound(name, "its gate has a term that is not a number, or out of all proportion")
    if not sizes[1:]:
        return None
    return Gate(np.array(found[0][0]), tuple(np.array(table) for table in found[1:]))


def _numbers(found: Any) -> list[float]:
    if not isinstance(found, list):
        message = f"{found!r:.60} is no list of weights"
        raise TypeError(message)
    return [float(number) for number in found]


def _part(entry: dict[str, Any], folder: Path) -> Part:
    mark, units = entry["fingerprint"], entry.get("units")
    text = next(entry[key] for key in ("file", "model", "label", "fingerprint") if key in entry)
    if not isinstance(mark, str) or not isinstance(text, str) or not isinstance(units, str | None):
        message = f"{entry!r:.60} does not name a model"
        raise TypeError(message)
    if "file" in entry and is_inside(text, folder):
        return Part("file", text, mark, units)
    if "model" in entry and (is_cache_name(text) or is_named(text)):
        return Part("name", text, mark, units)
    return Part("reference", text, mark, units)


def _unsound(name: str, why: str) -> FileFormatError:
    return FileFormatError(f"{name} is not a sound mixture: {why}; make it again with: bitmeter mix", value=name)
