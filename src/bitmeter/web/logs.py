"""Log-probabilities of another tool, sent as the content of its log, as a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bitmeter._util.files import label
from bitmeter._util.leftovers import temporary_folder
from bitmeter.errors import FileFormatError
from bitmeter.hosts.logs.runs import import_log
from bitmeter.measure.trace.trace import Trace
from bitmeter.reports.html.inputs import Measured, gather
from bitmeter.web.measuring import Report, report_of

__all__ = ["imported"]

#: Archives and columnar files may unpack to much more than was sent.
_PACKED = (b"PK\x03\x04", b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


def imported(content: bytes, name: str, check: Callable[[], object] = lambda: None) -> Report:
    """The report of a log: a response of OpenAI, vLLM or llama-server, samples of lm-eval, or a log of inspect_ai.

    Parameters
    ----------
    content
        What the log holds: JSON, or lines of it.
    name
        What to call it. It names no file: the content is what was sent.
    check
        Called between steps; may raise to end the work.
    """
    if content.startswith(_PACKED):
        message = (
            f"{label(name)} is packed (Parquet, zip, gzip or zstd), and the page takes logs as JSON; type: bitmeter "
            "runs import FILE"
        )
        raise FileFormatError(message)
    check()
    with temporary_folder() as folder:
        path = folder / "log.json"
        path.write_bytes(content)
        score = replace(import_log(path), text=label(name) or "log")
    found = gather([score])[0]
    trace: Trace | None = found.trace
    return report_of([Measured(score, trace, found.name)], score.text, check)
