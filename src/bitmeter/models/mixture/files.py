"""The file of a mixture: JSON that names its models by their files and fingerprints, and holds the weights."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.files import as_path, replacing
from bitmeter.errors import FileFormatError, MissingSourceError, ModelError
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.mixture.weights import Weights
from bitmeter.models.protocols import Bundled, Model

SUFFIX = ".bmx"
SCHEMA = "bitmeter.mixture/1"


@dataclass(frozen=True, slots=True)
class MixtureFile:
    """What a file of a mixture says."""

    name: str
    models: list[str]
    fingerprints: list[str]
    weights: list[float]
    buckets: bool
    rows: dict[int, list[float]] | None


def write_mixture(
    components: tuple[Model | Cache, ...], weights: Weights, path: Any, *, buckets: bool, force: bool
) -> None:
    """Write a mixture; its models must have files or names of their own."""
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
        "schema": SCHEMA, "components": named, "weights": weights.overall.tolist(), "buckets": buckets,
        "rows": rows,
    }  # fmt: skip
    with replacing(final, force=force) as beside:
        beside.write_text(json.dumps(content), encoding="utf-8")


def _named(model: Model | Cache, folder: Path) -> dict[str, str]:
    if isinstance(model, Cache):
        return {"model": model.name, "fingerprint": model.name}
    if isinstance(model, Bundled) and model.needs_file:
        if model.path is None:
            message = f"{model.name} has no file yet, and a mixture's file names its models; save it first"
            raise ModelError(message)
        place = os.path.relpath(Path(model.path).resolve(), folder.resolve())
        return {"file": place, "fingerprint": model.fingerprint}
    return {"model": str(model.name), "fingerprint": str(model.fingerprint)}


def read_mixture(path: Any) -> MixtureFile:
    """Read what a file says; every field is checked."""
    found = as_path(path)
    name = str(found)
    if not found.exists():
        message = f"there is no mixture {name}; make one with: bitmeter mix MODEL… --heldout TEXT -o {name}"
        raise MissingSourceError(message, path=name)
    try:
        content = json.loads(found.read_bytes())
        if content["schema"] != SCHEMA:
            raise _unsound(name, f"its schema is {content['schema']!r:.40}, not {SCHEMA}")
        parts = [(_spec(part, found.parent), str(part["fingerprint"])) for part in content["components"]]
        weights = [float(w) for w in content["weights"]]
        rows = content["rows"]
        table = None if rows is None else {int(k): [float(w) for w in row] for k, row in rows.items()}
        buckets = content["buckets"] is True
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unsound(name, f"{type(error).__name__}: {error}") from error
    except OSError as error:
        raise _unsound(name, str(error.strerror)) from error
    return MixtureFile(name, [spec for spec, _ in parts], [mark for _, mark in parts], weights, buckets, table)


def _spec(part: dict[str, Any], folder: Path) -> str:
    return str(folder / part["file"]) if "file" in part else str(part["model"])


def _unsound(name: str, why: str) -> FileFormatError:
    return FileFormatError(f"{name} is not a sound mixture: {why}; make it again with: bitmeter mix", value=name)
