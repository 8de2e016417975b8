"""`bitmeter doctor`: what is installed here, what is missing, and what is in use."""

from __future__ import annotations

from typing import Any

import typer

from bitmeter.cli.options import Json

__all__ = ["doctor", "examined"]


def doctor(json: Json = False) -> None:
    """Show versions, the processor and the kernels in use, extras and what to type for those that are missing, folders.

    Send the output along when you report a problem. It holds no names of texts or models that were measured. The exit
    code is 1 if something is broken: a plug-in that cannot be loaded, a history or a file of settings that cannot be
    read. An extra that is not installed is no fault.
    """
    found = examined()
    if json:
        import json as encoder

        typer.echo(encoder.dumps(found, ensure_ascii=False))
    else:
        for line in _lines(found):
            typer.echo(line)
    if found["problems"]:
        raise typer.Exit(1)


def examined() -> dict[str, Any]:
    """All that is shown, as JSON has it."""
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, version

    from bitmeter import _core
    from bitmeter._util.optional import EXTRAS, install_line, is_absent
    from bitmeter._version import __version__

    def version_of(package: str) -> str | None:
        try:
            return version({"llama_cpp": "llama-cpp-python"}.get(package, package))
        except PackageNotFoundError:
            return None

    problems: list[str] = []
    own = ("numpy", "typer", "rich", "zstandard", "regex", "pydivsufsort")
    extras: dict[str, Any] = {}
    for package, extra in EXTRAS.items():
        about = extras.setdefault(extra, {"packages": {}, "install": None})
        about["packages"][package] = None if is_absent(package) else version_of(package) or "of unknown version"
        if is_absent(package):
            about["install"] = install_line(package)
    absent = filter(is_absent, own)
    problems += [f"{package} is not installed, and bitmeter needs it: pip install {package}" for package in absent]
    return {
        "schema": "bitmeter.doctor/1",
        "bitmeter": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": {package: version_of(package) for package in own},
        "extras": extras,
        "processor": _core.cpu(),
        "models": _models(problems),
        "folders": _folders(problems),
        "settings": _settings(problems),
        "problems": problems,
    }


def _models(problems: list[str]) -> dict[str, Any]:
    from bitmeter.models.registry import own_schemes, survey_schemes

    found, broken = survey_schemes()
    problems += [plugin.reason for plugin in broken]
    own = own_schemes()
    return {"own": list(own), "plugins": [name for name in found if name not in own]}


def _folders(problems: list[str]) -> dict[str, Any]:
    """Where things are kept; the history is opened, as a score would."""
    import os

    from bitmeter._util.folders import config_folder, data_folder, state_folder
    from bitmeter.errors import BitmeterError

    found: dict[str, Any] = {}
    for name, folder in (("data", data_folder), ("state", state_folder), ("config", config_folder)):
        try:
            found[name] = str(folder())
        except BitmeterError as error:
            found[name] = None
            problems.append(str(error))
    found["hf cache"] = os.environ.get("HF_HOME") or os.path.join("~", ".cache", "huggingface")
    try:
        from bitmeter.history.database import history_file, is_on
        from bitmeter.history.runs import History
    except ImportError:
        found["history"] = {"file": None, "on": False, "runs": 0}
        return found
    about: dict[str, Any] = {"file": str(history_file()), "on": is_on(), "runs": None}
    try:
        about["runs"] = len(History().runs())
    except BitmeterError as error:
        problems.append(str(error))
    found["history"] = about
    return found


def _settings(problems: list[str]) -> dict[str, Any]:
    from bitmeter.cli.settings import read_settings
    from bitmeter.errors import BitmeterError

    try:
        settings = read_settings()
    except (BitmeterError, OSError) as error:
        problems.append(str(error))
        return {}
    return {key: {"value": value, "file": settings.sources[key]} for key, value in settings.values.items()}


def _lines(found: dict[str, Any]) -> list[str]:
    from bitmeter._util.files import label
    from bitmeter.reports.figures import counted, folded

    def row(title: str, text: str) -> list[str]:
        return folded(f"  {title}", label(text), 17)

    packages = ", ".join(f"{name} {version or 'missing'}" for name, version in found["packages"].items())
    lines = [f"bitmeter {found['bitmeter']}", *row("python", f"{found['python']}, {found['executable']}")]
    lines += [*row("system", found["system"]), *row("packages", packages)]
    processor = found["processor"]
    lines += row("processor", _words(processor))
    lines.append("Extras")
    for extra, about in found["extras"].items():
        present = [f"{name} {version}" for name, version in about["packages"].items() if version is not None]
        absent = [name for name, version in about["packages"].items() if version is None]
        text = ", ".join(present) if not absent else f"missing {', '.join(absent)}. Type: {about['install']}"
        lines += row(extra, text)
    lines.append("Models")
    lines += row("schemes", ", ".join(found["models"]["own"]))
    lines += row("plug-ins", ", ".join(found["models"]["plugins"]) or "none")
    lines.append("Folders")
    history = found["folders"]["history"]
    lines += [
        line for name in ("data", "state", "config", "hf cache") for line in row(name, str(found["folders"][name]))
    ]
    state = (
        "off" if not history["on"] else "cannot be read" if history["runs"] is None else counted(history["runs"], "run")
    )
    lines += row("history", f"{state}, {history['file']}")
    settings = ", ".join(f"{key}={about['value']} ({about['file']})" for key, about in found["settings"].items())
    lines += row("settings", settings or "none")
    lines.append("Problems" if found["problems"] else "No problems were found.")
    for problem in found["problems"]:
        lines += folded("  -", label(problem), 4)
    return lines


def _words(processor: dict[str, Any]) -> str:
    """The level in use, and the kernels that each family of loops uses."""
    kernels = processor.get("kernels", {})
    used = ", ".join(f"{family}: {kernel}" for family, kernel in kernels.items()) if isinstance(kernels, dict) else ""
    features = processor.get("features", ())
    listed = " ".join(map(str, features)) if isinstance(features, list | tuple) else ""
    return "; ".join(filter(None, (f"level {processor.get('level')}", listed, used)))
