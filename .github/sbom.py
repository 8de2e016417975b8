"""Completes a bill of materials: python .github/sbom.py FILE VERSION.

The version of bitmeter, which pyproject.toml leaves to the build, is written to its root; where the package itself was
installed from is a folder of the machine that built it, and is removed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(path: Path, version: str) -> None:
    """Complete the file in place."""
    bill = json.loads(path.read_text(encoding="utf-8"))
    bill["metadata"]["component"]["version"] = version
    bill["components"] = [part for part in bill["components"] if part["name"] != "bitmeter"]
    own = [part["ref"] for part in bill["dependencies"] if part["ref"].startswith("bitmeter==")]
    bill["dependencies"] = [part for part in bill["dependencies"] if part["ref"] not in own]
    for part in bill["dependencies"]:
        part["dependsOn"] = [ref for ref in part.get("dependsOn", []) if ref not in own]
    text = json.dumps(bill, indent=2)
    if "file:" in text:
        sys.exit(f"{path} names a file of this machine")
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
