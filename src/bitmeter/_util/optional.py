"""Optional packages: imported when used; if absent, the error names the `pip install` line."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from bitmeter.errors import MissingPackageError

#: The extra of pyproject.toml that brings each optional package.
EXTRAS = {
    "torch": "hf",
    "transformers": "hf",
    "tokenizers": "hf",
    "safetensors": "hf",
    "gguf": "hf",
    "accelerate": "hf",
    "sentencepiece": "sentencepiece",
    "fsspec": "remote",
    "llama_cpp": "gguf",
    "httpx": "endpoint",
    "scipy": "theory",
    "pyarrow": "parquet",
    "fastapi": "web",
    "uvicorn": "web",
    "altair": "report",
    "vl_convert": "report",
    "icu4py": "icu",
    "ray": "ray",
}


def install_line(module: str) -> str:
    """What to type to get an optional package.

    Examples
    --------
    >>> install_line("torch"), install_line("brotli")
    ("pip install '.[hf]' in a checkout of bitmeter", 'pip install brotli')
    """
    package = module.split(".")[0]
    if package not in EXTRAS:
        return f"pip install {package}"
    # Until there is a release, extras can only be installed from a checkout.
    return f"pip install '.[{EXTRAS[package]}]' in a checkout of bitmeter"


def is_absent(module: str) -> bool:
    """Whether a package is not installed, without importing it.

    Examples
    --------
    >>> is_absent("json"), is_absent("surely_absent")
    (False, True)
    """
    return importlib.util.find_spec(module.split(".")[0]) is None


def require(module: str, purpose: str) -> ModuleType:
    """Import an optional package, or say what to install.

    Parameters
    ----------
    module
        The name to import.
    purpose
        What it is needed for, as the subject of a sentence.

    Raises
    ------
    MissingPackageError
        If it is not installed.

    Examples
    --------
    >>> require("json", "Reading JSON").__name__
    'json'
    >>> require("surely_absent", "Magic")
    Traceback (most recent call last):
    bitmeter.errors.MissingPackageError: Magic needs the package surely_absent, ... Type: pip install surely_absent
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise  # the package is installed but broken: its own message says more
        package = module.split(".")[0]
        message = f"{purpose} needs the package {package}, which is not installed. Type: {install_line(package)}"
        raise MissingPackageError(message, value=package) from error
