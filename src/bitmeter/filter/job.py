"""One call of the filter: file after file, each exactly once, with receipts; or a rehearsal that writes nothing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter._util.files import check_destination, label
from bitmeter._util.progress import Progress, Step
from bitmeter._version import __version__
from bitmeter.errors import FileFormatError, SourceError
from bitmeter.filter.examples import examples_of
from bitmeter.filter.histogram import exact_quantiles, rank_of
from bitmeter.filter.plan import Shard, check_free, check_outputs
from bitmeter.filter.reading import read_rows
from bitmeter.filter.receipts import Receipts, digest_of, file_digest
from bitmeter.filter.rules import Decision, Shares
from bitmeter.filter.scores import SCORED, Scorers, read_scores
from bitmeter.filter.settings import Settings
from bitmeter.filter.shard import MOST_PLACES, UNSCORED_LABEL, decide, score_shard, tally_scores, write_shard
from bitmeter.filter.summary import FilterSummary
from bitmeter.filter.tally import Tally
from bitmeter.measure.signature import Signature
from bitmeter.text.formats import COMPRESSIONS

__all__ = ["Job"]


class Job:
    """One call of the filter."""

    def __init__(
        self, shards: list[Shard], settings: Settings, scorers: Scorers, progress: Progress, *, force: bool
    ) -> None:
        self._shards, self._settings, self._scorers = shards, settings, scorers
        self._progress, self._force = progress, force
        self._total, self._done = sum(shard.size for shard in shards), 0
        self._passes = 1
        self._skipped = 0
        self._failed: list[tuple[str, str]] = []
        self._outputs: list[str] = []
        self._inputs: list[dict[str, Any]] = []
        self._decision: Decision | None = None
        self._examples: Any = ()
        self._dry = False

    # ---- the real thing ------------------------------------------------------------------------------------------

    def run(self, folder: Path) -> Tally:
        """Write outputs and receipts; what is done already stays."""
        rule = self._settings.rule
        labels = (*rule.labels, UNSCORED_LABEL)
        check_outputs(self._shards, labels)
        receipts = Receipts(folder)
        if not folder.is_dir():
            self._make(folder)
        with receipts.locked():
            self._inputs = [self._digest(shard) for shard in self._shards]
            key = self._key(rule)
            done = {shard.name: self._receipt(receipts, shard, key, number)
                    for number, shard in enumerate(self._shards)}  # fmt: skip
            self._check_free(receipts, key, done, labels)
            scores: dict[str, Path] = {}
            if isinstance(rule, Shares):
                if any(found is None for found in done.values()):
                    scores = self._score_all(receipts, key)
                    self._decision = self._settle(rule, list(scores.values()))
            else:
                self._decision = rule
            tally = Tally()
            for number, shard in enumerate(self._shards):
                found = done[shard.name]
                if found is None:
                    found = self._write(receipts, shard, number, key, scores.get(shard.name))
                else:
                    self._skipped += 1
                    self._outputs += [_joined(folder, one["name"]) for one in found["outputs"]]
                    self._advance(shard.size)
                if found is not None:
                    tally.merge(_tally(found, shard), MOST_PLACES)
                    self._rule = found["rule"]
            for shard in self._shards:
                if not self._failed:
                    for kind in ("claim", "scored", "scores"):
                        receipts.remove(shard.name, kind)
        return tally

    def _make(self, folder: Path) -> None:
        """The folder of outputs may be new; the folder that a single output is in must be there."""
        check_destination(folder)
        kept = self._shards[0].kept
        if self._shards[0].is_named and kept is not None:
            check_destination(kept)
        folder.mkdir()

    def _digest(self, shard: Shard) -> dict[str, Any]:
        try:
            return file_digest(shard.source)
        except OSError as error:
            message = f"{label(shard.source)} cannot be read: {error.strerror or error}"
            raise SourceError(message, path=shard.source) from error

    def _key(self, rule: Decision | Shares) -> str:
        """A hash of all that decides what is written, but for the file itself."""
        signature = self._scorers.signature
        about = {
            "settings": self._settings.describe(), "by": self._scorers.by, "version": 1,
            "conventions": None if self._scorers.is_pattern or signature is None else str(signature.but(version="")),
            "models": {} if self._scorers.is_pattern else self._scorers.fingerprints(),
            "patterns": self._scorers.described(),
        }  # fmt: skip
        if isinstance(rule, Shares):  # limits depend on all files
            about["inputs"] = [found["sha256"] for found in self._inputs]
        return digest_of(about)

    def _receipt(self, receipts: Receipts, shard: Shard, key: str, number: int) -> dict[str, Any] | None:
        """The receipt of a file that is done; None if it is not. One of another job is an error without force."""
        found = receipts.read(shard.name)
        if found is None:
            return None
        try:
            reason = self._disagrees(found, shard, key, number, receipts.folder.parent)
        except (KeyError, TypeError, AttributeError) as error:
            message = f"the receipt of {label(shard.name)} in {receipts.folder} is damaged; remove it"
            raise FileFormatError(message, value=shard.name) from error
        if not reason:
            return found
        if reason == "gone" or self._force:
            return None
        message = (
            f"{label(str(shard.kept))} was written before, {reason}; type --force to write it again "
            "(in Python: force=True), or name another output"
        )
        raise FileFormatError(message, value=shard.name)

    def _disagrees(self, found: dict[str, Any], shard: Shard, key: str, number: int, folder: Path) -> str:
        """Why a receipt is not that of this job; empty if it is, "gone" if an output is."""
        if found["input"] != self._inputs[number]:
            return f"from another content of {label(shard.source)}"
        if found["key"] != key:
            return "by another model or with other options"
        for language, fingerprint in found["models"].items():
            opened = self._scorers.of(language)
            if (
                opened is None
                or self._scorers.fingerprints()[language if self._scorers.is_pattern else ""] != fingerprint
            ):
                return f"by another model of the language {language!r}"
        for about in found["outputs"]:
            path = _joined(folder, about["name"])
            if not os.path.exists(path):
                return "gone"
            if os.stat(path).st_size != about["size"]:
                return "and has changed since"
        return ""

    def _check_free(
        self, receipts: Receipts, key: str, done: dict[str, dict[str, Any] | None], labels: tuple[str, ...]
    ) -> None:
        """Refuse to overwrite files that are neither receipts' nor claimed by an interrupted run of this job."""
        for shard in self._shards:
            if done[shard.name] is None and not self._may_replace(receipts, shard, key):
                for path in shard.outputs(labels):
                    check_free(path)

    def _may_replace(self, receipts: Receipts, shard: Shard, key: str) -> bool:
        claim = receipts.read(shard.name, "claim")
        return self._force or receipts.read(shard.name) is not None or (claim is not None and claim.get("key") == key)

    def _score_all(self, receipts: Receipts, key: str) -> dict[str, Path]:
        """The first pass of a rule by shares: the scores of every file, those of an earlier run included."""
        self._passes = 2
        found: dict[str, Path] = {}
        for number, shard in enumerate(self._shards):
            path = found[shard.name] = receipts.path(shard.name, "scores")
            before = receipts.read(shard.name, "scored")
            about = {"key": key, "input": self._inputs[number]}
            if before is not None and path.exists() and self._are_scored(before, about):
                self._advance(shard.size)
                continue
            with self._watching(shard) as watch:
                score_shard(shard, self._settings, self._scorers, path, watch)
            receipts.write(shard.name, {**about, "languages": self._scorers.languages}, "scored")
        return found

    def _are_scored(self, before: dict[str, Any], about: dict[str, Any]) -> bool:
        """Whether scores are of this job, with the languages numbered as here."""
        languages = before.get("languages")
        if not isinstance(languages, list) or any(before.get(name) != value for name, value in about.items()):
            return False
        for language in languages:
            self._scorers.number(str(language))
        return self._scorers.languages[: len(languages)] == languages

    def _settle(self, rule: Shares, scores: list[Path]) -> Decision:
        """The limits that the shares come to."""
        languages = self._scorers.languages
        histograms = Tally()
        for path in scores:
            for records in read_scores(path, 1 << 16):
                histograms.add_scores(records, languages)
        limits: dict[tuple[str, Fraction], float] = {}
        for language, histogram in histograms.histograms.items():
            ranks = {share: rank_of(share, histogram.total) for share in rule.shares}
            wanted = [rank for rank in ranks.values() if rank]
            exact = exact_quantiles(histogram, wanted, _values(scores, languages.index(language)))
            for share, rank in ranks.items():
                limits[language, share] = exact[rank] if rank else -np.inf
        return rule.settled(lambda language, share: limits[language, share], sorted(histograms.histograms))

    def _write(
        self, receipts: Receipts, shard: Shard, number: int, key: str, scores: Path | None
    ) -> dict[str, Any] | None:
        assert self._decision is not None
        folder = receipts.folder.parent
        replace = self._may_replace(receipts, shard, key)
        receipts.write(shard.name, {"key": key}, "claim")
        before = os.stat(shard.source)
        try:
            with self._watching(shard) as watch:
                tally, paths = write_shard(
                    shard, self._settings, self._scorers, self._decision, scores, watch, force=replace
                )
        except SourceError as error:
            if isinstance(self._settings.rule, Shares):
                raise
            self._failed.append((label(shard.source), str(error)))
            return None
        after = os.stat(shard.source)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            message = f"{label(shard.source)} was changed while it was read; run the filter again"
            raise SourceError(message, path=shard.source)
        found = {
            "key": key, "input": self._inputs[number], "source": label(shard.source), "rule": self._decision.describe(),
            "models": {language: mark for language, mark in self._scorers.fingerprints().items()
                       if not self._scorers.is_pattern or language in tally.histograms},
            # Below the folder of outputs, which may be moved.
            "outputs": [{"name": os.path.relpath(path, folder), **file_digest(path)} for path in paths],
            "tally": tally.to_json(),
            "signature": str(self._scorers.signature or ""), "version": __version__,
        }  # fmt: skip
        receipts.write(shard.name, found)
        self._outputs += [str(path) for path in paths]
        return found

    # ---- a dry run -----------------------------------------------------------------------------------------------

    def rehearse(self) -> Tally:
        """Score everything, write nothing, and say what would be kept."""
        self._dry = True
        rule = self._settings.rule
        tally = Tally()
        with tempfile.TemporaryDirectory(prefix="bitmeter-filter-") as folder:
            scores = [Path(folder, f"{number}.scores") for number in range(len(self._shards))]
            for shard, path in zip(self._shards, scores, strict=True):
                self._inputs.append(self._digest(shard))
                with self._watching(shard) as watch:
                    if isinstance(rule, Decision):
                        path.write_bytes(b"")
                        self._decide_dry(shard, rule, path, tally, watch)
                    else:
                        tally.merge(score_shard(shard, self._settings, self._scorers, path, watch), MOST_PLACES)
            self._decision = rule if isinstance(rule, Decision) else self._settle(rule, scores)
            if isinstance(rule, Shares):
                for path in scores:
                    tally_scores(path, tally, self._decision, self._scorers.languages)
            self._examples = examples_of(self._shards, scores, tally.whole_histogram(), self._settings.fields)
        self._rule = self._decision.describe()
        return tally

    def _decide_dry(
        self, shard: Shard, rule: Decision, path: Path, tally: Tally, watch: Callable[[int], object]
    ) -> None:
        labels = (*rule.labels, UNSCORED_LABEL)
        with open(path, "ab") as file:
            for rows in read_rows(shard.source, self._settings.fields):
                records = self._scorers.score(rows)
                file.write(records.tobytes())
                tally.add_scores(records, self._scorers.languages)
                outcomes = decide(records, rows, rule, self._scorers.languages, self._settings.seed)
                tally.add_labels(records, outcomes, labels)
                places = (f"{label(shard.source)}, {bad.place}: {bad.reason}" for bad in rows.bad)
                tally.note_bad(places, MOST_PLACES)
                watch(rows.size)

    # ---- what is shown -------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _watching(self, shard: Shard) -> Iterator[Callable[[int], object]]:
        """Report how far a file is; a compressed one is taken to be a quarter of its text."""
        size, read = shard.size, 0
        packed = shard.source.lower().endswith((*COMPRESSIONS, ".parquet", ".pq"))

        def watch(more: int) -> None:
            nonlocal read
            read += more
            here = min(size, read // 4 if packed else read)
            self._progress(Step((self._done + here) / self._passes, self._total, stage="filtering"))

        yield watch
        self._advance(size)

    def _advance(self, size: int) -> None:
        self._done += size
        self._progress(Step(self._done / self._passes, self._total, stage="filtering"))

    _rule: dict[str, Any] | None = None

    def summary(self, tally: Tally) -> FilterSummary:
        """What was done."""
        texts = digest_of([found["sha256"] for found in self._inputs])
        documents, size = (
            sum(getattr(share, name) for share in tally.shares.values()) for name in ("documents", "bytes")
        )
        signature = self._scorers.signature or Signature()
        models = self._scorers.fingerprints()
        if self._scorers.is_pattern:
            signature = signature.but(model=f"{self._scorers.described()[0]}/{digest_of(models)[:24]}")
        signature = signature.but(
            text=f"sha256-{texts[:24]}.{size}", docs=f"{signature.docs}.{documents}.{texts[24:32]}"
        )
        rule = self._rule if self._rule is not None else self._settings.rule.describe()
        if isinstance(self._settings.rule, Shares):
            rule = {**self._settings.rule.describe(), "settled": rule}
        return FilterSummary(
            model=self._scorers.described()[0], by=self._scorers.by or "none", rule=rule, tally=tally,
            signature=signature, files=len(self._shards), skipped=self._skipped, failed=tuple(self._failed),
            outputs=tuple(self._outputs), aside=any(shard.bad for shard in self._shards), dry=self._dry,
            examples=tuple(self._examples),
        )  # fmt: skip


def _values(scores: list[Path], language: int) -> Callable[[], Iterator[Floats]]:
    def values() -> Iterator[Floats]:
        for path in scores:
            for records in read_scores(path, 1 << 16):
                chosen = (records["state"] == SCORED) & (records["language"] == language)
                yield np.ascontiguousarray(records["value"][chosen])

    return values


def _tally(found: dict[str, Any], shard: Shard) -> Tally:
    try:
        return Tally.from_json(found["tally"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"the receipt of {label(shard.name)} is damaged; remove it, and run the filter again"
        raise FileFormatError(message, value=shard.name) from error


def _joined(folder: Path, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name))
