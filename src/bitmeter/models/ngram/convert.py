"""N-gram models from one file format to another, with what it costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bitmeter._util.check import flag, integer
from bitmeter._util.files import as_path, check_destination, is_written_through, label
from bitmeter.errors import InputError
from bitmeter.models.ngram.arpa import is_arpa
from bitmeter.models.ngram.estimate.fit import by_stages
from bitmeter.models.ngram.files import is_model_file, unknown_format
from bitmeter.models.ngram.forms import DEFAULT_BITS
from bitmeter.models.ngram.model import NGram

__all__ = ["Conversion", "convert"]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion did.

    Attributes
    ----------
    source, target
        The files.
    form
        That of the target: "fast", "compact" or "ARPA".
    counts
        How many n-grams there are of each order.
    bytes_before, bytes_after
        The sizes of the files.
    perplexity_before, perplexity_after
        Of the held-out text, unknown words as their class; None without one.
    tokens
        Words and sentence ends of the held-out text.
    notes
        Caveats about the target.
    """

    source: str
    target: str
    form: str
    counts: tuple[int, ...]
    bytes_before: int
    bytes_after: int
    perplexity_before: float | None = None
    perplexity_after: float | None = None
    tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def bytes_per_ngram(self) -> float:
        """The size of the target for each n-gram in it."""
        return self.bytes_after / sum(self.counts)

    @property
    def rise(self) -> float | None:
        """By what share the perplexity of the held-out text is higher after than before; None if it is not known."""
        before, after = self.perplexity_before, self.perplexity_after
        if before is None or after is None or not (math.isfinite(before) and math.isfinite(after)):
            return None
        return after / before - 1.0

    def __str__(self) -> str:
        counts = " + ".join(f"{count:,}" for count in self.counts)
        form = self.form if self.form == "ARPA" else f"{self.form} form"
        lines = [
            f"{self.target}: order {len(self.counts)}, {counts} n-grams, {form}",
            f"{self.bytes_before:,} bytes before, {self.bytes_after:,} after: {self.bytes_per_ngram:.2f} an n-gram",
        ]
        if self.perplexity_before is not None and self.perplexity_after is not None:
            rise = "" if self.rise is None else f" ({100.0 * self.rise:+.3g} %)"
            lines.append(
                f"perplexity {self.perplexity_before:.6g} before, {self.perplexity_after:.6g} after{rise}, per unit: "
                f"{self.tokens:,} words and ends, an unknown word costs <unk> alone"
            )
        return "\n".join(lines + [f"note: {line}" for line in self.notes])


def convert(
    source: Any,
    target: Any,
    *,
    compact: bool = False,
    bits: int = DEFAULT_BITS,
    prune_entropy: float | None = None,
    spelling: Any = None,
    heldout: Any = None,
    force: bool = False,
    threads: int = 0,
    memory: int | str | None = None,
    temp: Any = None,
    progress: Any = None,
) -> Conversion:
    r"""Write an n-gram model in another format: .bmn in the fast or the compact form, .arpa, .arpa.gz or .arpa.zst.

    Parameters
    ----------
    source
        The file of a model, of any of these formats, or a binary of KenLM: any trie that lists its words, and hash
        tables whose words can be found by trying (2³³ pairs at most).
    target
        The file to write; its name decides the format. A .bmn file has the fast form unless `compact` is set.
    compact
        Write the compact form: see `NGram.compact`.
    bits
        Of a probability in the compact form, 4 to 14.
    prune_entropy
        Drop n-grams whose loss raises the perplexity by less than this share, such as 1e-8: see `NGram.prune`.
    spelling
        A text (a path, a Corpus, or bytes) from which a model of words learns how words are spelled and what stands
        between them: the one that the model was estimated from, or one like it. A model from ARPA has not learned it;
        with it unknown words can be spelled (`oov="spelled"`) and texts compressed.
    heldout
        A text (a path, a Corpus, or bytes) whose perplexity is measured before and after.
    force
        Overwrite the target.
    threads
        How many to use; 0 for all of the machine's.
    memory, temp
        For the compact form: see `NGram.compact`.
    progress
        Called with a `Step`: the stage, and the share of it that is done.

    Returns
    -------
    Conversion
        Sizes and perplexities before and after.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import bitmeter as bm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fast, small = pathlib.Path(folder) / "model.bmn", pathlib.Path(folder) / "small.bmn"
    ...     bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n").save(fast)
    ...     done = bm.convert(fast, small, compact=True, heldout=b"to be\n")
    ...     done.form, done.bytes_after < done.bytes_before, done.perplexity_after == done.perplexity_before
    ('compact', True, True)
    """
    final, packed = as_path(target), flag(compact, "compact")
    width, many = integer(bits, "bits", low=4, high=14), integer(threads, "threads", low=0, high=1024)
    if not is_model_file(final.name):
        raise unknown_format(final)
    if packed and is_arpa(final.name):
        message = f"{final} is ARPA, which has no compact form; end its name in .bmn, or leave compact out"
        raise InputError(message, value=str(final))
    if spelling is not None and is_arpa(final.name):
        message = f"{final} is ARPA, which cannot hold how words are spelled; end its name in .bmn"
        raise InputError(message, value=str(final))
    if not packed and (memory is not None or temp is not None):
        message = "memory and temp are for the compact form; leave them out, or add compact (--compact)"
        raise InputError(message, value=memory)
    check_destination(final, force=force)
    if is_written_through(final):
        message = f"{final} is no regular file, and the model is read again when it is written; name a file"
        raise InputError(message, value=str(final))
    report = by_stages(progress)
    report("reading", 0.0)
    model = NGram.load(source)
    size = as_path(source).stat().st_size  # which may be that of the target too
    model.threads = many
    before, tokens = (None, 0) if heldout is None else _measured(model, heldout)
    if spelling is not None:
        report("learning to spell", 0.0)
        model.fit_spelling(spelling)
    if prune_entropy is not None:
        report("pruning", 0.0)
    kept = model if prune_entropy is None else model.prune(prune_entropy)
    made = kept.compact(width, memory=memory, temp=temp) if packed else kept.fast()
    made.save(final, force=force, progress=progress)
    saved = NGram.load(final)
    return Conversion(
        source=label(as_path(source)),
        target=label(final),
        form="ARPA" if is_arpa(final.name) else "compact" if packed else "fast",
        counts=saved.counts,
        bytes_before=size,
        bytes_after=final.stat().st_size,
        perplexity_before=before,
        perplexity_after=None if heldout is None else _measured(saved, heldout)[0],
        tokens=tokens,
        notes=(*made.notes, *_lost(made, saved)),
    )


def _measured(model: NGram, heldout: Any) -> tuple[float, int]:
    scored = model.score(heldout)
    return scored.perplexity, scored.tokens


def _lost(made: NGram, saved: NGram) -> tuple[str, ...]:
    if not made.of_words or "spelled" not in made.traits.oov or "spelled" in saved.traits.oov:
        return ()
    return ("ARPA cannot hold how words are spelled, so this file cannot spell unknown words",)
