"""Remembered runs: recorded, listed, found by their signature, deleted.

What is kept of a run is what its JSON holds: figures, counts and conventions, never the text or the command line.
"""

from __future__ import annotations

import hashlib
import json
import re
import time as clock
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bitmeter._util.secrets import without_secrets
from bitmeter.errors import FileFormatError
from bitmeter.history.database import connected, history_file
from bitmeter.measure.score import Score
from bitmeter.measure.signature import Signature

__all__ = ["History", "Measured", "RememberedRun", "is_short"]

#: The most runs that are kept; beyond, the oldest are forgotten.
MOST_RUNS = 20_000
#: The most bytes of all runs as they are stored; beyond, the oldest keep their figures and signatures alone.
MOST_BYTES = 200_000_000
#: The most rows (documents, blocks, windows) of a run that is kept whole.
_MOST_ROWS = 200_000
#: The most bytes of the JSON of one run.
_LARGEST = 1 << 26
#: The limits are looked at each time that so many runs were added.
_EVERY = 64
_COLUMNS = "id, time, times, verb, short, signature, model, text, per, bits, bytes, run IS NOT NULL"


def is_short(text: str) -> bool:
    """Whether a word has the form of a short signature, or of its first digits (at least four).

    Examples
    --------
    >>> is_short("bm1-a47444c2"), is_short("bm1-a474"), is_short("bm1-"), is_short("kenlm")
    (True, True, False, False)
    """
    return re.fullmatch(r"bm\d{1,3}-[0-9a-f]{4,8}", text) is not None


@dataclass(frozen=True)
class Measured:
    """What a verb measured that is no score, such as the surprisals of words: its figure and its conventions.

    Attributes
    ----------
    model, text
        Their names.
    signature
        The conventions.
    per, bits
        The figure: bits per byte, token or word; None if nothing was measured.
    bytes
        How many were measured.
    """

    model: str
    text: str
    signature: Signature
    per: str
    bits: float | None
    bytes: int


@dataclass(frozen=True)
class RememberedRun:
    """One line of the history.

    Attributes
    ----------
    id
        Its number in the history.
    time
        When it was last measured, in seconds since 1970.
    times
        How often the same figure was measured under the same conventions.
    verb
        Which command measured it.
    short, signature
        Its conventions.
    model, text
        Their names.
    per, bits
        The figure: bits per byte, or per token; None if nothing was scored.
    bytes
        How many were scored.
    whole
        Whether the whole run is kept, and not its figure and signature alone.
    """

    id: int
    time: float
    times: int
    verb: str
    short: str
    signature: str
    model: str
    text: str
    per: str
    bits: float | None
    bytes: int
    whole: bool

    @property
    def date(self) -> str:
        """When it was last measured, in UTC: "2026-03-01 12:30"."""
        from datetime import UTC, datetime  # slow to import, and not needed to remember a run

        try:
            return datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%d %H:%M")
        except (ValueError, OverflowError, OSError):
            return "–"


class History:
    """The remembered runs of a user.

    Parameters
    ----------
    path
        The database; that of the user's data folder if None.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = history_file() if path is None else path

    def record(self, scores: Iterable[Score | Measured], verb: str = "score") -> list[int]:
        """Remember what was measured; what was remembered before is counted again, and is the newest.

        Returns
        -------
        list
            The number of each.
        """
        rows = [_row(score, verb) for score in scores]
        found: list[int] = []
        with connected(self.path, write=True) as database:
            for row in rows:
                digest, time, _, *_, run = row
                again = database.execute(
                    "UPDATE runs SET time = ?, times = times + 1, verb = ?, run = ? WHERE digest = ?",
                    (time, verb, run, digest),
                )
                if not again.rowcount:
                    database.execute(
                        "INSERT INTO runs (digest, time, times, verb, short, signature, model, text, per, bits, bytes, "
                        "run) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        row,
                    )
                found += database.execute("SELECT id FROM runs WHERE digest = ?", row[:1]).fetchone()
            if any(number % _EVERY == 0 for number in found):
                database.execute(
                    "DELETE FROM runs WHERE id IN (SELECT id FROM runs ORDER BY time DESC, id DESC LIMIT -1 OFFSET ?)",
                    (MOST_RUNS,),
                )
                database.execute(
                    "UPDATE runs SET run = NULL WHERE id IN (SELECT id FROM (SELECT id, sum(length(run)) OVER "
                    "(ORDER BY time DESC, id DESC) AS total FROM runs WHERE run IS NOT NULL) WHERE total > ?)",
                    (MOST_BYTES,),
                )
        return found

    def runs(
        self, *, model: str | None = None, text: str | None = None, limit: int | None = None
    ) -> list[RememberedRun]:
        """The remembered runs, the newest first; those alone whose model or text has these words in its name."""
        where = " AND ".join(
            f"instr(lower({column}), lower(?))"
            for column, word in (("model", model), ("text", text))
            if word is not None
        )
        words = [word for word in (model, text) if word is not None]
        return self._select(
            f"{f'WHERE {where} ' if where else ''}ORDER BY time DESC, id DESC LIMIT ?",
            [*words, -1 if limit is None else limit],
        )

    def find(self, name: str) -> list[RememberedRun]:
        """The runs that a number or a short signature (or its first digits) names, the newest first."""
        if name.isascii() and name.isdigit():
            return self._select("WHERE id = ?", [int(name)]) if len(name) < 19 else []
        if not is_short(name):
            return []
        # The form that was checked has no sign that LIKE or GLOB knows.
        return self._select("WHERE short GLOB ? ORDER BY time DESC, id DESC", [f"{name}*"])

    def load(self, run: RememberedRun) -> Score:
        """The score of a remembered run, checked as a saved run is."""
        with connected(self.path, write=False) as database:
            found = database.execute("SELECT run FROM runs WHERE id = ?", (run.id,)).fetchone()
        if found is None or found[0] is None:
            message = (
                f"of run {run.id} ({run.verb}) only the figure and the signature were kept, because it is no score, or "
                "is large or old; measure it again: bitmeter score MODEL TEXT -o run.json"
            )
            raise FileFormatError(message, value=run.id)
        name = f"run {run.id} of the history"
        score = Score.from_json(_unpacked(found[0], name), name=name)
        if str(score.signature) != run.signature:
            message = f"{name} is damaged: its signature is not that of its line"
            raise FileFormatError(message, value=run.id)
        return score

    def delete(self, numbers: Sequence[int]) -> int:
        """Forget runs; how many there were."""
        return self._delete([("id = ?", (number,)) for number in numbers])

    def prune(self, *, keep: int | None = None, before: float | None = None) -> int:
        """Forget all but the newest, or those from before a time (seconds since 1970); how many there were.

        Without either, all are forgotten.
        """
        which: list[tuple[str, tuple[float, ...]]] = []
        if keep is not None:
            which.append(("id IN (SELECT id FROM runs ORDER BY time DESC, id DESC LIMIT -1 OFFSET ?)", (keep,)))
        if before is not None:
            which.append(("time < ?", (before,)))
        return self._delete(which or [("1", ())])

    def _delete(self, which: Sequence[tuple[str, tuple[float, ...]]]) -> int:
        if not self.path.exists():
            return 0
        number = 0
        with connected(self.path, write=True) as database:
            database.execute("PRAGMA secure_delete = ON")
            for condition, values in which:
                number += database.execute(f"DELETE FROM runs WHERE {condition}", values).rowcount
        return number

    def _select(self, rest: str, values: Sequence[str | int]) -> list[RememberedRun]:
        if not self.path.exists() or not self.path.stat().st_size:
            return []
        with connected(self.path, write=False) as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM runs {rest}", values).fetchall()
        return [_read(row, self.path) for row in rows]


_KINDS = (int, float, int, str, str, str, str, str, str, float, int, int)
_FIGURE = 9


def _read(row: tuple[object, ...], path: Path) -> RememberedRun:
    """A line of the table, whose columns another program may have filled with anything."""
    sound = all(
        type(value) is kind or (value is None and index == _FIGURE)
        for index, (kind, value) in enumerate(zip(_KINDS, row, strict=True))
    )
    if not sound:
        message = f"the history {path} is damaged: a line of it holds {row!r:.60}. Move it away, and a new one is begun"
        raise FileFormatError(message, value=str(path))
    *most, whole = row
    return RememberedRun(*most, bool(whole))  # type: ignore[arg-type, call-arg]


def _row(score: Score | Measured, verb: str) -> tuple[object, ...]:
    if isinstance(score, Measured):
        plain = json.dumps([verb, str(score.signature), score.per, repr(score.bits)]).encode()
        return (
            hashlib.sha256(plain).digest(), clock.time(), verb, score.signature.short, str(score.signature),
            _label(score.model), _label(score.text), score.per, None if score.bits is None else float(score.bits),
            score.bytes, None,
        )  # fmt: skip
    content = _content(score)
    fixed = {name: value for name, value in content.items() if name not in ("seconds", "environment")}
    plain = json.dumps(fixed, sort_keys=True, allow_nan=False).encode("utf-8", "surrogatepass")
    data = score.to_json().encode("utf-8", "surrogatepass") if _is_small(score) else b""
    count = score.count(score.figure_per)
    return (
        hashlib.sha256(plain).digest(), clock.time(), verb, score.signature.short, str(score.signature),
        _label(score.model), _label(score.text), score.figure_per,
        score.per(score.figure_per) if score.bytes and count else None, score.bytes,
        zlib.compress(data, 1) if 0 < len(data) <= _LARGEST else None,
    )  # fmt: skip


def _content(score: Score) -> dict[str, object]:
    """What tells two runs apart; of a large one its totals do."""
    if _is_small(score):
        return score.to_dict()
    return {"nats": repr(score.nats), "signature": str(score.signature), "confidence": score.confidence}


def _is_small(score: Score) -> bool:
    rows = sum(len(sums.nats) for sums in (score.by_document, score.by_block, score.by_window) if sums is not None)
    return rows <= _MOST_ROWS


def _label(name: str) -> str:
    """A name for the list: without what may be a secret, and encodable."""
    return without_secrets(name).encode("utf-8", "backslashreplace").decode()


def _unpacked(data: object, name: str) -> str:
    if isinstance(data, bytes):
        try:
            machine = zlib.decompressobj()
            plain = machine.decompress(data, _LARGEST)
            if machine.eof:
                return plain.decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError):
            pass
    message = f"{name} is damaged, and cannot be unpacked; delete it: bitmeter runs delete {name.split()[1]}"
    raise FileFormatError(message)
