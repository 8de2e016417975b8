"""Cases of `bitmeter serve`: what it acknowledged is in its history, whatever ends it, and is served again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
from pathlib import Path
from typing import Any

from client import Client, Seen, rounds
from disturb import Case, Found, Reference, rudeness
from jobs import OUT
from processes import Ended, run

from bitmeter.errors import BitmeterError
from bitmeter.history.runs import History

_TERMINATED = 128 + signal.SIGTERM
#: Room for the write-ahead log of the history, in sizes of the history.
_WITH_LOG = 2


class ServeCase(Case):
    """A server, and a client that asks it the same in each case."""

    def run(self, **how: Any) -> Ended:
        """Run the server until the client has asked all, or until a fault ends it."""
        return self._served([], **how)

    def reference(self) -> Reference:
        """Run it undisturbed."""
        ended, seen = self.run(), self._seen
        if ended.code != 0 or seen.wrong or self.strangers():
            raise SystemExit(f"serve without any fault: {seen.wrong}, left {self.strangers()}:\n{ended.said}")
        content = {"answers": json.dumps(seen.answers).encode(), "history": self._lines(self._data)}
        return Reference(ended.seconds, content, _WITH_LOG * self._database.stat().st_size)

    def judge(self, ended: Ended, expected: set[int], *, mixed: bool = False) -> Found:
        """Hold what a disturbed server left against what it acknowledged, then start it again and ask all again."""
        del mixed  # a model that was changed may be refused, and gives no other figure
        assert self._reference is not None
        good, seen = self._reference.content, self._seen
        answers = json.loads(good["answers"])
        wrong = [*seen.wrong, *(f"{name} was answered otherwise" for name, answer in seen.answers.items()
                                if answer != answers[name])]  # fmt: skip
        due = [one for one in seen.kept if one[1] not in seen.forgetting]
        wrong += self._lost(due, seen.forgot)
        left = self.strangers(begun=True)
        rude = rudeness(ended, expected)
        self.fill()
        again = self._served(due)
        wrong += self._seen.wrong
        equal = (
            again.code == 0
            and json.dumps(self._seen.answers).encode() == good["answers"]
            and self._lines(self._data) == good["history"]
        )
        if wrong and not rude:
            rude = wrong[0]
        if not equal and not rude:
            rude = f"second run: exit {again.code}: {again.said[-160:].strip()}"
        return Found(ended.code == 0, len(wrong), len(left), len(self.strangers()), equal, rude)

    def _served(self, expected: list[tuple[str, str, float]], **how: Any) -> Ended:
        limit = how.pop("limit", None)
        client = Client(self._file, rounds((self._prepared / "small.txt").read_text()), expected)

        def begin() -> None:
            os.environ["BITMETER_DATA"] = str(self._data)
            if limit is not None:
                limit()

        ended = run(self.job.words, self.folder, limit=begin, beside=client, **how)
        self._seen = Seen.read(self._file)
        # That is how the client ends a server when it has asked all.
        over = ended.code == _TERMINATED and self._seen.all
        return Ended(0 if over else ended.code, ended.said, ended.seconds, ended.late)

    def _lost(self, due: list[tuple[str, str, float]], forgot: list[str]) -> list[str]:
        """What is wrong with the history. A copy is looked at: whoever opens it also mends it."""
        copy = self.folder / "copy"
        if not self._database.exists():
            return [f"there is no history, and {len(due)} runs were acknowledged"] if due else []
        shutil.copytree(self._data, copy)
        try:
            with contextlib.closing(sqlite3.connect(copy / self._database.name)) as opened:
                checked = [row[0] for row in opened.execute("PRAGMA integrity_check")]
            if checked != ["ok"]:
                return [f"the history is damaged: {checked[0]}"]
            history = History(copy / self._database.name)
            runs = history.runs() if _has_tables(copy / self._database.name) else []
            for one in runs:
                history.load(one)
            there = {(one.model, one.text, one.bits) for one in runs}
            lost = [f"{one} was acknowledged, and is lost" for one in due if one not in there]
            return lost + [
                f"{text} was forgotten, and is there" for text in forgot if text in {one[1] for one in there}
            ]
        except (BitmeterError, sqlite3.DatabaseError) as error:
            return [f"the history cannot be read: {error}"]
        finally:
            shutil.rmtree(copy)

    def _lines(self, folder: Path) -> bytes:
        """The runs of a history, without their numbers and times."""
        runs = History(folder / self._database.name).runs()
        return json.dumps(sorted([one.model, one.text, one.signature, one.per, one.bits] for one in runs)).encode()

    @property
    def _data(self) -> Path:
        return self.folder / OUT / "data"

    @property
    def _database(self) -> Path:
        return self._data / "history.sqlite"

    @property
    def _file(self) -> Path:
        return self.folder / "seen.json"


def _has_tables(database: Path) -> bool:
    """Not if the server was ended before it had made them."""
    with contextlib.closing(sqlite3.connect(database)) as opened:
        return bool(opened.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
