"""The audit of a model: it is scored, then tried on documents of the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats, Ids
from bitmeter._util.jobs import Executor
from bitmeter._util.progress import Progress, Step
from bitmeter.errors import ModelError
from bitmeter.measure.audit.enumeration import Watch
from bitmeter.measure.audit.future import check_future, check_later_documents
from bitmeter.measure.audit.population import Population, population_of
from bitmeter.measure.audit.predictions import POSITIONS, Predicted, predicted
from bitmeter.measure.audit.repeats import check_batches, check_repeats
from bitmeter.measure.audit.result import Audit, AuditCheck, Correction, Finding, plural
from bitmeter.measure.audit.shared import can_be_shared, scores_in_parts, sums_by
from bitmeter.measure.audit.spelling import check_spelling
from bitmeter.measure.audit.subject import Sample, Subject, beginnings, choose_samples, settled
from bitmeter.measure.audit.sums import check_sums, correction
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score as measure
from bitmeter.measure.scoring import score_by
from bitmeter.models.protocols import Checked, Compressor, Model
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["audit_compressor", "audit_model"]

_LN2 = math.log(2.0)


def audit_model(
    model: Model,
    corpus: Corpus,
    *,
    positions: int | None,
    seed: int,
    confidence: float,
    progress: Progress,
    farthest: int | None = None,
    executor: Executor | None = None,
) -> Audit:
    """All checks of a model on a text.

    Parameters
    ----------
    farthest
        The longest history after which every unit is scored.
    executor
        Who scores the text and makes predictions; None for this process.
    """
    helpers = executor if executor is not None and can_be_shared(model) else None
    checks: list[AuditCheck] = []
    findings: list[Finding] = []
    if isinstance(model, Checked):
        model.verify()  # a damaged file is an error of its own
        checks.append(AuditCheck("file", "passed", "the model's file: every checksum and link"))
    opening = beginnings(settled(model, spells="spelled" in model.traits.oov), corpus, seed)
    found, unscored = _scored(model, corpus, confidence, progress, helpers)
    findings += unscored
    spells = "spelled" in model.traits.oov and (found is None or found.signature.oov == "spelled")
    measured = settled(model, spells=spells)
    subject = Subject(measured, choose_samples(measured, corpus, found, seed), spells=spells)
    checks += _bytes(subject, found, findings)
    checks += _values(subject, findings)
    watch = _watch(progress)
    population = population_of(subject, found)
    sums = None if helpers is None else sums_by(helpers, model, spells=spells)
    before = predicted(subject, population, positions, seed, watch("predictions"), farthest=farthest, sums=sums)
    for more, wrong in (
        check_sums(subject, population, before),
        check_spelling(subject) if spells else ([], []),
        _future(subject, seed, watch("future"), opening),
        check_later_documents(subject) if not model.traits.metered else _not_metered("pass"),
        check_batches(subject),
        check_repeats(subject),
    ):
        checks += more
        findings += wrong
    checks, findings = _unhidden(subject, checks, findings)
    checks.insert(-3, _learning(checks))
    corrected = _corrected(population, found, before, confidence, checks, spells=spells)
    return Audit(
        subject=model.name,
        kind="model",
        fingerprint=model.fingerprint,
        text=corpus.name,
        text_hash=corpus.fingerprint(),
        text_bytes=_size(corpus, found),
        documents=_documents(corpus, found),
        checks=tuple(checks),
        findings=tuple(_for_all(finding, _size(corpus, found)) for finding in findings),
        score=found,
        correction=corrected,
        sampled=sum(len(sample.data) for sample in subject.samples),
        seed=seed,
        # How many are enumerated depends on the model and on time, and a repetition takes as many.
        positions=len(before.positions) if before.way == "logprobs" else POSITIONS if positions is None else positions,
        farthest=before.farthest if before.far else None,
    )


def audit_compressor(model: Compressor, corpus: Corpus, *, seed: int, confidence: float, progress: Progress) -> Audit:
    """Only its total is known, and whether that is the same again."""
    found = measure(model, corpus, confidence=confidence, progress=progress)
    again = measure(model, corpus, confidence=confidence, progress=progress)
    same = found.nats == again.nats
    why = f"{model.name} gives only the size of a whole text, compressed"
    checks = [
        *(AuditCheck(name, "impossible", why) for name in ("sums", "agreement", "future", "learning", "pass", "batch")),
        AuditCheck(
            "repeat", "passed" if same else "failed", "the size is the same again" if same else "the size changes"
        ),
    ]
    findings = [
        Finding(
            "sums",
            "what a decompressor restores has been paid for; that it restores this text was not tried here",
            "note",
        )
    ]
    if not same:
        findings.append(Finding("repeat", "the size is another one the second time"))
    return Audit(
        subject=model.name,
        kind="compressor",
        fingerprint=model.fingerprint,
        text=corpus.name,
        text_hash=corpus.fingerprint(),
        text_bytes=found.bytes,
        documents=found.documents,
        checks=tuple(checks),
        findings=tuple(findings),
        score=found,
        seed=seed,
    )


def _scored(
    model: Model, corpus: Corpus, confidence: float, progress: Progress, helpers: Executor | None
) -> tuple[Score | None, list[Finding]]:
    """The score; where a log-probability is none, the finding that says where."""
    if not model.traits.is_distribution:
        text = f"{model.name} says itself that its scores do not sum to one"
        return None, [Finding("sums", text)]
    try:
        if helpers is not None and scores_in_parts(model):
            return score_by(helpers, model, corpus, confidence, progress), []
        return measure(model, corpus, confidence=confidence, progress=progress), []
    except ModelError as error:
        if error.index is None:
            raise
        return None, [Finding("values", str(error), byte=int(error.index))]


def _watch(progress: Progress) -> Any:
    def stage(name: str) -> Watch:
        return lambda done, of: progress(Step(done, of, "steps", stage=name))

    return stage


def _future(
    subject: Subject, seed: int, watch: Watch, opening: Sequence[tuple[Ids, Floats]]
) -> tuple[list[AuditCheck], list[Finding]]:
    """A server may make other tokens of a part of the text, and cannot be asked then."""
    try:
        return check_future(subject, seed, watch, opening)
    except ModelError as error:
        if not subject.model.traits.metered:
            raise
        return [AuditCheck("future", "impossible", f"a part of the text could not be scored by itself: {error}")], []


def _not_metered(name: str) -> tuple[list[AuditCheck], list[Finding]]:
    return [AuditCheck(name, "impossible", "each call may cost money, so this was not tried")], []


# ---- checks of what was measured -------------------------------------------------------------------------------------


def _bytes(subject: Subject, found: Score | None, findings: list[Finding]) -> list[AuditCheck]:
    """Units partition the bytes of each document, and their ids give the bytes back."""
    wrong = _first_gap(subject.samples)
    if wrong is not None:
        sample, index = wrong
        text = f"the units of a document do not partition its bytes: unit {index} does not begin where the last ends"
        findings.append(Finding("bytes", text, byte=sample.offset, document=sample.document))
        return [AuditCheck("bytes", "failed", "units leave gaps or overlap")]
    if found is not None and found.skipped:
        text = f"{plural(found.skipped, 'unit is', 'units are')} not scored: what is left out is in neither sum"
        return [AuditCheck("bytes", "partial", text)]
    if found is not None and found.figure_per != "byte":
        text = "the figure is per token: bytes of unknown words and white space are not paid for, and in no denominator"
        said = "a closed vocabulary has no bits per byte to compare with other models"
        findings.append(Finding("bytes", said, "note"))
        return [AuditCheck("bytes", "passed", text)]
    lossy = [sample for sample in subject.samples if not _restores(subject, sample)]
    if lossy:
        text = f"the ids of {len(lossy):,} of {len(subject.samples):,} sampled documents do not restore their bytes"
        findings.append(
            Finding(
                "bytes",
                text + ": what distinguishes such texts is not paid for",
                "note",
                byte=lossy[0].offset,
                document=lossy[0].document,
            )
        )
        return [AuditCheck("bytes", "partial", text)]
    number = "" if found is None else f" {found.bytes:,}"
    return [AuditCheck("bytes", "passed", f"units partition the{number} bytes, each byte in one unit")]


def _first_gap(samples: tuple[Sample, ...]) -> tuple[Sample, int] | None:
    for sample in samples:
        steps = np.diff(sample.cuts)
        if len(sample.cuts) != len(sample.ids) + 1 or sample.cuts[0] != 0 or (steps < 0).any():
            return sample, int(np.argmax(steps < 0)) if len(steps) else 0
    return None


def _restores(subject: Subject, sample: Sample) -> bool:
    units = subject.whole.units
    if subject.spells or not units.joins or (sample.ids < 0).any():
        return subject.spells or not units.joins
    joined = units.join(sample.ids.tolist())
    return joined in (sample.data, b" " + sample.data)  # some tokenizers put a space before a text


def _values(subject: Subject, findings: list[Finding]) -> list[AuditCheck]:
    """No NaN and no probability above one."""
    for sample, costs in zip(subject.samples, subject.costs, strict=True):
        bad = ~(costs <= 1e-9)
        if bad.any():
            at = int(np.argmax(bad))
            text = f"a log-probability of {costs[at]:g} is not one"
            if not any(finding.check == "values" for finding in findings):
                findings.append(
                    Finding("values", text, byte=sample.offset + int(sample.cuts[at]), document=sample.document)
                )
            return [AuditCheck("values", "failed", text)]
    if any(finding.check == "values" for finding in findings):
        return [AuditCheck("values", "failed", "a log-probability is NaN or above zero")]
    return [AuditCheck("values", "passed", "every log-probability is a number, and none is above zero")]


def _unhidden(
    subject: Subject, checks: list[AuditCheck], findings: list[Finding]
) -> tuple[list[AuditCheck], list[Finding]]:
    """Two calls that differ say nothing of what follows or stands beside a unit if the same call differs, too."""
    why = ""
    if any(check.name == "repeat" and check.status == "failed" for check in checks):
        why = "hidden by repeat: figures differ even where the same call is made twice"
    elif any(np.isnan(costs).any() for costs in subject.costs):
        why = "hidden by values: NaN cannot be compared"
    if not why:
        return checks, findings
    hidden = {check.name for check in checks if check.name in ("future", "pass", "batch")}
    return (
        [AuditCheck(check.name, "impossible", why) if check.name in hidden else check for check in checks],
        [finding for finding in findings if finding.check not in hidden],
    )


def _learning(checks: list[AuditCheck]) -> AuditCheck:
    """A unit that a prediction made before it prices in full was not learned from before it was scored."""
    by_name = {check.name: check for check in checks}
    agreement = by_name["agreement"]
    if agreement.status == "impossible":
        return AuditCheck(
            "learning", "impossible", f"what was predicted before a unit is not known: {agreement.summary}"
        )
    failed = [name for name in ("sums", "agreement", "future", "repeat") if by_name[name].status == "failed"]
    if failed:
        return AuditCheck("learning", "impossible", f"hidden by {', '.join(failed)}")
    text = "each unit is scored before the model learns from it: predictions made before it say what it costs"
    if agreement.status == "partial":
        text += ", as far as they were looked at"
    return AuditCheck("learning", agreement.status, text, agreement.worst, agreement.tolerance)


def _corrected(
    population: Population,
    found: Score | None,
    before: Predicted,
    confidence: float,
    checks: list[AuditCheck],
    *,
    spells: bool,
) -> Correction | None:
    # Normalising mends only what sums and agreement find: of anything else the right figure is not known.
    refuted = any(check.name in ("sums", "agreement") and check.status == "failed" for check in checks)
    if not refuted or spells or before.reason or found is None or found.figure_per != "byte" or not found.bytes:
        return None
    return correction(population, before, found.bits_per_byte, confidence)


def _for_all(finding: Finding, size: int) -> Finding:
    """With the effect on the whole text, if it was found on a sample of it."""
    if finding.bits is None or finding.bits_per_byte is None:
        return finding
    return replace(finding, bits=finding.bits_per_byte * size)


def _size(corpus: Corpus, found: Score | None) -> int:
    if found is not None and found.by_document is not None:
        return int(found.by_document.bytes.sum())
    return sum(len(block.data) for block in corpus.blocks())


def _documents(corpus: Corpus, found: Score | None) -> int:
    return found.documents if found is not None else sum(len(block.ends) for block in corpus.blocks())
