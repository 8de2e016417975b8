"""Finds what the modules of a package define under one name: a new file is registered without an edit elsewhere."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def defined(package: ModuleType, name: str, kind: type[T]) -> list[T]:
    """The objects of this kind that the modules of a package and its folders define under this name, in their order.

    Examples
    --------
    >>> from bitmeter.measure import conventions
    >>> len(defined(conventions, "CONVENTION", object)) > 10
    True
    """
    modules = [import_module(info.name) for info in walk_packages(package.__path__, f"{package.__name__}.")]
    found = [vars(module)[name] for module in modules if name in vars(module)]
    return [value for value in found if isinstance(value, kind)]
