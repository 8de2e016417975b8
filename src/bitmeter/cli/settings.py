"""Defaults of options from files: the user's own, and `[tool.bitmeter]` in the pyproject.toml of the working folder.

A folder may be a stranger's. So only what changes a figure openly (the signature says it) or how it is shown can be
set: nothing that names a model, a file or an address, that trusts, or that overwrites.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # not imported from typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

__all__ = ["KEYS", "OWN_KEYS", "Settings", "is_configured", "read_settings"]

#: What a folder can set: options and the types of their values.
KEYS = {"confidence": "number", "ctx": "text", "docs": "text", "format": "text", "per": "text", "top": "whole number"}
#: What the user's own file can set beside.
OWN_KEYS = {**KEYS, "history": "true or false"}
#: Verbs that leave default windows out for models that have none; others would refuse such a model.
_WINDOWED = ("score", "compare", "trace")
_PROJECT = "pyproject.toml"
_MARK = b"tool.bitmeter"
_LARGEST = 1 << 20
_LONGEST = 100
_OFF = ("0", "no", "off", "false")


class Settings:
    """Defaults of options, and the file that each comes from."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.sources: dict[str, str] = {}

    def add(self, values: dict[str, Any], source: str) -> None:
        """Take the values of a file, which go before those of earlier ones."""
        self.values |= values
        self.sources |= dict.fromkeys(values, source)

    def options(self, verb: str) -> dict[str, Any]:
        """The defaults of a verb, by the name of the option's parameter."""
        left = ("history",) if verb in _WINDOWED else ("history", "ctx")
        found = {key: value for key, value in self.values.items() if key not in left}
        return found | ({"no_history": True} if self.values.get("history") is False else {})

    def __str__(self) -> str:
        return ", ".join(f"{key}={value} ({self.sources[key]})" for key, value in self.values.items())


def _own_file() -> str | None:
    """The user's file, if there is one."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(home) and sys.platform not in ("win32", "darwin"):
        home = os.path.join(os.path.expanduser("~"), ".config")
    if os.path.isabs(home):
        path = os.path.join(home, "bitmeter", "config.toml")
    else:
        from bitmeter._util.folders import config_folder

        path = str(config_folder() / "config.toml")
    return path if os.path.isfile(path) else None


def _project() -> bytes | None:
    """The pyproject.toml of the working folder, if it mentions us."""
    try:
        if not os.path.isfile(_PROJECT) or os.path.getsize(_PROJECT) > _LARGEST:
            return None
        with open(_PROJECT, "rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return None  # a file that cannot be read is no reason to refuse to measure
    return data if _MARK in data else None


def _is_off() -> bool:
    return os.environ.get("BITMETER_CONFIG", "").strip().lower() in _OFF


def is_configured() -> bool:
    """Whether a file may set defaults; cheap, for the fast path."""
    return not _is_off() and (_own_file() is not None or _project() is not None)


def read_settings() -> Settings:
    """The defaults of both files; those of the working folder go first.

    Raises
    ------
    InputError
        If a file is not TOML, or sets what cannot be set there.
    """
    found = Settings()
    if _is_off():
        return found
    own = _own_file()
    if own is not None:
        from bitmeter._util.files import read_whole

        found.add(_checked(_parsed(read_whole(own, _LARGEST), own), own, OWN_KEYS), own)
    project = _project()
    if project is not None:
        tool = _parsed(project, _PROJECT).get("tool", {})
        section = tool.get("bitmeter", {}) if isinstance(tool, dict) else {}
        found.add(_checked(section, f"[tool.bitmeter] of {_PROJECT}", KEYS), _PROJECT)
    return found


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    import tomllib

    from bitmeter.errors import InputError

    try:
        return tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        message = f"{name} is not TOML: {error}. {_REMEDY}"
        raise InputError(message, value=name) from error


_REMEDY = "Mend it, or set BITMETER_CONFIG=off to leave such files alone"


def _checked(section: Any, name: str, keys: dict[str, str]) -> dict[str, Any]:
    from bitmeter.errors import InputError

    if not isinstance(section, dict):
        message = f"{name} is {section!r:.40}; it must be a table of options. {_REMEDY}"
        raise InputError(message, value=name)
    for key, value in section.items():
        if key not in keys:
            own = " (in a folder's file; your own config.toml can)" if key in OWN_KEYS else ""
            message = f"{name} sets {key!r:.40}, which cannot be set there{own}; known are {', '.join(keys)}. {_REMEDY}"
            raise InputError(message, value=key)
        if not _is(value, keys[key]):
            message = f"{name} sets {key} to {value!r:.40}; it must be a {keys[key]}. {_REMEDY}"
            raise InputError(message, value=value)
    return dict(section)


def _is(value: Any, kind: str) -> bool:
    if kind == "true or false":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "text":
        return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable()
    return isinstance(value, int) if kind == "whole number" else isinstance(value, int | float)
