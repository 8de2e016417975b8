"""Signatures and conventions in plain words, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.registry import CONVENTIONS
from bitmeter.measure.conventions.settings import DEFAULTS, MEANINGS
from bitmeter.measure.interval.registry import description
from bitmeter.measure.signature import (
    JOINED_TEXT,
    MAY_DIFFER,
    MUST_AGREE,
    Difference,
    Signature,
    covers_all_texts,
    differences,
    split_value,
)
from bitmeter.models.windows import context_in_words
from bitmeter.reports.figures import counted, folded
from bitmeter.text.borders import BORDERS

#: The column in which explanations begin, behind a key.
_COLUMN = 13


# ---- values ----------------------------------------------------------------------------------------------------------


def value_shown(key: str, value: str) -> str:
    """A value of a signature for people: long hashes are shortened, counts have a noun."""
    parts = value.split(".")
    if key == "text" and value.startswith(JOINED_TEXT) and [part.isdecimal() for part in parts[1:]] == [True, True]:
        size = counted(int(parts[2]), "byte")
        return f"{counted(int(parts[1]), 'text')}, {size}, {parts[0].removeprefix(JOINED_TEXT)[:8]}"
    if key == "text" and value:
        texts = [text.rpartition(".") for text in value.split("+")]
        return " + ".join(
            f"{counted(int(size), 'byte')}, {hashed.removeprefix('sha256-')[:8]}" if size.isdecimal() else size
            for hashed, _, size in texts
        )
    if key == "docs" and len(parts) > 1 and parts[1].isdecimal():
        return f"{parts[0]}, {counted(int(parts[1]), 'document')}"
    if key == "given" and len(parts) > 1 and parts[1].isdecimal():
        return f"{parts[0]}, {counted(int(parts[1]), 'byte')} of contexts"
    if key == "interval" and " " in value:
        method, _, level = value.rpartition(" ")
        return f"{method}, {100 * float(level):g} %" if level.replace(".", "", 1).isdecimal() else value
    if key in ("units", "model"):
        name, fingerprint = split_value(key, value)
        return f"{name} ({fingerprint})" if fingerprint else value
    return value


def value_in_words(key: str, value: str) -> str:
    """What a value means; "" if it needs no explanation."""
    if key == "ctx":
        return context_in_words(value)
    if key == "given":
        return BORDERS.get(value.partition(".")[0], "no contexts" if value == "none" else "")
    if key == "text":
        found = Signature(text=value).test_set
        return "" if found is None else f"the test set {found}"
    if key == "interval":
        return description(value)
    if key == "model" and value.startswith("table:"):
        return "log-probabilities from a table that another program wrote, with its hash"
    if key == "like" and value in CONVENTIONS:
        return " ".join(CONVENTIONS[value].statements)
    return MEANINGS.get(key, {}).get(value.partition(".")[0], "")


def explain_signature(signature: Signature) -> list[tuple[str, str, str]]:
    """Each key, its value, and what they mean."""
    rows = []
    for key, meaning in (*MUST_AGREE.items(), *MAY_DIFFER.items()):
        value = getattr(signature, key)
        if key == "given" and value == "none":
            continue  # nor is it in the line
        meant = (value_in_words(key, value) or meaning) + _exception(key, signature)
        rows.append((key, value_shown(key, value), meant))
    return rows


def _exception(key: str, signature: Signature) -> str:
    """Where a key of this run stands under the other heading: units and what unknown ones cost decide together."""
    if key == "oov" and signature.units and covers_all_texts(signature):
        return "; it may differ from that of another run that pays for every byte, as this one does"
    if key == "units" and signature.units and not covers_all_texts(signature):
        return "; they must be of one kind, as not every byte is paid for"
    return ""


def explain_difference(difference: Difference, first: str = "A", second: str = "B") -> str:
    """What it means that two runs differ in this key."""
    key = difference.key
    if key == "units" and difference.decisive:
        return (
            "words and other units whose ids do not restore the bytes leave bytes unpaid, so their bits per byte "
            "compare only with those of the same units"
        )
    if key == "oov" and not difference.decisive:
        return "it may differ here, as both pay for every byte; else it must agree"
    consequence = {
        "schema": "they were written by different versions of bitmeter",
        "text": "figures compare models on one text, never on two texts",
        "units": "figures per token do not compare; bits per byte do",
        "model": "what is compared",
        "interval": "how the interval was computed; the figure does not depend on it",
        "precision": "the arithmetic of the model",
        "version": "they were measured by different versions of bitmeter",
    }.get(key, "")
    if consequence:
        return consequence
    a, b = value_in_words(key, difference.first), value_in_words(key, difference.second)
    if not a or not b or a == b:
        return {"docs": "documents end at different offsets"}.get(key, difference.meaning)
    return f"{first}: {a.rstrip('.')}; {second}: {b.rstrip('.')}"


def independent(found: Iterable[Difference]) -> list[Difference]:
    """The differences without those that follow from another: documents of two texts end at different offsets."""
    listed = list(found)
    other_text = any(d.key == "text" for d in listed)

    def follows(d: Difference) -> bool:
        return d.key == "docs" and other_text and d.first.partition(".")[0] == d.second.partition(".")[0]

    return [d for d in listed if not follows(d)]


def refusal(found: Iterable[Difference]) -> str:
    """Why two scores must not be compared, in a sentence."""
    return "; ".join(
        f"{d.key} differs ({value_shown(d.key, d.first)} ≠ {value_shown(d.key, d.second)}): {explain_difference(d)}"
        for d in independent(found)
    )


def explain_two(first: Signature, second: Signature) -> tuple[str, list[Difference]]:
    """A verdict, and the differences behind it."""
    found = independent(differences(first, second))
    decisive = [d for d in found if d.decisive]
    if not found:
        return "The two agree in every respect.", found
    if not decisive:
        return "The two can be compared: what differs may differ.", found
    keys = ", ".join(d.key for d in decisive)
    return f"The two must not be compared: they disagree on {keys}.", found


# ---- tools -----------------------------------------------------------------------------------------------------------


def value_of(convention: Convention, key: str) -> str:
    """A tool's value of a setting."""
    return convention.settings.get(key, DEFAULTS[key])


def explain_conventions(first: Convention, second: Convention) -> list[Difference]:
    """The settings in which two tools differ."""
    return [
        Difference(key, value_of(first, key), value_of(second, key), key in MUST_AGREE, "")
        for key in DEFAULTS
        if value_of(first, key) != value_of(second, key)
    ]


def explain_run_and_tool(signature: Signature, tool: Convention) -> list[Difference]:
    """The settings in which a run differs from a tool."""
    own = {key: getattr(signature, key).partition(".")[0] for key in DEFAULTS}
    if own["ctx"].isdecimal():
        own["ctx"] = signature.ctx
    by_default = value_of(tool, "ctx") == "auto" and (own["ctx"] == "full" or own["ctx"] == signature.ctx)
    return [
        Difference(key, own[key], value_of(tool, key), key in MUST_AGREE, "")
        for key in DEFAULTS
        if own[key] != value_of(tool, key) and not (key == "ctx" and by_default)
    ]


# ---- lines for the terminal ------------------------------------------------------------------------------------------


def signature_lines(signature: Signature) -> list[str]:
    """A signature explained key by key."""
    lines = [signature.short, "Two figures can be compared if these agree:"]
    for key, value, meaning in explain_signature(signature):
        if key == "units":
            lines.append("These may differ:")
        lines += folded(f"  {key}", f"{value or '(empty)'}: {meaning}", _COLUMN)
    return lines


def difference_lines(found: Sequence[Difference], first: str = "A", second: str = "B") -> list[str]:
    """Each difference with its two values, and what it means."""
    lines = []
    for d in found:
        a, b = value_shown(d.key, d.first) or "(empty)", value_shown(d.key, d.second) or "(empty)"
        lines += folded(f"  {d.key}", f"{a} ≠ {b}", _COLUMN)
        meaning = explain_difference(d, first, second)
        parts = meaning.split(f"; {second}: ", 1)
        lines += folded("", parts[0], _COLUMN)
        if len(parts) == 2:
            lines += folded("", f"{second}: {parts[1]}", _COLUMN)
    return lines


def pair_lines(first: Signature, second: Signature) -> list[str]:
    """Two runs: whether they can be compared, and all that differs."""
    verdict, found = explain_two(first, second)
    decisive = [d for d in found if d.decisive]
    rest = [d for d in found if not d.decisive]
    lines = [verdict, *difference_lines(decisive)]
    if decisive and rest:
        lines.append("These may differ, and do:")
    return lines + difference_lines(rest)


def convention_lines(convention: Convention) -> list[str]:
    """What a tool does, and the settings that follow."""
    lines = [f"{convention.name}:"]
    for statement in convention.statements:
        lines += folded("  -", statement, 4)
    if convention.settings:
        settings = ", ".join(f"{key}={value}" for key, value in convention.settings.items())
        lines += folded("  Sets", settings + ".", 10)
    if convention.needs:
        lines += folded("  Needs", f"a model with {convention.needs}.", 10)
    return lines


def tools_lines(first: Convention, second: Convention) -> list[str]:
    """What two tools do, and in which settings they differ."""
    found = explain_conventions(first, second)
    lines = [*convention_lines(first), *convention_lines(second)]
    if not found:
        return [*lines, "They score in the same way, but divide and average differently."]
    return [*lines, "How they differ:", *difference_lines(found, first.name, second.name)]


def run_and_tool_lines(signature: Signature, tool: Convention) -> list[str]:
    """A run against a tool."""
    found = explain_run_and_tool(signature, tool)
    lines = convention_lines(tool)
    if not found:
        return [*lines, f"The run scores as {tool.name} does, but may divide and average differently."]
    return [*lines, f"How the run differs from {tool.name}:", *difference_lines(found, "the run", tool.name)]
