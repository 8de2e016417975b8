"""One call of the filter: file after file, each exactly once, with receipts; or a rehearsal that writes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter._util.files import check_destination, label, unwritten
from bitmeter._util.jobs import Ended, Executor, PartsStep, Task
from bitmeter._util.leftovers import temporary_folder
from bitmeter._util.progress import Progress
from bitmeter._version import __version__
from bitmeter.errors import FileFormatError, SourceError
from bitmeter.filter.examples import examples_of
from bitmeter.filter.histogram import exact_quantiles, rank_of
from bitmeter.filter.plan import Shard, check_free, check_outputs
from bitmeter.filter.receipts import Receipts, digest_of
from bitmeter.filter.rules import Decision, Shares
from bitmeter.filter.scores import SCORED, read_scores
from bitmeter.filter.settings import Settings
from bitmeter.filter.shard import MOST_PLACES, UNSCORED_LABEL, tally_scores
from bitmeter.filter.summary import FilterSummary
from bitmeter.filter.tally import Tally
from bitmeter.filter.tasks import Models, Written, digest, rehearse_file, score_file, write_file
from bitmeter.measure.signature import Signature

__all__ = ["Job"]


class Scored(NamedTuple):
    """Where the scores of a file are, and its languages in the order of their numbers."""

    path: Path
    languages: list[str]


class Job:
    """One call of the filter.

    Parameters
    ----------
    shards, settings
        What is done with which files.
    models
        How models are opened; `models.opened` holds those of this process.
    progress
        Called as the work goes on.
    executor
        Who does the work on each file.
    force
        Replace outputs that are not of this job.
    """

    def __init__(
        self,
        shards: list[Shard],
        settings: Settings,
        models: Models,
        progress: Progress,
        executor: Executor,
        *,
        force: bool,
    ) -> None:
        assert models.opened is not None, "by the caller, so that what is wrong with them shows at once"
        self._shards, self._settings, self._scorers = shards, settings, models.opened
        self._models = replace(models, fingerprints=tuple(self._scorers.fingerprints().items()))
        self._progress, self._executor, self._force = progress, executor, force
        self._total, self._done = sum(shard.size for shard in shards), 0.0
        self._passes, self._parts = 1, 0
        self._skipped = 0
        self._failed: list[tuple[str, str]] = []
        self._outputs: list[str] = []
        self._inputs: list[dict[str, Any]] = []
        self._decision: Decision | None = None
        self._examples: Any = ()
        self._dry = False
        self._options = ""

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
            self._digest_inputs()
            key = self._key(rule)
            done = {shard.name: self._receipt(receipts, shard, key, number)
                    for number, shard in enumerate(self._shards)}  # fmt: skip
            self._check_free(receipts, key, done, labels)
            scores: dict[str, Scored] = {}
            if isinstance(rule, Shares):
                if any(found is None for found in done.values()):
                    scores = self._score_all(receipts, key)
                    self._decision = self._settle(rule, list(scores.values()))
            else:
                self._decision = rule
            tally = self._write_all(receipts, key, done, scores)
            for shard in self._shards:
                if not self._failed:
                    for kind in ("claim", "scored", "scores"):
                        receipts.remove(shard.name, kind)
        return tally

    def _each(self, tasks: Iterable[Task]) -> Iterator[Ended]:
        """Tasks by the number of their file, as they end; each counts as much as its file has bytes."""
        reported: dict[int, float] = {}

        def report(number: int, more: float) -> None:
            more = min(more, self._shards[number].size - reported.get(number, 0.0))
            reported[number] = reported.get(number, 0.0) + more
            self._advance(more)

        for ended in self._executor.run(tasks, report):
            self._parts += 1
            self._advance(self._shards[ended.number].size - reported.pop(ended.number, 0.0))
            yield ended

    def _digest_inputs(self) -> None:
        """The size and the hash of each file, and the state in which it was then, by which a change is noticed."""
        tasks = (Task(number, digest, (shard.source,), label(shard.source))
                 for number, shard in enumerate(self._shards))  # fmt: skip
        found = {ended.number: ended.result() for ended in self._executor.run(tasks, _ignore)}
        self._inputs = [found[number].about for number in range(len(self._shards))]
        self._stamps = [found[number].stamp for number in range(len(self._shards))]

    def _make(self, folder: Path) -> None:
        """The folder of outputs may be new, and those above it; the folder that a single output is in must be there."""
        kept = self._shards[0].kept
        if self._shards[0].is_named and kept is not None:
            check_destination(folder)
            check_destination(kept)
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise unwritten(folder, error) from error

    def _key(self, rule: Decision | Shares) -> str:
        """A hash of all that decides what is written, but for the file itself."""
        signature = self._scorers.signature
        about = {
            "settings": self._settings.describe(), "by": self._scorers.by, "version": 2,
            "conventions": None if self._scorers.is_pattern or signature is None else str(signature.but(version="")),
            "models": {} if self._scorers.is_pattern else self._scorers.fingerprints(),
            "patterns": self._scorers.described(),
        }  # fmt: skip
        self._options = digest_of(about)
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
            if reason == "moved":
                reason = self._moved(receipts)
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
        """Why a receipt is not that of this job; empty if it is, "gone" if an output is, "moved" if limits may be."""
        if found["input"] != self._inputs[number]:
            return f"from another content of {label(shard.source)}"
        if found["key"] != key:
            return "moved" if found.get("options") == self._options else "by another model or with other options"
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

    def _moved(self, receipts: Receipts) -> str:
        """Which input is not what it was, where the limits of all files depend on each."""
        changed = [
            label(shard.source)
            for number, shard in enumerate(self._shards)
            if (found := receipts.read(shard.name)) is not None and found["input"] != self._inputs[number]
        ]
        what = f"{changed[0]} has changed" if changed else "a file was added to the corpus or taken from it"
        more = f" (and {len(changed) - 1:,} more)" if len(changed) > 1 else ""
        return f"and {what}{more} since, which moves the limits of all files (they are shares of all documents)"

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

    def _score_all(self, receipts: Receipts, key: str) -> dict[str, Scored]:
        """The first pass of a rule by shares: the scores of every file, those of an earlier run included."""
        self._passes = 2
        abouts = [{"key": key, "input": found} for found in self._inputs]
        found: dict[str, Scored] = {}
        tasks = []
        for number, shard in enumerate(self._shards):
            path = receipts.path(shard.name, "scores")
            before = receipts.read(shard.name, "scored")
            languages = _scored_before(before, abouts[number])
            found[shard.name] = Scored(path, languages or [])
            if languages is not None and path.exists():
                self._parts += 1
                self._advance(shard.size)
            else:
                arguments = shard, self._stamps[number], self._settings, self._models, path
                tasks.append(Task(number, score_file, arguments, label(shard.source)))
        for ended in self._each(tasks):
            shard = self._shards[ended.number]
            languages = ended.result()
            receipts.write(shard.name, {**abouts[ended.number], "languages": languages}, "scored")
            found[shard.name] = found[shard.name]._replace(languages=languages)
        return found

    def _settle(self, rule: Shares, scores: list[Scored]) -> Decision:
        """The limits that the shares come to."""
        histograms = Tally()
        for path, languages in scores:
            for records in read_scores(path, 1 << 16):
                histograms.add_scores(records, languages)
        limits: dict[tuple[str, Fraction], float] = {}
        for language, histogram in histograms.histograms.items():
            ranks = {share: rank_of(share, histogram.total) for share in rule.shares}
            wanted = [rank for rank in ranks.values() if rank]
            exact = exact_quantiles(histogram, wanted, _values(scores, language))
            for share, rank in ranks.items():
                limits[language, share] = exact[rank] if rank else -np.inf
        return rule.settled(lambda language, share: limits[language, share], sorted(histograms.histograms))

    def _write_all(
        self, receipts: Receipts, key: str, done: dict[str, dict[str, Any] | None], scores: dict[str, Scored]
    ) -> Tally:
        """Write what is not done yet; the counts of all files, in their order."""
        failed: dict[int, str] = {}
        for ended in self._each(self._writing(receipts, key, done, scores)):
            shard = self._shards[ended.number]
            if isinstance(ended.error, SourceError) and not isinstance(self._settings.rule, Shares):
                failed[ended.number] = str(ended.error)
            else:
                written: Written = ended.result()
                done[shard.name] = self._note(receipts, shard, ended.number, key, written)
        tally = Tally()
        for number, shard in enumerate(self._shards):
            found = done[shard.name]
            if found is None:
                self._failed.append((label(shard.source), failed[number]))
                continue
            tally.merge(_tally(found, shard), MOST_PLACES)
            self._outputs += [_joined(receipts.folder.parent, one["name"]) for one in found["outputs"]]
            self._rule = found["rule"]
            for language in found["models"]:
                self._scorers.of(language)  # of a pattern: the signature names all that were used
        return tally

    def _writing(
        self, receipts: Receipts, key: str, done: dict[str, dict[str, Any] | None], scores: dict[str, Scored]
    ) -> Iterator[Task]:
        """The files that are not done yet; each is claimed when its turn comes."""
        assert self._decision is not None or all(found is not None for found in done.values())
        for number, shard in enumerate(self._shards):
            if done[shard.name] is not None:
                self._skipped += 1
                self._parts += 1
                self._advance(shard.size)
                continue
            replaces = self._may_replace(receipts, shard, key)
            receipts.write(shard.name, {"key": key}, "claim")
            path, languages = scores.get(shard.name, (None, []))
            arguments = (
                shard,
                self._stamps[number],
                self._settings,
                self._models,
                self._decision,
                path,
                languages,
                replaces,
            )
            yield Task(number, write_file, arguments, label(shard.source))

    def _note(self, receipts: Receipts, shard: Shard, number: int, key: str, written: Written) -> dict[str, Any]:
        """Write the receipt of a file."""
        assert self._decision is not None
        folder = receipts.folder.parent
        found = {
            "key": key, "options": self._options, "input": self._inputs[number], "source": label(shard.source),
            "rule": self._decision.describe(), "models": written.models,
            # Below the folder of outputs, which may be moved.
            "outputs": [{"name": os.path.relpath(path, folder), **about} for path, about in written.outputs],
            "tally": written.tally, "signature": written.signature, "version": __version__,
        }  # fmt: skip
        receipts.write(shard.name, found)
        return found

    # ---- a dry run -----------------------------------------------------------------------------------------------

    def rehearse(self) -> Tally:
        """Score everything, write nothing, and say what would be kept."""
        self._dry = True
        rule = self._settings.rule
        tally = Tally()
        self._digest_inputs()
        with temporary_folder() as folder:
            paths = [folder / f"{number}.scores" for number in range(len(self._shards))]
            decision = rule if isinstance(rule, Decision) else None
            tasks = (
                Task(
                    number,
                    rehearse_file,
                    (shard, stamp, self._settings, self._models, decision, path),
                    label(shard.source),
                )
                for number, (shard, stamp, path) in enumerate(zip(self._shards, self._stamps, paths, strict=True))
            )
            found = {ended.number: ended.result() for ended in self._each(tasks)}
            scores = [Scored(path, found[number][1]) for number, path in enumerate(paths)]
            for number in range(len(paths)):
                tally.merge(Tally.from_json(found[number][0]), MOST_PLACES)
            for language in dict.fromkeys(language for one in scores for language in one.languages):
                self._scorers.of(language)
            self._decision = rule if isinstance(rule, Decision) else self._settle(rule, scores)
            if isinstance(rule, Shares):
                for path, languages in scores:
                    tally_scores(path, tally, self._decision, languages)
            self._examples = examples_of(self._shards, paths, tally.whole_histogram(), self._settings.fields)
        self._rule = self._decision.describe()
        return tally

    # ---- what is shown -------------------------------------------------------------------------------------------

    def _advance(self, more: float) -> None:
        self._done += more
        at = PartsStep(
            self._done / self._passes, self._total, stage="filtering", parts=self._parts,
            of=len(self._shards) * self._passes, **self._executor.state(),
        )  # fmt: skip
        self._progress(at)

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


def _scored_before(before: dict[str, Any] | None, about: dict[str, Any]) -> list[str] | None:
    """The languages of scores that were written, if they are of this job; else None."""
    languages = None if before is None else before.get("languages")
    if before is None or not isinstance(languages, list) or any(before.get(key) != about[key] for key in about):
        return None
    return [str(language) for language in languages]


def _values(scores: list[Scored], language: str) -> Callable[[], Iterator[Floats]]:
    def values() -> Iterator[Floats]:
        for path, languages in scores:
            if language in languages:
                number = languages.index(language)
                for records in read_scores(path, 1 << 16):
                    chosen = (records["state"] == SCORED) & (records["language"] == number)
                    yield np.ascontiguousarray(records["value"][chosen])

    return values


def _ignore(number: int, more: float) -> None:
    """Hashing is not counted."""


def _tally(found: dict[str, Any], shard: Shard) -> Tally:
    try:
        return Tally.from_json(found["tally"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"the receipt of {label(shard.name)} is damaged; remove it, and run the filter again"
        raise FileFormatError(message, value=shard.name) from error


def _joined(folder: Path, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name))
