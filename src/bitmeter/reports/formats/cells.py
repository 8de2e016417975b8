"""Single values as text: at full precision for programs, in few digits for people."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from bitmeter.reports.formats.table import Column

__all__ = ["encoded", "json_value", "plain", "readable"]

#: Control characters but for tabs and line ends: some readers end a line, a field or the file at them.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def plain(value: Any) -> str:
    r"""A value as CSV has it: nothing for None, all digits of a number, control characters as \xHH.

    Examples
    --------
    >>> plain(None), plain(0.1), plain(float("inf")), plain(True), plain("a\x00b")
    ('', '0.1', 'inf', 'TRUE', 'a\\x00b')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"  # as R and pandas know them; R reads "true" as text
    if isinstance(value, str):
        return _CONTROL.sub(_escaped, value)
    if isinstance(value, float):
        return repr(_number(value))
    return str(value) if isinstance(value, int) else json.dumps(json_value(value), ensure_ascii=False)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _number(value: float) -> float:
    assert not math.isnan(value), "a figure is a number, infinite, or not there"
    return value


def json_value(value: Any) -> Any:
    """A value as JSON has it: infinity is the string "inf", text is UTF-8.

    Examples
    --------
    >>> json_value({"a": [float("-inf"), 1.5, None]})
    {'a': ['-inf', 1.5, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(_number(value)) else str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode() if not value.isascii() else value
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    return [json_value(item) for item in value] if isinstance(value, list | tuple) else value


def encoded(value: Any) -> str:
    """A value as JSON, in one line.

    Examples
    --------
    >>> encoded({"a": float("inf")})
    '{"a": "inf"}'
    """
    return json.dumps(json_value(value), ensure_ascii=False, allow_nan=False)


def readable(value: Any, column: Column) -> str:
    """A value for people: numbers in so many decimals as the column says.

    Examples
    --------
    >>> number = Column("bits", "number", 3)
    >>> readable(1234.5678, number), readable(None, number), readable(float("inf"), number), readable(1e30, number)
    ('1,234.568', '–', '∞', '1.000e30')
    >>> readable(4096, Column("bytes", "integer")), readable(True, Column("here", "flag"))
    ('4,096', 'yes')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(_number(value)):
            return "∞" if value > 0 else "−∞"
        if abs(value) >= 1e9:
            return f"{value:.3e}".replace("e+", "e")
        return f"{value:,.{column.places}f}"
    return f"{value:,}" if isinstance(value, int) else plain(value)
