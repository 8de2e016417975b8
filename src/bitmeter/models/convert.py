"""N-gram models from one file format to another, with what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bitmeter.errors import InputError
from bitmeter.models.arpa import is_arpa
from bitmeter.models.ngram import NGram
from bitmeter.models.ngram_files import is_model_file, unknown_format
from bitmeter.models.ngram_forms import DEFAULT_BITS
from bitmeter.text._files import as_path
from bitmeter.theory._check import flag, integer

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
        What a reader should be told of the target.
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

    def __str__(self) -> str:
        counts = " + ".join(f"{count:,}" for count in self.counts)
        form = self.form if self.form == "ARPA" else f"{self.form} form"
        lines = [
            f"{self.target}: order {len(self.counts)}, {counts} n-grams, {form}",
            f"{self.bytes_before:,} bytes before, {self.bytes_after:,} after: {self.bytes_per_ngram:.2f} an n-gram",
        ]
        if self.perplexity_before is not None and self.perplexity_after is not None:
            lines.append(
                f"perplexity {self.perplexity_before:.6g} before, {self.perplexity_after:.6g} after, over "
                f"{self.tokens:,} words and ends"
            )
        return "\n".join(lines + [f"note: {told}" for told in self.notes])


def convert(
    source: Any,
    target: Any,
    *,
    compact: bool = False,
    bits: int = DEFAULT_BITS,
    heldout: Any = None,
    force: bool = False,
    threads: int = 0,
) -> Conversion:
    r"""Write an n-gram model in another format: .bmn in the fast or the compact form, .arpa, .arpa.gz or .arpa.zst.

    Parameters
    ----------
    source
        The file of a model, of any of these formats.
    target
        The file to write; its name tells the format. A .bmn file has the fast form unless `compact` is said.
    compact
        Write the compact form: see `NGram.compact`.
    bits
        Of a probability in the compact form, 4 to 14.
    heldout
        A text (a path, a Corpus, or bytes) whose perplexity is measured before and after.
    force
        Overwrite the target.
    threads
        How many to use; 0 for all of the machine's.

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
    flag(force, "force")
    if not is_model_file(final.name):
        raise unknown_format(final)
    if packed and is_arpa(final.name):
        message = f"{final} is ARPA, which has no compact form; end its name in .bmn, or leave compact out"
        raise InputError(message, value=str(final))
    model = NGram.load(source)
    size = as_path(source).stat().st_size  # which may be that of the target too
    model.threads = many
    before = None if heldout is None else model.rate(heldout)
    made = model.compact(width) if packed else model.fast()
    made.save(final, force=force)
    saved = NGram.load(final)
    after = None if heldout is None else saved.rate(heldout)
    return Conversion(
        source=str(as_path(source)),
        target=str(final),
        form="ARPA" if is_arpa(final.name) else "compact" if packed else "fast",
        counts=saved.counts,
        bytes_before=size,
        bytes_after=final.stat().st_size,
        perplexity_before=None if before is None else before.perplexity,
        perplexity_after=None if after is None else after.perplexity,
        tokens=0 if before is None else before.tokens,
        notes=made.notes,
    )
