"""The options that several verbs share, each defined once, and the checks that go with them.

A verb takes a bundle of options as one parameter, whose type is a dataclass: `commands.flattened` makes one option of
each field. The class names the section of the help in which they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

import typer

__all__ = [
    "Alternatives",
    "Cluster",
    "CompactBits",
    "Confidence",
    "Conventions",
    "Ctx",
    "Field",
    "Force",
    "Json",
    "OptionBundle",
    "Prime",
    "PruneEntropy",
    "Quiet",
    "ScoringConventions",
    "TextOptions",
    "Threads",
    "With",
    "check_free",
    "check_one_output",
    "compact_bits",
]


def _checked(key: str) -> Callable[[str | None], str | None]:
    """Checks the value of a keyword of `score`, so that a wrong one is a usage error."""

    def check(value: str | None) -> str | None:
        if value is not None:
            from bitmeter.errors import ChoiceError
            from bitmeter.measure.conventions.registry import convention
            from bitmeter.measure.conventions.settings import setting
            from bitmeter.models.windows import parse_context

            try:
                if key == "ctx":
                    parse_context(value)
                elif key == "like":
                    convention(value)
                else:
                    setting(key, value)
            except ChoiceError as error:
                raise typer.BadParameter(str(error)) from error
        return value

    return check


def _convention(key: str, text: str, metavar: str = "NAME") -> Any:
    return typer.Option(help=text, metavar=metavar, callback=_checked(key))


Docs = Annotated[
    str | None,
    _convention("docs", "Document boundaries: file, line, blank, record, joined, joined-line or joined-blank."),
]
Field = Annotated[
    str | None, typer.Option(metavar="NAME", help="Field of JSON lines, or column of Parquet, that holds the text.")
]
Like = Annotated[
    str, _convention("like", "Conventions of another tool: kenlm, srilm, nltk, lm-eval, hf-evaluate, hf-docs, …")
]
First = Annotated[
    str | None,
    _convention("first", "How the first unit of a document is conditioned: bos, eos, skip or uniform."),
]
Eos = Annotated[
    str | None,
    _convention("eos", "Whether the end of a document is predicted and counted: yes, no or nonblank."),
]
Oov = Annotated[str | None, _convention("oov", "Cost of an out-of-vocabulary unit: none, skipped, class or spelled.")]
Den = Annotated[str | None, _convention("den", "Bytes by which bits are divided: scored or original.")]
Norm = Annotated[
    str | None,
    _convention("norm", "Normalisation of the text before scoring: none, nfc, nfkc, lower or newlines."),
]
Ctx = Annotated[
    str | None,
    _convention(
        "ctx",
        "Windows of a model with a bounded context: WINDOW.STRIDE (in tokens), full, disjoint, rolling or half.",
        metavar="WINDOWS",
    ),
]
Cluster = Annotated[
    str,
    typer.Option(
        metavar="auto|none|file|heading|FIELD|REGEX",
        help="Which documents belong together and are one observation of the interval: those of a file, under a "
        "heading, with one value of a field, or from a line that matches on.",
    ),
]
Confidence = Annotated[float, typer.Option(min=0.5, max=0.9999, metavar="P", help="Confidence level of the interval.")]
Alternatives = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", help="Record the entropy and rank of each prediction, and its N likeliest alternatives."
    ),
]
Prime = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Text that an adaptive model (universal) reads first."),
]
PruneEntropy = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        help="Prune n-grams whose removal raises the perplexity by less than this share, such as 1e-8.",
    ),
]
CompactBits = Annotated[
    int | None,
    typer.Option(min=4, max=14, metavar="N", help="Bits per probability in the compact form; 8 by default."),
]
Threads = Annotated[
    int, typer.Option(min=0, max=1024, metavar="N", help="Threads to use; 0 (default) for all.", show_default=False)
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="MODEL",
        help="Model that a mixture refers to by fingerprint, or tokenizer:FILE of an n-gram model; can be repeated.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, with every figure at full precision.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the number alone.")]


@dataclass(frozen=True)
class OptionBundle:
    """Options that a verb takes as one parameter."""

    #: The section of the help in which they stand.
    section: ClassVar[str] = "Options"

    def as_keywords(self) -> dict[str, Any]:
        """The options by name, for the function of the library that takes them as keywords."""
        return asdict(self)


@dataclass(frozen=True)
class TextOptions(OptionBundle):
    """How a text is read."""

    docs: Docs = None
    field: Field = None


@dataclass(frozen=True)
class Conventions(TextOptions):
    """The conventions of a figure that depends on single units."""

    section: ClassVar[str] = "Conventions"

    like: Like = "bitmeter"
    first: First = None
    eos: Eos = None
    oov: Oov = None
    norm: Norm = None
    ctx: Ctx = None

    def given(self) -> dict[str, Any]:
        """Those that differ from their defaults."""
        defaults = asdict(type(self)())
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}


@dataclass(frozen=True)
class ScoringConventions(Conventions):
    """The conventions of a score."""

    den: Den = None
    cluster: Cluster = "auto"


def compact_bits(bits: int | None, *, compact: bool) -> int:
    """Bits per probability in the compact form of an n-gram model, which alone rounds probabilities."""
    if bits is not None and not compact:
        message = f"--bits {bits} is for the compact form, and the fast form does not round; add --compact"
        raise typer.BadParameter(message)
    from bitmeter.models.ngram.forms import DEFAULT_BITS

    return DEFAULT_BITS if bits is None else bits


def check_free(path: Any, *, force: bool, stdout: bool = False) -> None:
    """Refuse an output that cannot be written, or that exists and would need --force, before any work is done.

    Parameters
    ----------
    path
        The output; None for none.
    force
        Whether --force was typed.
    stdout
        Whether the verb writes to standard output if the path is "-".
    """
    if path is None or (stdout and str(path) == "-"):
        return
    from bitmeter._util.files import check_destination
    from bitmeter.errors import BitmeterError

    if str(path) == "-":
        message = "- is no name of an output here; type /dev/stdout, or the full path of a file that has this name"
        raise typer.BadParameter(message)
    try:
        check_destination(path, force=force)
    except BitmeterError as error:
        raise typer.BadParameter(str(error).removesuffix(" (in Python: force=True)")) from error


def check_one_output(*, json: bool, quiet: bool) -> None:
    """Refuse --json together with -q."""
    if json and quiet:
        message = "--json and -q ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
