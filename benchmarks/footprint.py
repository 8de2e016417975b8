"""What an installation weighs: the files of each dependency, by the extra that asks for it.

Usage: python benchmarks/footprint.py

The sizes are those of the files that this environment has installed, without compiled byte code. A package that
several others need is counted with the first of them, so that the rows add up.
"""

from __future__ import annotations

import platform
import re
from importlib import metadata
from pathlib import Path

from stopwatch import header, used

#: "" is what `pip install bitmeter` brings.
EXTRAS = ("", "theory", "parquet", "sentencepiece", "remote", "endpoint", "hf", "gguf")
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?[^;]*(?:;(.*))?$")


def required(name: str, extra: str = "") -> list[str]:
    """The packages that a distribution asks for under one of its extras, by name."""
    found = []
    for line in metadata.requires(name) or []:
        match = _REQUIREMENT.match(line)
        assert match is not None, line
        package, _, marker = match.groups()
        asks = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker or "")
        if (asks.group(1) if asks else "") == extra:
            found.append(package)
    return found


def installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False  # a requirement of other systems, or an extra that is not here
    return True


def weight(name: str) -> float:
    """Megabytes of a distribution's files."""
    files = metadata.distribution(name).files or []
    paths = (Path(str(path.locate())) for path in files if "__pycache__" not in str(path))
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def closure(names: list[str], seen: set[str]) -> list[str]:
    """These packages and what they need, without those seen already."""
    added = []
    for name in names:
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key not in seen and installed(name):
            seen.add(key)
            added.append(key)
            added += closure(required(name), seen)
    return added


def main() -> None:
    print(header())
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; MB on disk")
    seen = {"bitmeter"}
    total = 0.0
    for extra in EXTRAS:
        packages = closure(required("bitmeter", extra), seen)
        weights = sorted(((weight(name), name) for name in packages), reverse=True)
        own = sum(mb for mb, _ in weights)
        total += own
        what = f"bitmeter[{extra}] adds" if extra else "pip install bitmeter"
        print(f"\n{what:<34}{own:9.1f}   (all so far {total:.1f})")
        for mb, name in weights:
            if mb >= 0.05:
                version = metadata.version(name)
                print(f"  {name:<20}{version:<12}{mb:9.1f}")
    print(f"\n{used():.1f} CPU seconds to look")


if __name__ == "__main__":
    main()
